"""Where the optional development data lies; tests that need it skip when it is absent."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def shared_path(*parts: str) -> Path:
    """Path below the shared development data, or skip the calling test with a reason."""
    base = Path(os.environ.get("STUDIOLO_SHARED", ROOT.parent / "shared"))
    path = base.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"development data not present: {'/'.join(parts)}")
    return path
