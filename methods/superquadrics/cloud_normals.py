"""Normals of a point cloud: planes through neighbours, turned to agree and to point outwards.

Source: Hoppe, DeRose, Duchamp, McDonald & Stuetzle 1992, Surface reconstruction from unorganized points.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

NEIGHBOURS = 16
_LINKS = 10


def estimate_normals(points: Floats, cloud: Any) -> Floats:
    """Unit normals [N, 3] at points [N, 3] from their neighbours in ``cloud`` (a scipy cKDTree).

    The sign is carried along a minimum spanning tree that avoids sharp turns; each connected piece is then
    turned so that most of it faces away from the piece's middle.
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import breadth_first_order, connected_components, minimum_spanning_tree
    from scipy.spatial import cKDTree

    count = len(points)
    if cloud.n < 3:
        return np.tile([0.0, 0.0, 1.0], (count, 1))
    _, near = cloud.query(points, k=min(NEIGHBOURS, cloud.n))
    neighbours = np.asarray(cloud.data)[near]
    neighbours = neighbours - neighbours.mean(axis=1, keepdims=True)
    normals = np.linalg.eigh(np.einsum("nki,nkj->nij", neighbours, neighbours))[1][:, :, 0]
    if count < 2:
        return normals

    links = min(_LINKS + 1, count)
    _, other = cKDTree(points).query(points, k=links)
    row, column = np.repeat(np.arange(count), links - 1), other[:, 1:].reshape(-1)
    row, column = np.minimum(row, column), np.maximum(row, column)
    pairs = np.unique(row * count + column)
    row, column = pairs // count, pairs % count
    keep = row != column
    row, column = row[keep], column[keep]
    turn = 1.0 - np.abs(np.einsum("ij,ij->i", normals[row], normals[column]))
    graph = coo_matrix((turn + 1e-6, (row, column)), shape=(count, count)).tocsr()  # weight 0 means no link
    tree = minimum_spanning_tree(graph)
    pieces, piece = connected_components(tree, directed=False)
    middle = np.stack([np.bincount(piece, points[:, i], pieces) for i in range(3)], axis=1)
    middle /= np.bincount(piece, minlength=pieces)[:, None]
    sign = np.ones(count)
    for start in np.unique(piece, return_index=True)[1]:
        order, parent = breadth_first_order(tree, start, directed=False)
        if len(order) == 1:
            continue
        agree = np.einsum("ij,ij->i", normals[order[1:]], normals[parent[order[1:]]]) >= 0
        for node, same in zip(order[1:].tolist(), agree.tolist(), strict=True):
            sign[node] = sign[parent[node]] if same else -sign[parent[node]]
    normals = normals * sign[:, None]
    outward = np.einsum("ij,ij->i", normals, points - middle[piece])
    inwards = np.bincount(piece, outward, pieces) < 0
    normals[inwards[piece]] *= -1.0
    return normals
