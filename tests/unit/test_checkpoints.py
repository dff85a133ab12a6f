"""Weights files: ours round-trip, strangers are looked into, damaged ones are told."""

import json
import struct

import numpy as np
import pytest

from methods.core.checkpoints import Header, describe, histogram, inspect, load, read_header, save
from methods.core.errors import BadInput

HEADER = Header("demo", 1, {"width": 8}, {"data": "made up"}, {"accuracy": 0.5})


@pytest.fixture
def ours(tmp_path):
    import torch

    path = tmp_path / "ours.safetensors"
    save(path, {"a.weight": torch.arange(12.0).reshape(3, 4), "b": torch.zeros(2, dtype=torch.int64)}, HEADER)
    return path


def test_ours_round_trip(ours):
    tensors, header = load(ours, "demo", 1)
    assert header == HEADER
    assert tensors["a.weight"].tolist() == np.arange(12.0).reshape(3, 4).tolist()
    assert read_header(ours) == HEADER


def test_another_method_or_a_newer_format_is_refused(ours):
    with pytest.raises(BadInput, match="demo"):
        load(ours, "other", 1)
    with pytest.raises(BadInput, match="format 1"):
        load(ours, "demo", 0)


def test_any_safetensors_file_can_be_looked_into(ours, tmp_path):
    import torch
    from safetensors.torch import save_file

    stranger = tmp_path / "stranger.safetensors"
    save_file({"x": torch.ones(5)}, stranger)
    assert inspect(stranger).header is None
    with pytest.raises(BadInput):
        read_header(stranger)
    facts = describe(ours)
    shapes = {tensor["name"]: tensor["shape"] for tensor in facts["tensors"]}
    assert facts["parameters"] == 14 and shapes == {"a.weight": [3, 4], "b": [2]}
    counts, edges = histogram(ours, "a.weight", 4)
    assert counts.sum() == 12 and len(edges) == 5


def test_torch_and_numpy_files(tmp_path):
    import torch

    torch.save({"state": {"w": torch.ones(2, 2)}, "list": [torch.zeros(3)]}, tmp_path / "a.pt")
    assert [t.name for t in inspect(tmp_path / "a.pt").tensors] == ["state.w", "list.0"]
    np.savez(tmp_path / "a.npz", w=np.zeros((4, 5), np.float32))
    assert inspect(tmp_path / "a.npz").tensors[0].shape == (4, 5)


class Evil:
    def __reduce__(self):
        return (print, ("executed",))


def test_a_malicious_torch_file_is_refused_and_not_run(tmp_path, capsys):
    import torch

    torch.save(Evil(), tmp_path / "evil.pt")
    with pytest.raises(BadInput, match="safely"):
        inspect(tmp_path / "evil.pt")
    assert "executed" not in capsys.readouterr().out


@pytest.mark.parametrize("suffix", [".safetensors", ".pt", ".npz"])
def test_every_cut_of_a_file_is_told(ours, tmp_path, suffix):
    import torch

    source = ours
    if suffix == ".pt":
        source = tmp_path / "s.pt"
        torch.save({"w": torch.ones(4)}, source)
    elif suffix == ".npz":
        source = tmp_path / "s.npz"
        np.savez(source, w=np.ones(4))
    data = source.read_bytes()
    for size in {0, 1, 7, 8, 9, len(data) // 3, len(data) // 2, len(data) - 1}:
        cut = tmp_path / f"cut{suffix}"
        cut.write_bytes(data[:size])
        with pytest.raises(BadInput):
            inspect(cut)


@pytest.mark.parametrize(
    "entry",
    [
        {"dtype": "F32", "shape": [2], "data_offsets": [0, 999]},
        {"dtype": "F32", "shape": [3], "data_offsets": [0, 8]},
        {"dtype": "F32", "shape": [-2], "data_offsets": [0, 8]},
        {"dtype": "F32", "shape": "two", "data_offsets": [0, 8]},
        {"dtype": "F32"},
        [],
    ],
)
def test_headers_that_lie_are_refused(tmp_path, entry):
    header = json.dumps({"w": entry}).encode()
    path = tmp_path / "lie.safetensors"
    path.write_bytes(struct.pack("<Q", len(header)) + header + b"\0" * 8)
    with pytest.raises(BadInput):
        inspect(path)


def test_other_files_and_absent_ones(tmp_path):
    (tmp_path / "a.txt").write_text("x")
    for name in ("a.txt", "absent.pt"):
        with pytest.raises(BadInput):
            inspect(tmp_path / name)
