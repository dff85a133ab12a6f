"""Superquadric geometry in the canonical frame: one implementation for numpy and torch.

Every function takes points [..., N, 3], size [..., 3], exponents [..., 2] (e1 north-south, e2 east-west) and
taper [..., 2] or None, with numpy-style broadcasting of the leading dimensions, in float32 or float64. The
points decide the library, the dtype and the device. Convention: see :mod:`methods.superquadrics.model`.

All of it rests on the gauge G = F^(e1/2), the scale at which the surface passes through the point.
The largest term is factored out of each sum and only ratios in [0, 1] are raised to a power, so that values
and torch gradients are finite for e in [0.02, 2] at every point, axes, origin and far points included.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from array_api_compat import array_namespace, is_numpy_namespace

Array = Any

MIN_EXPONENT = 0.02
"""Evaluation uses max(e, MIN_EXPONENT): sharper edges need more digits than float32 has."""
MIN_TAPER_SCALE = 1e-6
"""Cross sections are never scaled by less: beyond the taper's apex a point is far outside, yet finite."""
_TINY = 1e-30


def _prepare(
    points: Array, size: Any, exponents: Any, taper: Any
) -> tuple[Any, Array, Array, Array, Array | None]:
    xp = array_namespace(points)
    if not xp.isdtype(points.dtype, "real floating"):
        points = xp.astype(points, xp.float64)

    def like(value: Any) -> Array:
        return _like(xp, value, points)

    e = _at_least(like(exponents), MIN_EXPONENT)
    return xp, points, like(size), e, None if taper is None else like(taper)


def _like(xp: Any, value: Any, reference: Array) -> Array:
    """``value`` in the dtype and on the device of ``reference``; tensors keep their gradient."""
    if hasattr(value, "requires_grad"):
        return value.to(dtype=reference.dtype, device=reference.device)
    if is_numpy_namespace(xp):
        return np.asarray(value, dtype=reference.dtype)
    return xp.asarray(value, dtype=reference.dtype, device=reference.device)


def _at_least(a: Array, floor: float) -> Array:
    # the portable xp.clip costs ten times the operation itself on the small arrays of an edit
    return np.maximum(a, floor) if isinstance(a, (np.ndarray, np.generic)) else a.clamp(min=floor)


def _power(xp: Any, ratio: Array, exponent: Array) -> Array:
    """ratio^exponent for ratio in [0, 1]; the floor keeps the gradient at 0 finite."""
    return xp.exp(exponent * xp.log(_at_least(ratio, _TINY)))


def _join(xp: Any, a: Array, b: Array, e: Array) -> Array:
    """(a^(2/e) + b^(2/e))^(e/2) for a, b >= 0, with the larger one factored out."""
    large, small = xp.maximum(a, b), xp.minimum(a, b)
    ratio = small / _at_least(large, _TINY)
    return large * xp.exp(0.5 * e * xp.log1p(_power(xp, ratio, 2.0 / e)))


def _untaper(
    xp: Any, points: Array, size: Array, taper: Array | None
) -> tuple[Array, Array, Array, Array, Array]:
    """x, y, z before tapering, and the scales of x and y at this height."""
    x, y, z = points[..., 0], points[..., 1], points[..., 2]
    if taper is None or (is_numpy_namespace(xp) and not taper.any()):
        one = xp.ones_like(z)
        return x, y, z, one, one
    height = z / size[..., None, 2]
    scale_x = _at_least(1.0 + taper[..., None, 0] * height, MIN_TAPER_SCALE)
    scale_y = _at_least(1.0 + taper[..., None, 1] * height, MIN_TAPER_SCALE)
    return x / scale_x, y / scale_y, z, scale_x, scale_y


def _gauge_of(xp: Any, x: Array, y: Array, z: Array, size: Array, e: Array) -> Array:
    ring = _join(xp, xp.abs(x) / size[..., None, 0], xp.abs(y) / size[..., None, 1], e[..., None, 1])
    return _join(xp, ring, xp.abs(z) / size[..., None, 2], e[..., None, 0])


def gauge(points: Array, size: Any, exponents: Any, taper: Any = None) -> Array:
    """G [..., N] >= 0: below 1 inside, 1 on the surface, above 1 outside.

    Without taper G is homogeneous of degree 1, ``gauge(s p) = s gauge(p)``, and tends to
    ``max(|x|/a1, |y|/a2, |z|/a3)`` for e -> 0. Formula: Jaklic, Leonardis & Solina, ch. 2, raised to e1/2.
    """
    xp, points, size, e, taper = _prepare(points, size, exponents, taper)
    x, y, z, _, _ = _untaper(xp, points, size, taper)
    return _gauge_of(xp, x, y, z, size, e)


def inside_outside(points: Array, size: Any, exponents: Any, taper: Any = None) -> Array:
    """Classical inside-outside function F = G^(2/e1) [..., N].

    F grows like the (2/e1)-th power of the distance, so far from boxy parts it saturates near the largest
    number of the dtype; prefer :func:`gauge`, which does not.
    """
    xp, points, size, e, taper = _prepare(points, size, exponents, taper)
    x, y, z, _, _ = _untaper(xp, points, size, taper)
    g = _gauge_of(xp, x, y, z, size, e)
    highest = math.log(float(xp.finfo(points.dtype).max)) - 1.0
    logarithm = (2.0 / e[..., None, 0]) * xp.log(_at_least(g, _TINY))
    return xp.where(g > 0, xp.exp(xp.clip(logarithm, max=highest)), xp.zeros_like(g))


