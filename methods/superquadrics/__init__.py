"""Superquadric shapes: fit, edit, measure and export objects made of a handful of superquadrics."""

from methods.core.declaration import Action, Input, Kind, Method, Paper, Sample
from methods.superquadrics.params import (
    EvaluateParams,
    FitOneParams,
    FitParams,
    MeshParams,
    RefineParams,
    SampleParams,
)

_WORK = "methods.superquadrics.actions:"
_TARGET = Input("target", "target", "the mesh or point cloud to explain")
_PARTS = Input("parts", "parts", "a parts file (.json or .npz)")
_AGAINST = Input("target", "target", "the mesh or point cloud to compare with", option=True)

METHOD = Method(
    id="superquadrics",
    title="Superquadric shapes",
    short="Shapes",
    summary="Turn a mesh or point cloud into a handful of editable superquadrics.",
    icon="mdi6.cube-outline",
    paper=Paper(
        title="DoSs: Diffusion over Superquadrics",
        venue="ICML",
        year=2026,
        link="https://arxiv.org/abs/2606.08957",
        authors="Zhiyang Liu, Wanze Li, Yuwei Wu, Chengran Yuan, Jiawei Sun, Rui Zheng, Marcelo H Ang Jr",
        theirs="The representation: translation, rotation, sizes and exponents of up to 128 parts; "
        "hidden-point removal and farthest-point sampling when a shape becomes a cloud.",
        ours="The fitters, the editor, the metrics and every export. The paper prepares its data with "
        "Marching-Primitives; here a shape is fitted to the original surface instead of a thickened one.",
        limits="Parts are convex: holes, deep hollows and freely curved surfaces need many of them. "
        "Different parameters can describe nearly the same surface.",
    ),
    kinds=(
        Kind(
            "target",
            "mesh or point cloud",
            (".obj", ".ply", ".stl", ".off", ".glb", ".xyz", ".csv", ".txt", ".pts", ".npz", ".npy"),
            load="methods.superquadrics.loading:load_target",
            sniff="methods.superquadrics.sniff:is_table",
        ),
        Kind(
            "parts",
            "superquadric parts",
            (".json", ".npz"),
            load="methods.superquadrics.formats:load",
            save="methods.superquadrics.formats:save",
            sniff="methods.superquadrics.sniff:is_parts",
        ),
        Kind("mesh", "mesh", (".glb", ".obj", ".ply", ".stl"), save="methods.superquadrics.export:save_mesh"),
        Kind(
            "points",
            "point cloud",
            (".ply", ".xyz", ".csv", ".npz"),
            save="methods.superquadrics.export:save_points",
        ),
        Kind("file", "file", ()),
    ),
    actions=(
        Action(
            "fit",
            "Fit object",
            "Explain a mesh or cloud with the fewest superquadrics.",
            _WORK + "fit",
            inputs=(_TARGET,),
            output="parts",
            params=FitParams,
            default_suffix=".json",
        ),
        Action(
            "fit-one",
            "Fit one part",
            "Fit a single superquadric to all points.",
            _WORK + "fit_one",
            inputs=(_TARGET,),
            output="parts",
            params=FitOneParams,
            default_suffix=".json",
        ),
        Action(
            "refine",
            "Refine",
            "Improve parts against a target, keeping locked ones.",
            _WORK + "refine",
            inputs=(_PARTS, _AGAINST),
            output="parts",
            params=RefineParams,
            default_suffix=".json",
        ),
        Action(
            "evaluate",
            "Evaluate",
            "Chamfer distance, F-score, IoU and coverage against a target.",
            _WORK + "evaluate",
            inputs=(_PARTS, _AGAINST),
            params=EvaluateParams,
        ),
        Action(
            "sample",
            "Sample points",
            "Exactly N points on the visible surface, with normals.",
            _WORK + "sample",
            inputs=(_PARTS,),
            output="points",
            params=SampleParams,
            default_suffix=".ply",
        ),
        Action(
            "mesh",
            "Make a mesh",
            "Watertight triangles at any resolution.",
            _WORK + "mesh",
            inputs=(_PARTS,),
            output="mesh",
            params=MeshParams,
            default_suffix=".glb",
        ),
        Action(
            "info",
            "Describe a file",
            "What a mesh, cloud or parts file holds, with size and warnings.",
            _WORK + "info",
            inputs=(Input("file", "file", "any file this method reads"),),
        ),
    ),
    samples=(
        Sample(
            "stool", "Stool", "A three-legged stool with a dished seat.", "superquadrics/stool.glb", "target"
        ),
        Sample(
            "side-table",
            "Side table",
            "A bedside table with a drawer, in millimetres.",
            "superquadrics/side_table.obj",
            "target",
        ),
        Sample("toy-plane", "Toy plane", "A wooden toy plane.", "superquadrics/toy_plane.stl", "target"),
        Sample(
            "chair-scan",
            "Chair scan",
            "A noisy one-sided scan of a chair: points only.",
            "superquadrics/chair_scan.ply",
            "target",
        ),
    ),
)
