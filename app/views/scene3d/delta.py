"""What a transform in the view asks its owner to do. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

KINDS = ("translate", "rotate", "scale")


@dataclass(frozen=True)
class Delta:
    """The whole change since the transform began, in world coordinates.

    Attributes:
        translation: vector, for ``translate``.
        rotation: unit quaternion (w, x, y, z) about ``pivot``, for ``rotate``.
        scale: factors about ``pivot``, along world axes or each object's own when ``local``, for ``scale``.
        text: the same in words, such as ``"dz −0.034 m"``.
    """

    kind: str
    pivot: tuple[float, float, float]
    translation: tuple[float, float, float] = (0.0, 0.0, 0.0)
    rotation: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    local: bool = False
    text: str = ""
