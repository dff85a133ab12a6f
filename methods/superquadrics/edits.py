"""Edits of a shape: pure functions from one :class:`Shape` to the next.

Locked parts are never changed. A part linked to a symmetric partner takes its partner along: every edit of
geometry ends in :func:`follow_links`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from methods.core.errors import BadInput
from methods.superquadrics.model import (
    AXES,
    MAX_PARTS,
    Shape,
    Superquadric,
    matrix_to_quaternion,
    palette_color,
    quaternion_to_matrix,
)
from methods.superquadrics.rotations import multiply


def editable(shape: Shape, ids: Iterable[int]) -> tuple[int, ...]:
    """Those of ``ids`` that exist and are not locked."""
    wanted = set(ids)
    return tuple(part.id for part in shape.parts if part.id in wanted and not part.locked)


def change(shape: Shape, ids: Iterable[int], edit: Callable[[Superquadric], Superquadric]) -> Shape:
    """``edit`` applied to every unlocked part of ``ids``, their linked partners following."""
    wanted = set(editable(shape, ids))
    parts = tuple(edit(part) if part.id in wanted else part for part in shape.parts)
    return follow_links(shape.with_parts(parts), wanted)


def describe(shape: Shape, ids: Collection[int], edit: Callable[[Superquadric], Superquadric]) -> Shape:
    """Like :func:`change` for what is not geometry (name, colour, lock): locked parts too, no links."""
    return shape.with_parts(tuple(edit(part) if part.id in ids else part for part in shape.parts))


def add(shape: Shape, part: Superquadric) -> tuple[Shape, int]:
    """``part`` with a fresh id, name and colour appended; returns the shape and the new id."""
    result, (new_id,) = _append(shape, [replace(part, mirror=None)])
    return result, new_id


def append(shape: Shape, parts: Iterable[Superquadric]) -> tuple[Shape, tuple[int, ...]]:
    """Other parts added with fresh ids and unique names; their colours and places stay."""
    added = list(parts)
    result, ids = _append(shape, [replace(part, mirror=None) for part in added])
    colors = {i: part.color for i, part in zip(ids, added, strict=True)}
    return describe(result, ids, lambda part: replace(part, color=colors[part.id])), ids


def delete(shape: Shape, ids: Iterable[int]) -> Shape:
    """Without the unlocked parts of ``ids``; links to them are cut."""
    gone = set(editable(shape, ids))
    kept = (part for part in shape.parts if part.id not in gone)
    return shape.with_parts(tuple(replace(p, mirror=None) if p.mirror in gone else p for p in kept))


def duplicate(shape: Shape, ids: Collection[int]) -> tuple[Shape, tuple[int, ...]]:
    """Copies of ``ids`` at the same place; returns the shape and the ids of the copies."""
    copies = [replace(p, mirror=None, locked=False) for p in shape.parts if p.id in ids]
    return _append(shape, copies)


def mirror(
    shape: Shape, ids: Collection[int], axis: str, offset: float, link: bool
) -> tuple[Shape, tuple[int, ...]]:
    """Reflected copies of ``ids`` across the plane ``axis = offset``, linked to their originals on request."""
    sources = [p for p in shape.parts if p.id in ids]
    copies = [replace(reflect(p, axis, offset), mirror=None, locked=False) for p in sources]
    result, new_ids = _append(shape, copies)
    if link:
        for source, copy in zip(sources, new_ids, strict=True):
            result = link_pair(result, source.id, copy, axis, offset)
    return result, new_ids


def link_pair(shape: Shape, source: int, partner: int, axis: str, offset: float) -> Shape:
    """Make ``partner`` the mirror image of ``source`` and keep it so; earlier links of both are cut."""
    if source == partner:
        raise BadInput("A part cannot be its own mirror image.", "Choose two parts.")
    shape = unlink(shape, (source, partner))
    plane: dict[str, Any] = {"mirror_axis": axis, "mirror_offset": offset}
    shape = shape.replace_part(replace(shape.part(source), **plane, mirror=partner))
    shape = shape.replace_part(replace(shape.part(partner), **plane, mirror=source))
    return follow_links(shape, {source})


def unlink(shape: Shape, ids: Iterable[int]) -> Shape:
    """Cut the symmetric links of ``ids``, on both sides."""
    cut = set(ids)
    return shape.with_parts(
        tuple(replace(p, mirror=None) if p.id in cut or p.mirror in cut else p for p in shape.parts)
    )


def group(shape: Shape, ids: Collection[int], name: str) -> Shape:
    """Put ``ids`` into the group ``name``; "" takes them out of any."""
    return describe(shape, ids, lambda part: replace(part, group=name))


def reorder(shape: Shape, part_id: int, index: int) -> Shape:
    """Move one part to position ``index`` of the list."""
    others = [p for p in shape.parts if p.id != part_id]
    others.insert(min(max(index, 0), len(others)), shape.part(part_id))
    return shape.with_parts(tuple(others))


def rename(shape: Shape, part_id: int, name: str) -> Shape:
    """Give one part a name; names stay unique, so that lists and exported objects do."""
    name = name.strip()
    if not name:
        raise BadInput("A part needs a name.", "Type at least one letter.")
    taken = {p.name for p in shape.parts if p.id != part_id}
    return describe(shape, {part_id}, lambda part: replace(part, name=_unique(name, taken)))


def named(shape: Shape) -> Shape:
    """The same shape with a name for every part that has none, as lists and exported objects need."""
    taken = {part.name for part in shape.parts}
    parts = []
    for number, part in enumerate(shape.parts, start=1):
        if not part.name.strip():
            part = replace(part, name=_unique(f"part {number}", taken))
            taken.add(part.name)
        parts.append(part)
    return shape.with_parts(tuple(parts))


def translate(shape: Shape, ids: Iterable[int], vector: ArrayLike) -> Shape:
    """Move by ``vector``, in world axes and the shape's unit."""
    step = np.asarray(vector, float)
    return change(shape, ids, lambda p: replace(p, translation=_triple(np.add(p.translation, step))))


