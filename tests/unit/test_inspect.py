"""The inspector: what is in a file, figures of its tensors, and refusals in words."""

import io
import json
import math
import pickletools
import struct
import zipfile

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import save_file

from methods.core import checkpoints
from methods.core.errors import BadInput
from methods.core.inspect import describe, inspect, lines, statistics
from methods.core.inspect.gguf_file import read_header, values
from tests.unit import monica_tiny as tiny


def text(value):
    raw = value.encode()
    return struct.pack("<Q", len(raw)) + raw


def gguf(entries=(), tensors=(), *, version=3, counts=None, data=b"\0" * 4096):
    """A GGUF file from raw (key, kind, bytes) entries and (name, shape, kind, offset) tensors."""
    n_tensors, n_entries = counts or (len(tensors), len(entries))
    out = b"GGUF" + struct.pack("<IQQ", version, n_tensors, n_entries)
    for key, kind, raw in entries:
        out += text(key) + struct.pack("<I", kind) + raw
    for name, shape, kind, offset in tensors:
        out += text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, offset)
    return out + b"\0" * (-len(out) % 32) + data


NAMED = ("general.architecture", 8, text("llama"))


def test_a_gguf_file_shows_what_it_holds(tmp_path):
    path = tmp_path / "a.gguf"
    numbers = struct.pack("<IQ3f", 6, 3, 1, 2, 3)
    words = struct.pack("<IQ", 8, 2) + text("ab") + text("cd")
    path.write_bytes(
        gguf([NAMED, ("n", 4, struct.pack("<I", 7)), ("list", 9, numbers), ("words", 9, words)],
             [("blk.0.attn_q.weight", (64, 2), 0, 0), ("q", (32,), 8, 512)])
    )  # fmt: skip
    found = inspect(path)
    assert found.format == "GGUF 3" and not found.refusal
    assert [(t.name, t.dtype, t.shape, t.bytes) for t in found.tensors] == [
        ("blk.0.attn_q.weight", "F32", (2, 64), 512),
        ("q", "Q8_0", (32,), 34),
    ]
    assert found.metadata["n"] == "7" and found.metadata["words"] == "2 values: ab, cd"
    assert found.fits == "a language model of the architecture llama, 1 layers"
    assert read_header(path).metadata["list"].tolist() == [1, 2, 3]


HUGE = 2**62


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (gguf(version=1), "version 1"),
        (gguf(version=3 << 24), "big-endian"),
        (gguf(counts=(0, HUGE)), "entries"),
        (gguf(counts=(HUGE, 0)), "tensors"),
        (gguf(counts=(60_000, 0)), "tensors"),
        (gguf([("k", 8, struct.pack("<Q", HUGE))]), "too early"),
        (gguf([("k", 99, b"")]), "kind 99"),
        (gguf([("k", 9, struct.pack("<IQ", 4, HUGE))]), "numbers"),
        (gguf([("k", 9, struct.pack("<IQ", 8, HUGE))]), "entries"),
        (gguf([("k", 9, struct.pack("<IQ", 9, 1) * 5)]), "kind 9"),
        (gguf([NAMED, NAMED]), "twice"),
        (gguf([("general.alignment", 4, struct.pack("<I", 0))]), "alignment"),
        (gguf([("general.alignment", 8, text("wide"))]), "alignment"),
        (gguf(tensors=[("w", (4,), 0, 0), ("w", (4,), 0, 32)]), "twice"),
        (gguf(tensors=[("w", (4,), 77, 0)]), "unknown type 77"),
        (gguf(tensors=[("w", (33,), 8, 0)]), "shape"),
        (gguf(tensors=[("w", (HUGE, HUGE), 0, 0)]), "shape"),
        (gguf(tensors=[("w", (0,), 0, 0)]), "shape"),
        (gguf(tensors=[("w", (4,), 0, 5)]), "unaligned"),
        (gguf(tensors=[("w", (1,) * 5, 0, 0)]), "dimensions"),
        (
            gguf([("\xff" * 3, 4, b"\0\0\0\0")]).replace("\xff".encode() * 3, b"\xff\xfe\xfd\xfc\xfb\xfa"),
            "decode",
        ),
    ],
)
def test_gguf_headers_that_lie_are_refused(tmp_path, content, words):
    path = tmp_path / "a.gguf"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=words):
        inspect(path)


