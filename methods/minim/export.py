"""Write what leaves: the minimised observation, its picture and an audit manifest, or nothing at all."""

from __future__ import annotations

import gzip
import hashlib
import json
import math
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from PIL import Image

from methods.core.atomic import write_atomically
from methods.core.errors import BadInput, WorkFailed
from methods.core.version import __version__
from methods.minim import picture
from methods.minim.leakcheck import LeakReport, check
from methods.minim.observation import Observation
from methods.minim.policy import NAMES, REMOVE, Decisions, Override, Policy
from methods.minim.redact import Redaction

MANIFEST, SCREENSHOT = "manifest.json", "screenshot.png"
_LARGEST_PICTURE = 100_000_000


@dataclass(frozen=True)
class Manifest:
    """What was done, without any original text.

    Attributes:
        overrides: for each: element, decision, reason, locked.
        sha256: of input, output, screenshot and weights; "" where there is none.
        decisions: how many elements each decision has.
        dropped: how many elements are cut out of the file.
        tokens: "before" and "after", a quarter of the characters of each released text, rounded up.
        picture: how many places are painted over, whether by blur, and why boxes may not match; None without one.
        files: names of the files, in the folder of this one.
    """

    version: str
    format: str
    policy: dict[str, object]
    overrides: tuple[dict[str, object], ...]
    sha256: dict[str, str]
    decisions: dict[str, int]
    dropped: int
    tokens: dict[str, int]
    picture: dict[str, object] | None
    files: tuple[str, ...]

    def to_json(self) -> str:
        return json.dumps({**asdict(self), "leak_check": "passed", "id_check": "passed"}, indent=2) + "\n"


@dataclass(frozen=True)
class Export:
    """What is to be written, and what the checks say of all of it; nothing is on the disk yet.

    Attributes:
        files: by name; the picture is empty when it is not written.
    """

    observation: Observation
    manifest: Manifest
    files: Mapping[str, bytes]
    report: LeakReport

    def write(self, folder: Path) -> bool:
        """Write the files, each whole or not at all; False when all of them were there already.

        Raises:
            WorkFailed: a check has failed, the folder holds the original, or a file cannot be written.
        """
        refuse(self.report)
        return _write(folder, self.observation, self.files)


def export(
    observation: Observation,
    decisions: Decisions,
    redaction: Redaction,
    policy: Policy,
    out_dir: Path,
    *,
    overrides: Mapping[int, Override] | None = None,
    screenshot: Path | Image.Image | None = None,
    weights_sha256: str = "",
    accept_doubts: bool = False,
    blur: bool = False,
) -> Manifest:
    """:func:`prepare`, then write ``out_dir``/<name of the input>, ``screenshot.png``, ``manifest.json``.

    Raises:
        WorkFailed: something private is left, an id has changed, or a file cannot be written. Nothing is
            written while a check fails.
        BadInput: the picture cannot be read, or the file has the name of another that is written.
    """
    prepared = prepare(
        observation, decisions, redaction, policy, overrides=overrides, screenshot=screenshot,
        weights_sha256=weights_sha256, accept_doubts=accept_doubts, blur=blur,
    )  # fmt: skip
    prepared.write(Path(out_dir))
    return prepared.manifest


def prepare(
    observation: Observation,
    decisions: Decisions,
    redaction: Redaction,
    policy: Policy,
    *,
    overrides: Mapping[int, Override] | None = None,
    screenshot: Path | Image.Image | None = None,
    weights_sha256: str = "",
    accept_doubts: bool = False,
    blur: bool = False,
) -> Export:
    """Make everything that is to be written, and check it.

    Args:
        redaction: what :func:`methods.minim.redact.redact` made of these decisions.
        screenshot: painted over, unless boxes may not match it; then the manifest says why.
        accept_doubts: write the picture even so.
        blur: blur instead of painting over. Not safe.

    Raises:
        WorkFailed: a place in the picture is not covered.
        BadInput: the picture cannot be read, or the file has the name of another that is written.
    """
    name = Path(observation.name).name
    if name in ("", MANIFEST, SCREENSHOT):
        raise BadInput(f'An observation called "{name}" would be mixed up with the export.', "Rename it.")
    content = _bytes(redaction.source, name)
    png, about = b"", None
    if screenshot is not None:
        png, about = _picture(observation, decisions, redaction, screenshot, accept_doubts, blur)
    manifest = Manifest(
        version=__version__,
        format=observation.format,
        policy=policy_facts(policy),
        overrides=tuple(_override(observation, uid, o) for uid, o in sorted((overrides or {}).items())),
        sha256={
            "input": _sha256(observation.source.encode("utf-8", "surrogateescape")),
            "output": _sha256(redaction.source.encode("utf-8", "surrogateescape")),
            "screenshot": _sha256(png) if png else "",
            "weights": weights_sha256,
        },
        decisions=decisions.counts(),
        dropped=len(redaction.dropped),
        tokens=tokens(observation, decisions, redaction),
        picture=about,
        files=(name, *([SCREENSHOT] if png else []), MANIFEST),
    )
    text = manifest.to_json()
    report = check(observation, redaction, {"the manifest": text, "the name of the file": name})
    return Export(observation, manifest, {name: content, SCREENSHOT: png, MANIFEST: text.encode()}, report)