def radial_distance(points: Array, size: Any, exponents: Any, taper: Any = None) -> Array:
    """Signed distance [..., N] to the surface along the ray from the centre, negative inside.

    ``|p| (1 - 1/G)`` (Gross & Boult 1988). With taper the ray is straight in the untapered frame and the
    distance is measured in the tapered one, so ``|d|`` is always the distance to some point of the surface:
    an upper bound of the true distance, up to 20 times it on thin plates. At the centre: ``-min(size)``.
    """
    xp, points, size, e, taper = _prepare(points, size, exponents, taper)
    x, y, z, _, _ = _untaper(xp, points, size, taper)
    g = _gauge_of(xp, x, y, z, size, e)
    centre = g <= _TINY
    g = xp.where(centre, xp.ones_like(g), g)
    if taper is not None:
        # with s = 1/G, p - T(s q) = (1 - s) (q_x (1 + (1 + s) kx q_z/a3), q_y (...), q_z): smooth where G = 1
        height = (z + z / g) / size[..., None, 2]
        x = x * (1.0 + taper[..., None, 0] * height)
        y = y * (1.0 + taper[..., None, 1] * height)
    lowest = xp.min(size, axis=-1)[..., None] + xp.zeros_like(g)
    return xp.where(centre, -lowest, (g - 1.0) * (_length(xp, x, y, z) / g))


def _length(xp: Any, x: Array, y: Array, z: Array) -> Array:
    """Euclidean length with a finite gradient at 0 and no overflow of the squares."""
    largest = _at_least(xp.maximum(xp.maximum(xp.abs(x), xp.abs(y)), xp.abs(z)), _TINY)
    x, y, z = x / largest, y / largest, z / largest
    return largest * xp.sqrt(_at_least(x * x + y * y + z * z, _TINY))


def _gradient(
    xp: Any, points: Array, size: Array, e: Array, taper: Array | None
) -> tuple[Array, Array, Array, Array]:
    """G and its gradient by the point, times min(size) so that it stays near 1 for every unit."""
    x, y, z, scale_x, scale_y = _untaper(xp, points, size, taper)
    a1, a2, a3 = size[..., None, 0], size[..., None, 1], size[..., None, 2]
    e1, e2 = e[..., None, 0], e[..., None, 1]
    u, v, w = xp.abs(x) / a1, xp.abs(y) / a2, xp.abs(z) / a3
    ring = _join(xp, u, v, e2)
    g = _join(xp, ring, w, e1)
    safe_ring, safe_g = _at_least(ring, _TINY), _at_least(g, _TINY)
    unit = xp.min(size, axis=-1)[..., None]
    by_ring = _power(xp, ring / safe_g, 2.0 / e1 - 1.0)
    gx = xp.sign(x) * by_ring * _power(xp, u / safe_ring, 2.0 / e2 - 1.0) * (unit / a1)
    gy = xp.sign(y) * by_ring * _power(xp, v / safe_ring, 2.0 / e2 - 1.0) * (unit / a2)
    gz = xp.sign(z) * _power(xp, w / safe_g, 2.0 / e1 - 1.0) * (unit / a3)
    if taper is not None:
        gx, gy = gx / scale_x, gy / scale_y
        gz = gz - (gx * x * taper[..., None, 0] + gy * y * taper[..., None, 1]) / a3
    return g, gx, gy, gz


def project(points: Array, size: Any, exponents: Any, taper: Any = None) -> Array:
    """Surface points [..., N, 3] on the rays of :func:`radial_distance`; the north pole for the centre."""
    xp, points, size, e, taper = _prepare(points, size, exponents, taper)
    x, y, z, _, _ = _untaper(xp, points, size, taper)
    g = _gauge_of(xp, x, y, z, size, e)
    centre = g <= _TINY
    g = xp.where(centre, xp.ones_like(g), g)
    x, y, z = x / g, y / g, xp.where(centre, size[..., None, 2] + xp.zeros_like(g), z / g)
    if taper is not None:
        height = z / size[..., None, 2]
        x = x * (1.0 + taper[..., None, 0] * height)
        y = y * (1.0 + taper[..., None, 1] * height)
    return xp.stack([x, y, z], axis=-1)


def first_order_distance(points: Array, size: Any, exponents: Any, taper: Any = None) -> Array:
    """Signed first-order distance (G - 1) / |grad G| [..., N] (Taubin 1991), negative inside.

    Exact on the axes and, for boxes, beside their faces; good near the surface also of thin parts, where
    :func:`radial_distance` is not. At the centre, where G has no gradient, it is ``-min(size)``.
    """
    xp, points, size, e, taper = _prepare(points, size, exponents, taper)
    g, gx, gy, gz = _gradient(xp, points, size, e, taper)
    lowest = xp.min(size, axis=-1)[..., None] + xp.zeros_like(g)
    slope = _length(xp, gx, gy, gz)
    centre = g <= _TINY
    distance = lowest * (g - 1.0) / xp.where(centre, xp.ones_like(slope), slope)
    return xp.where(centre, -lowest, distance)