def test_offsets_behind_the_end_are_a_refusal_with_the_list_still_shown(tmp_path):
    path = tmp_path / "a.gguf"
    path.write_bytes(gguf(tensors=[("w", (4,), 0, HUGE), ("v", (4,), 0, 0)]))
    found = inspect(path)
    assert "cut off" in found.refusal and len(found.tensors) == 2
    with pytest.raises(BadInput, match="cut off"):
        statistics(path, "w")
    assert statistics(path, "v").zeros == 4
    with pytest.raises(BadInput, match="cut off"):
        checkpoints.inspect(path)


def test_every_cut_of_a_gguf_file_is_told(tmp_path):
    data = gguf([NAMED], [("w", (32, 4), 8, 0)], data=b"\0" * 136)
    path = tmp_path / "a.gguf"
    for size in range(len(data)):
        path.write_bytes(data[:size])
        with pytest.raises(BadInput):
            checkpoints.inspect(path)
    path.write_bytes(data)
    assert not inspect(path).refusal


@settings(max_examples=200, deadline=None)
@given(junk=st.binary(max_size=300))
def test_junk_behind_the_magic_is_a_header_or_a_refusal(tmp_path_factory, junk):
    path = tmp_path_factory.getbasetemp() / "junk.gguf"
    path.write_bytes(b"GGUF" + junk)
    try:
        inspect(path)
    except BadInput as error:
        assert "\n" not in str(error) and len(str(error)) < 400


@pytest.mark.parametrize(
    ("start", "words"),
    [
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 12\n", "Git LFS pointer"),
        (b"<!DOCTYPE html><html></html>", "web page"),
        (b"\x89HDF\r\n\x1a\n" + b"\0" * 90, "HDF5"),
        (b"\x1f\x8b" + b"\0" * 90, "gzip"),
        (b"tjgg" + b"\0" * 90, "before GGUF"),
        (b"", "empty"),
    ],
)
@pytest.mark.parametrize("suffix", [".safetensors", ".gguf", ".pt", ".npz"])
def test_what_a_file_really_is_is_said(tmp_path, start, words, suffix):
    path = tmp_path / f"model{suffix}"
    path.write_bytes(start)
    with pytest.raises(BadInput, match=words):
        inspect(path)


class Evil:
    def __init__(self, marker):
        self.marker = marker

    def __reduce__(self):
        return (open, (self.marker, "w"))


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("suffix", [".pt", ".bin"])
def test_a_pickle_with_code_is_read_but_never_run(tmp_path, old, suffix):
    marker, path = tmp_path / "ran", tmp_path / f"evil{suffix}"
    torch.save({"w": torch.ones(2), "x": Evil(str(marker))}, path, _use_new_zipfile_serialization=not old)
    found = inspect(path)
    assert ("cannot be opened safely" in found.refusal and "io.open" in found.refusal) and found.remedy
    for careless in (lambda: statistics(path, "w"), lambda: checkpoints.describe(path)):
        with pytest.raises(BadInput):
            careless()
    assert not marker.exists()


def test_plain_checkpoints_are_not_suspected(tmp_path):
    layer = torch.nn.Linear(3, 2)
    optimiser = torch.optim.Adam(layer.parameters())
    layer(torch.ones(1, 3)).sum().backward()
    optimiser.step()
    for old in (False, True):
        torch.save(
            {"model": layer.state_dict(), "optimiser": optimiser.state_dict(), "epoch": 3},
            tmp_path / "a.ckpt",
            _use_new_zipfile_serialization=not old,
        )
        found = inspect(tmp_path / "a.ckpt")
        assert (
            not found.refusal and found.tensors[0].name == "model.weight" and found.tensors[0].shape == (2, 3)
        )
        assert statistics(tmp_path / "a.ckpt", "model.weight").finite == 6