def rotate(shape: Shape, ids: Iterable[int], quaternion: ArrayLike, pivot: ArrayLike) -> Shape:
    """Turn about ``pivot`` by a unit quaternion (w, x, y, z) in world axes."""
    turn, centre = quaternion_to_matrix(quaternion), np.asarray(pivot, float)

    def edit(part: Superquadric) -> Superquadric:
        moved = centre + turn @ (np.asarray(part.translation) - centre)
        return replace(
            part,
            translation=_triple(moved),
            rotation=tuple(float(v) for v in multiply(quaternion, part.rotation)),
        )

    return change(shape, ids, edit)


def scale(
    shape: Shape, ids: Iterable[int], factors: ArrayLike, pivot: ArrayLike, local: bool = False
) -> Shape:
    """Stretch about ``pivot`` by three positive factors, along world axes or each part's own axes.

    A stretch along world axes would shear a turned part, which no superquadric can show; each of its axes
    is then stretched as much as a vector along it, and its rotation stays.
    """
    stretch, centre = np.asarray(factors, float), np.asarray(pivot, float)
    if not (np.isfinite(stretch).all() and (stretch > 0).all()):
        raise BadInput("Scale factors must be positive numbers.", "Use mirror to flip a part.")

    def edit(part: Superquadric) -> Superquadric:
        axes = part.rotation_matrix()
        if local:
            return replace(part, size=_triple(np.multiply(part.size, stretch)))
        along = np.linalg.norm(stretch[:, None] * axes, axis=0)
        moved = centre + stretch * (np.asarray(part.translation) - centre)
        return replace(part, size=_triple(np.multiply(part.size, along)), translation=_triple(moved))

    return change(shape, ids, edit)


def reflect(part: Superquadric, axis: str, offset: float) -> Superquadric:
    """The mirror image of a part across the plane ``axis = offset``, as a proper rotation again.

    A superquadric, tapered or not, is symmetric in its own x, so the reflection S R diag(-1, 1, 1) of its
    frame has determinant +1 and draws the same image as S R.
    """
    flip = np.ones(3)
    flip[AXES.index(axis)] = -1
    turned = flip[:, None] * part.rotation_matrix() * np.array([-1.0, 1.0, 1.0])
    moved = np.array(part.translation)
    moved[AXES.index(axis)] = 2 * offset - moved[AXES.index(axis)]
    return replace(
        part,
        translation=_triple(moved),
        rotation=matrix_to_quaternion(turned),
    )


def follow_links(shape: Shape, changed: Collection[int]) -> Shape:
    """Redraw the unlocked partner of every changed part as its mirror image."""
    images = {}
    for part in shape.parts:
        if part.id in changed and part.mirror is not None and part.mirror not in changed:
            images[part.mirror] = reflect(part, part.mirror_axis, part.mirror_offset)

    def edit(part: Superquadric) -> Superquadric:
        image = images.get(part.id)
        if image is None or part.locked:
            return part
        geometry = {n: getattr(image, n) for n in ("translation", "rotation", "size", "exponents", "taper")}
        return replace(part, **geometry)

    return shape.with_parts(tuple(edit(part) for part in shape.parts)) if images else shape


def _append(shape: Shape, parts: list[Superquadric]) -> tuple[Shape, tuple[int, ...]]:
    if len(shape.parts) + len(parts) > MAX_PARTS:
        raise BadInput(f"A shape holds at most {MAX_PARTS} parts.", "Delete some first.")
    taken = {p.name for p in shape.parts}
    ids = tuple(itertools.islice(itertools.count(_next_id(shape)), len(parts)))
    fresh = []
    for part_id, part in zip(ids, parts, strict=True):
        name = _unique(part.name or f"part {len(shape.parts) + len(fresh) + 1}", taken)
        taken.add(name)
        color = palette_color(len(shape.parts) + len(fresh))
        fresh.append(replace(part, id=part_id, name=name, color=color))
    return shape.with_parts((*shape.parts, *fresh)), ids


def _next_id(shape: Shape) -> int:
    return max((part.id for part in shape.parts), default=0) + 1


def _unique(name: str, taken: Collection[str]) -> str:
    if name not in taken:
        return name
    stem, _, digits = name.rpartition(" ")
    stem = stem if digits.isdigit() and stem else name
    return next(f"{stem} {i}" for i in itertools.count(2) if f"{stem} {i}" not in taken)


def _triple(values: np.ndarray) -> tuple[float, float, float]:
    x, y, z = (float(v) for v in values)
    return x, y, z