def normals(points: Array, size: Any, exponents: Any, taper: Any = None) -> Array:
    """Outward unit normals [..., N, 3]: the direction of grad G at points on, or near, the surface.

    On an edge the mean of both sides; at the centre, where none exists, +z.
    """
    xp, points, size, e, taper = _prepare(points, size, exponents, taper)
    g, gx, gy, gz = _gradient(xp, points, size, e, taper)
    length = _length(xp, gx, gy, gz)
    centre = g <= _TINY
    length = xp.where(centre, xp.ones_like(length), length)
    gz = xp.where(centre, xp.ones_like(gz), gz)
    return xp.stack([gx / length, gy / length, gz / length], axis=-1)


def volume(size: Any, exponents: Any, taper: Any = None) -> Array:
    """Volume [...] in closed form, tapered parts included; numpy unless ``size`` is a torch tensor.

    Untapered: ``V0 = 2 a1 a2 a3 e1 e2 B(e1/2 + 1, e1) B(e2/2, e2/2)`` (Jaklic & Solina 2003).
    Taper scales the section at height t = z/a3 by (1 + kx t)(1 + ky t). Odd powers of t cancel, so
    ``V = V0 (1 + kx ky <t^2>)``, and putting s = t^(2/e1) in the section's area (1 - t^(2/e1))^e1 gives
    ``<t^2> = B(3 e1/2, e1 + 1) / B(e1/2, e1 + 1)``.
    """
    if not hasattr(size, "dtype"):
        size = np.asarray(size, dtype=np.float64)
    xp = array_namespace(size)
    e = _at_least(_like(xp, exponents, size), MIN_EXPONENT)
    e1, e2 = e[..., 0], e[..., 1]

    def log_beta(a: Array, b: Array) -> Array:
        return _log_gamma(xp, a) + _log_gamma(xp, b) - _log_gamma(xp, a + b)

    meridian = xp.exp(log_beta(0.5 * e1 + 1.0, e1))
    equator = xp.exp(log_beta(0.5 * e2, 0.5 * e2))
    result = 2.0 * e1 * e2 * meridian * equator * size[..., 0] * size[..., 1] * size[..., 2]
    if taper is None:
        return result
    taper = _like(xp, taper, size)
    second_moment = xp.exp(log_beta(1.5 * e1, e1 + 1.0) - log_beta(0.5 * e1, e1 + 1.0))
    return result * (1.0 + taper[..., 0] * taper[..., 1] * second_moment)


_lgamma = np.frompyfunc(math.lgamma, 1, 1)


def _log_gamma(xp: Any, x: Array) -> Array:
    if is_numpy_namespace(xp):
        return np.asarray(_lgamma(x), dtype=x.dtype)
    return xp.lgamma(x)


def support(directions: Array, size: Any, exponents: Any, taper: Any = None) -> Array:
    """Reach h(d) = max over the solid of d . p [..., N] in directions [..., N, 3] of any length.

    The untapered solid is the unit ball of a nested p-norm, p = 2/e, so its reach is the dual norm: the gauge
    with exponents 2 - e. A tapered solid is searched over 513 heights. At most 1e-4 of the true reach too low
    and 1e-3 too high.
    """
    xp, d, size, e, taper = _prepare(directions, size, exponents, taper)
    dual = _at_least(2.0 - e, 1e-3)  # 0 would be the plain maximum
    x, y, z = (xp.abs(d[..., i]) * size[..., None, i] for i in range(3))
    if taper is None or not bool(xp.any(taper != 0)):
        return _join(xp, _join(xp, x, y, dual[..., None, 1]), z, dual[..., None, 0])
    u = xp.linspace(-1.0, 1.0, 513, dtype=d.dtype)
    t = _like(xp, xp.sin(0.5 * math.pi * u * xp.abs(u)), d)  # dense at the ends and at the ridge t = 0
    e1 = e[..., None, None, 0]
    ring = xp.exp(0.5 * e1 * xp.log(_at_least(1.0 - _power(xp, xp.abs(t), 2.0 / e1), _TINY)))
    scale_x, scale_y = (1.0 + taper[..., None, None, i] * t for i in range(2))
    reach = ring * _join(xp, x[..., None] * scale_x, y[..., None] * scale_y, dual[..., None, None, 1])
    return xp.max(reach + d[..., 2, None] * size[..., None, None, 2] * t, axis=-1)


def world_gauge(points: Array, parameters: Any) -> Array:
    """G [K, N] of world points [N, 3] under K parts (:class:`~methods.superquadrics.model.Parameters`)."""
    xp = array_namespace(points)
    translation = _like(xp, parameters.translation, points)
    rotation = _like(xp, parameters.rotation, points)
    local = (points[None, :, :] - translation[:, None, :]) @ rotation
    return gauge(local, parameters.size, parameters.exponents, parameters.taper)