def test_a_pickle_that_cannot_be_disassembled_is_refused_too(tmp_path):
    torch.save({"w": torch.ones(2)}, tmp_path / "a.pt")
    with zipfile.ZipFile(tmp_path / "a.pt") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for name in members:
        if name.endswith("data.pkl"):
            members[name] = members[name][:20]
            with pytest.raises(ValueError):
                list(pickletools.genops(members[name]))
    with zipfile.ZipFile(tmp_path / "b.pt", "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    with pytest.raises(BadInput, match="safely"):
        inspect(tmp_path / "b.pt")


def test_arrays_of_objects_are_refused(tmp_path):
    np.savez(tmp_path / "a.npz", w=np.array([{}, None], object), v=np.ones(2))
    found = inspect(tmp_path / "a.npz")
    assert "Python objects (w)" in found.refusal and len(found.tensors) == 2
    with pytest.raises(BadInput, match="cannot be shown"):
        statistics(tmp_path / "a.npz", "w")


NUMBERS = np.array([-2.0, -1.0, 0.0, 0.0, 1.0, 2.0, 4.0, np.nan, np.inf], np.float32)


def check(found):
    finite = NUMBERS[:7]
    assert (found.finite, found.unfinite, found.zeros) == (7, 2, 2)
    assert (found.minimum, found.maximum) == (-2, 4)
    assert found.mean == pytest.approx(4 / 7) and found.std == pytest.approx(finite.std())
    assert found.counts.tolist() == [2, 3, 2] and found.edges.tolist() == [-2, 0, 2, 4]


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "float64"])
def test_figures_of_safetensors_and_torch_files(tmp_path, dtype):
    tensor = torch.from_numpy(NUMBERS).to(getattr(torch, dtype)).reshape(3, 3)
    save_file({"w": tensor}, tmp_path / "a.safetensors")
    torch.save({"w": tensor}, tmp_path / "a.pt")
    for name in ("a.safetensors", "a.pt"):
        check(statistics(tmp_path / name, "w", 3))


def test_figures_of_numpy_eight_bit_and_integer_tensors(tmp_path):
    np.savez_compressed(tmp_path / "a.npz", w=NUMBERS.reshape(3, 3))
    check(statistics(tmp_path / "a.npz", "w", 3))
    eight = torch.tensor([1.0, -0.5, 0.0]).to(torch.float8_e4m3fn)
    save_file(
        {"f": eight, "b": torch.tensor([True, False]), "i": torch.arange(-2, 3)}, tmp_path / "a.safetensors"
    )
    found = statistics(tmp_path / "a.safetensors", "f", 2)
    assert (found.minimum, found.maximum) == (-0.5, 1) and found.mean == pytest.approx(1 / 6)
    assert statistics(tmp_path / "a.safetensors", "b").mean == 0.5
    assert statistics(tmp_path / "a.safetensors", "i", 5).counts.tolist() == [1] * 5


def test_figures_of_nothing_one_value_and_nan(tmp_path):
    save_file(
        {"empty": torch.zeros(0, 3), "one": torch.full((4,), 2.5), "nan": torch.full((2,), math.nan)},
        tmp_path / "a.safetensors",
    )
    assert statistics(tmp_path / "a.safetensors", "empty").finite == 0
    assert statistics(tmp_path / "a.safetensors", "one").counts.sum() == 4
    found = statistics(tmp_path / "a.safetensors", "nan", 8)
    assert found.unfinite == 2 and math.isnan(found.mean) and found.counts.tolist() == [0] * 8
    with pytest.raises(BadInput, match="no tensor"):
        statistics(tmp_path / "a.safetensors", "absent")


def test_pieces_join_without_seams(tmp_path, monkeypatch):
    from methods.core.inspect import gguf_file, numpy_file, safetensors_file, torch_file

    for module in (gguf_file, numpy_file, safetensors_file, torch_file):
        monkeypatch.setattr(module, "CHUNK", 64)
    w = np.sin(np.arange(1000)).astype(np.float32)
    np.savez(tmp_path / "a.npz", w=w)
    save_file({"w": torch.from_numpy(w)}, tmp_path / "a.safetensors")
    torch.save({"w": torch.from_numpy(w)}, tmp_path / "a.pt")
    expected = np.histogram(w.astype(float), 16)[0].tolist()
    for name in ("a.npz", "a.safetensors", "a.pt"):
        found = statistics(tmp_path / name, "w", 16)
        assert found.counts.tolist() == expected and found.std == pytest.approx(w.std(), rel=1e-5)
    with pytest.raises(KeyboardInterrupt):
        statistics(tmp_path / "a.npz", "w", check=lambda: (_ for _ in ()).throw(KeyboardInterrupt))


