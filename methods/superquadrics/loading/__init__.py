"""Read meshes and point clouds from files, strictly: what cannot be used is dropped, counted and named."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from methods.superquadrics.loading.raw import Raw
    from methods.superquadrics.target import Target

_READERS = {
    "obj": "methods.superquadrics.loading.obj:read_obj",
    "ply": "methods.superquadrics.loading.ply:read_ply",
    "stl": "methods.superquadrics.loading.stl:read_stl",
    "off": "methods.superquadrics.loading.off:read_off",
    "glb": "methods.superquadrics.loading.glb:read_glb",
    "xyz": "methods.superquadrics.loading.xyz:read_xyz",
    "npz": "methods.superquadrics.loading.npz:read_npz",
}


def load_target(
    path: str | Path, *, log: logging.Logger | None = None, check: Callable[[], None] | None = None
) -> Target:
    """Read a mesh or point cloud: OBJ, PLY, STL, OFF, GLB, XYZ, CSV, TXT, PTS, NPZ or NPY.

    The content decides the format, the suffix only where the content cannot.

    Args:
        log: gets one line about what was read.
        check: called now and then; may raise to stop.

    Returns:
        The target in the file's own coordinates; ``target.warnings`` says what was dropped or changed, with
        counts. Clouds of more than 2 M points are thinned at random, always the same way (``shown_of``).

    Raises:
        BadInput: the file cannot be used; the text says what is wrong, where, and what to do.
        OSError: the file cannot be opened.
    """
    return _load(Path(path), log, check)[1]


def describe(path: str | Path) -> dict[str, Any]:
    """What a file holds, as JSON-able facts.

    ``format``, ``kind`` (mesh or point cloud), ``vertices``, ``faces``, ``components``, ``open_edges``,
    ``watertight``, ``solid``, ``parts`` (count) and ``names``, ``size`` [3], ``center`` [3], ``diagonal``,
    ``unit``, ``unit_guess``, ``size_text``, ``points_in_file`` (clouds) and ``warnings``.

    Raises:
        BadInput: as :func:`load_target`.
    """
    from methods.superquadrics import topology

    raw, target = _load(Path(path), None, None)
    low, high = target.bounds
    facts: dict[str, Any] = {
        "format": raw.format,
        "kind": "point cloud" if target.is_cloud else "mesh",
        "vertices": len(target.vertices),
    }
    if target.faces is None:
        facts["points_in_file"] = target.shown_of or len(target.vertices)
        facts["normals"] = target.normals is not None
    else:
        welded = topology.weld(target.vertices)[target.faces]
        welded = welded[~topology.degenerate(welded)]
        open_edges = int(topology.edges_of(welded).boundary.sum()) if len(welded) else 0
        facts |= {
            "faces": len(target.faces),
            "components": topology.components(welded)[0],
            "open_edges": open_edges,
            "watertight": open_edges == 0,
            "solid": target.is_solid,
            "area": target.area,
        }
    facts |= {
        "parts": len(target.part_names),
        "names": list(target.part_names),
        "size": [float(v) for v in high - low],
        "center": [float(v) for v in target.center],
        "diagonal": target.diagonal,
        "unit": target.unit,
        "unit_guess": target.unit_guess,
        "size_text": target.size_text,
        "warnings": list(target.warnings),
    }
    return facts


def _load(path: Path, log: logging.Logger | None, check: Callable[[], None] | None) -> tuple[Raw, Target]:
    import time

    import numpy as np

    from methods.core.declaration import resolve
    from methods.core.errors import BadInput
    from methods.superquadrics.loading.check import checked
    from methods.superquadrics.loading.raw import MAX_FILE_BYTES, Source
    from methods.superquadrics.loading.sniff import format_of
    from methods.superquadrics.loading.words import bytes_text

    began = time.perf_counter()
    if not path.is_file():
        what = f"{path.name} is a folder, not a file." if path.is_dir() else f"{path} does not exist."
        raise BadInput(what, "Choose a mesh or point cloud file.")
    source = Source(path, path.stat().st_size, check or (lambda: None))
    if source.size > MAX_FILE_BYTES:
        raise BadInput(
            f"{path.name} has {bytes_text(source.size)}; at most {bytes_text(MAX_FILE_BYTES)} can be read.",
            "Simplify it or split it first.",
        )
    format_, misnamed = format_of(source)
    with np.errstate(all="ignore"):  # what overflows is found and counted by the checks
        try:
            raw = resolve(_READERS[format_])(source)
            if misnamed:
                raw.warnings.insert(0, f"Its name ends in {path.suffix}, but it holds {raw.format}.")
            target = checked(raw, source)
        except MemoryError as error:
            raise BadInput(
                f"{path.name} needs more memory than there is.", "Simplify it, or close other programs."
            ) from error
    if log is not None:
        log.info("%s: %s, %d vertices, %.2f s", path.name, raw.format, len(target.vertices),
                 time.perf_counter() - began)  # fmt: skip
    return raw, target