def refuse(report: LeakReport) -> None:
    """Raise WorkFailed unless both checks passed."""
    if report.leaks:
        first = report.leaks[0]
        count = len(report.leaks)
        raise WorkFailed(
            f"Nothing was exported: {count} private text{'s' * (count > 1)} would be left, the first one "
            f"{first.text_masked} in {first.where} ({first.form}).",
            "Remove that element, or decide with a reason to keep what shows it.",
        )
    if report.changed_ids:
        raise WorkFailed(
            f"Nothing was exported: the ids of elements would change ({', '.join(report.changed_ids[:3])}).",
            "Keep the element with that id, or report the file.",
        )


def tokens(observation: Observation, decisions: Decisions, redaction: Redaction) -> dict[str, int]:
    """Tokens of all texts before and of the released ones after: a quarter of the characters, rounded up."""
    before = after = 0
    for element in observation.elements:
        for index, text in enumerate(element.texts):
            if text.field == "copy":
                continue
            before += math.ceil(len(text.text) / 4)
            if decisions.codes[element.uid] != REMOVE:
                parts = redaction.replacements.get((element.uid, index), ())
                length = len(text.text) + sum(len(new) - (end - start) for start, end, new in parts)
                after += math.ceil(length / 4)
    return {"before": before, "after": after}


def policy_facts(policy: Policy) -> dict[str, object]:
    """The policy as JSON."""
    return {
        "tau_n": policy.tau_n,
        "tau_s": policy.tau_s,
        "small_page": policy.small_page,
        "remove_hidden": policy.remove_hidden,
        "operators": dict(policy.operators),
    }


def _override(observation: Observation, uid: int, override: Override) -> dict[str, object]:
    element = observation.elements[uid]
    return {
        "element": element.native_id or uid,
        "decision": NAMES[override.decision],
        "reason": override.reason,
        "locked": override.locked,
    }


def _picture(
    observation: Observation,
    decisions: Decisions,
    redaction: Redaction,
    screenshot: Path | Image.Image,
    accept_doubts: bool,
    blur: bool,
) -> tuple[bytes, dict[str, object]]:
    """The PNG (empty when there are doubts that nobody accepted), and what the manifest says about it."""
    image = screenshot if isinstance(screenshot, Image.Image) else open_picture(screenshot)
    uids = picture.masked_uids(observation, decisions, redaction)
    doubts = picture.doubts(observation, image.size, uids)
    if doubts and not accept_doubts:
        return b"", {"written": False, "masked": 0, "blur": False, "doubts": doubts}
    boxes = picture.pixel_boxes(observation, uids, image.size)
    png = picture.redact_picture(image, boxes, blur)
    if found := () if blur else picture.leaks(png, boxes):
        raise WorkFailed(f"Nothing was exported: {found[0]}", "Export without the picture.")
    return png, {"written": True, "masked": len(boxes), "blur": blur, "doubts": doubts}


def open_picture(path: Path) -> Image.Image:
    """Read a picture.

    Raises:
        BadInput: it is no picture, damaged, or larger than 100 million pixels.
    """
    path = Path(path)
    try:
        with Image.open(path) as image:
            if image.width * image.height > _LARGEST_PICTURE:
                raise BadInput(
                    f"{path.name} has {image.width} x {image.height} pixels.", "Use a smaller picture."
                )
            image.load()
            return image.copy()
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise BadInput(
            f"{path.name} cannot be read as a picture.", "Give a PNG, JPEG or WebP file."
        ) from error


def _bytes(source: str, name: str) -> bytes:
    content = source.encode("utf-8", "surrogateescape")
    return gzip.compress(content, mtime=0) if name.lower().endswith(".gz") else content


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _write(folder: Path, observation: Observation, files: Mapping[str, bytes]) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WorkFailed(f"{folder} cannot be made: {error.strerror}.", "Choose another folder.") from error
    name = Path(observation.name).name
    if _holds(folder / name, _bytes(observation.source, name)) and not _holds(folder / name, files[name]):
        raise WorkFailed(f"{name} in this folder is the original.", "Choose another folder.")
    fresh = {name: content for name, content in files.items() if content}
    fresh = {name: content for name, content in fresh.items() if not _is(folder / name, content)}
    for name, content in fresh.items():
        write_atomically(folder / name, content)
    return bool(fresh)


def _is(path: Path, content: bytes) -> bool:
    return path.is_file() and path.read_bytes() == content


def _holds(path: Path, content: bytes) -> bool:
    """Whether the file has this content, packed in whatever way."""
    if not path.is_file():
        return False
    found = path.read_bytes()
    if path.suffix.lower() != ".gz":
        return found == content
    try:
        return gzip.decompress(found) == gzip.decompress(content)
    except (OSError, EOFError, zlib.error):
        return False