@pytest.mark.parametrize(
    "kind", ["F16", "Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q4_K", "Q5_K", "Q6_K", "Q2_K", "Q3_K"]
)
def test_quantised_values_come_near_what_went_in(tmp_path, kind):
    """K-quants are only de-quantised by the library; a block of zero bytes is a block of zeros."""
    from gguf import GGMLQuantizationType
    from gguf.constants import GGML_QUANT_SIZES
    from gguf.quants import quantize

    number = GGMLQuantizationType[kind]
    block, size = GGML_QUANT_SIZES[number]
    wave = np.sin(np.arange(512)).astype(np.float32)
    try:
        raw, expected = quantize(wave, number).tobytes(), wave
    except NotImplementedError:
        raw, expected = bytes(512 // block * size), np.zeros(512)
    path = tmp_path / "a.gguf"
    path.write_bytes(gguf(tensors=[("w", (512,), int(number), 0)], data=raw))
    header = read_header(path)
    assert np.abs(values(path, header.tensors[0]) - expected).max() < 0.13


def test_folders(tmp_path):
    folder = tiny.folder(tmp_path / "m")
    found = inspect(folder)
    assert found.fits == "a Llama-like language model, 3 layers (llama)" and len(found.tensors) == 29
    (folder / "extra.py").write_text("raise SystemExit")
    assert "extra.py" in inspect(folder).warnings[0]
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(b"x")
    assert "pytorch_model.bin" in inspect(folder).refusal
    (folder / "pytorch_model.bin").unlink()
    with pytest.raises(BadInput, match="no weights"):
        inspect(folder)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("base.layers.0.q.lora_A.weight", "LoRA"),
        ("transformer.h.11.attn.c_attn.weight", "GPT-2-like language model, 12 layers"),
        ("bert.encoder.layer.0.attention.self.query.weight", "BERT"),
        ("layer1.0.conv1.weight", "ResNet"),
        ("something.else", ""),
    ],
)
def test_kinds_of_models_by_their_names(tmp_path, name, words):
    save_file({name: torch.ones(2)}, tmp_path / "a.safetensors")
    fits = inspect(tmp_path / "a.safetensors").fits
    assert words in fits if words else fits == ""


def test_our_own_files_name_their_method(tmp_path):
    path = tmp_path / "a.safetensors"
    checkpoints.save(path, {"w": torch.ones(2)}, checkpoints.Header("demo", 1))
    assert inspect(path).fits == "the method demo of this program (format 1)"
    said = "\n".join(lines(describe(path)))
    assert "F32" in said and "demo" in said
    save_file({"w": torch.ones(2)}, path, {"studiolo": json.dumps({"method": 3, "format_version": 1})})
    with pytest.raises(BadInput, match="our header"):
        inspect(path)


def test_lines_carry_no_control_characters(tmp_path):
    save_file({"a\x1b[31m\nb": torch.ones(2)}, tmp_path / "a.safetensors", {"k": "v\x1b]0;x\x07\n"})
    said = lines(describe(tmp_path / "a.safetensors"))
    assert not any(ord(c) < 32 for line in said for c in line)


def test_a_zip_bomb_costs_nothing(tmp_path):
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "<f8", "fortran_order": False, "shape": (10**11,)})
    with zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("w.npy", head.getvalue() + bytes(1000))
    assert inspect(tmp_path / "a.npz").tensors[0].bytes == 8 * 10**11
    with pytest.raises(BadInput, match="too early"):
        statistics(tmp_path / "a.npz", "w")


def test_repeated_tensors_are_not_unrolled(tmp_path):
    torch.save({"w": torch.ones(1).expand(10**12)}, tmp_path / "a.pt")
    assert inspect(tmp_path / "a.pt").tensors[0].shape == (10**12,)
    with pytest.raises(BadInput, match="repeats"):
        statistics(tmp_path / "a.pt", "w")
