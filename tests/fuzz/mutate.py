"""Seeded damage to files: the same seed and number always give the same bytes."""

from __future__ import annotations

import io
import json
import re
import struct
import zipfile
from collections.abc import Callable

import numpy as np

Random = np.random.Generator

NUMBER = re.compile(rb"[-+]?\d[\d.]*(?:[eE][-+]?\d+)?")
NASTY_NUMBERS = (
    b"0", b"-1", b"1", b"2", b"255", b"65535", b"65536", b"2147483647", b"2147483648", b"-2147483648",
    b"4294967295", b"99999999999", b"9223372036854775807", b"18446744073709551616", b"1e308", b"1e309",
    b"-1e308", b"1e-320", b"nan", b"-nan", b"inf", b"-inf", b"1.#QNAN", b"0x10", b"1_0", b"1,5", b"", b"x",
    b"1e", b"--1", b"0.1.2", b"9" * 400, b"/", b"1/0/0", b"\xff", b"\0", b"1e30", b"1e31", b"1e-40",
)  # fmt: skip
NASTY_INTEGERS = (
    0,
    1,
    2,
    3,
    127,
    128,
    255,
    256,
    32767,
    65535,
    2**31 - 1,
    2**31,
    2**32 - 1,
    2**63 - 1,
    2**64 - 1,
)
NASTY_FLOATS = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1e38, -1e38, 1e-45, 3.4e38, 1e20)
WORDS = (
    b"\n", b"\r", b"\r\n", b" ", b"\t", b"\\\n", b"#", b"f ", b"v ", b"vn ", b"o a\n", b"g\n", b"element ",
    b"property list uchar int vertex_indices\n", b"end_header\n", b"solid ", b"endsolid\n", b"facet ", 
    b"OFF\n", b"COFF\n", b"ply\n", b"format ascii 1.0\n",
    b"nan ", b",", b";", b'"', b"{", b"}", b"[", b"null",
    b"\xef\xbb\xbf", b"glTF", b"PK\x03\x04", b"\x93NUMPY",
)  # fmt: skip


def mutated(data: bytes, others: list[bytes], seed: int, number: int) -> bytes:
    """Mutation ``number`` of ``data``; ``others`` are files of the same format to splice from."""
    rng = np.random.default_rng([seed, number])
    inner = _REPACKED.get(data[:4])
    if inner is not None and rng.random() < 0.6:
        changed = inner(data, rng)
        if changed is not None:
            return changed
    return _damaged(data, rng, others)


def _damaged(data: bytes, rng: Random, others: list[bytes]) -> bytes:
    for _ in range(int(rng.integers(1, 6))):
        change = CHANGES[int(rng.integers(len(CHANGES)))]
        data = change(data, rng, others)
    return data


def _place(data: bytes, rng: Random) -> int:
    """Somewhere; half of the time near the beginning, where the headers are."""
    end = min(len(data), 300) if rng.random() < 0.5 else len(data)
    return int(rng.integers(end + 1))


def flip_bytes(data: bytes, rng: Random, _: list[bytes]) -> bytes:
    changed = bytearray(data)
    for _i in range(int(rng.integers(1, 9))):
        if changed:
            changed[min(_place(data, rng), len(changed) - 1)] = int(rng.integers(256))
    return bytes(changed)


def truncate(data: bytes, rng: Random, _: list[bytes]) -> bytes:
    return data[: _place(data, rng)]


def delete(data: bytes, rng: Random, _: list[bytes]) -> bytes:
    at = _place(data, rng)
    return data[:at] + data[at + int(rng.integers(1, 64)) :]


def insert_word(data: bytes, rng: Random, _: list[bytes]) -> bytes:
    at = _place(data, rng)
    return data[:at] + WORDS[int(rng.integers(len(WORDS)))] + data[at:]


def insert_noise(data: bytes, rng: Random, _: list[bytes]) -> bytes:
    at = _place(data, rng)
    return data[:at] + rng.bytes(int(rng.integers(1, 32))) + data[at:]


def swap_number(data: bytes, rng: Random, _: list[bytes]) -> bytes:
    found = list(NUMBER.finditer(data[:20_000]))
    if not found:
        return data
    first = found[: max(len(found) // 10, 6)]
    chosen = first if rng.random() < 0.5 else found
    hit = chosen[int(rng.integers(len(chosen)))]
    return data[: hit.start()] + NASTY_NUMBERS[int(rng.integers(len(NASTY_NUMBERS)))] + data[hit.end() :]


def overwrite_integer(data: bytes, rng: Random, _: list[bytes]) -> bytes:
    size = int(rng.choice([1, 2, 4, 8]))
    value = NASTY_INTEGERS[int(rng.integers(len(NASTY_INTEGERS)))] % 2 ** (8 * size)
    at = _place(data, rng)
    return data[:at] + value.to_bytes(size, "little" if rng.random() < 0.7 else "big") + data[at + size :]


def overwrite_float(data: bytes, rng: Random, _: list[bytes]) -> bytes:
    value = NASTY_FLOATS[int(rng.integers(len(NASTY_FLOATS)))]
    raw = struct.pack(str(rng.choice(["<f", "<d", ">f", ">d"])), value)
    at = _place(data, rng) // 4 * 4
    return data[:at] + raw + data[at + len(raw) :]


def repeat_block(data: bytes, rng: Random, _: list[bytes]) -> bytes:
    at = _place(data, rng)
    block = data[at : at + int(rng.integers(1, 200))]
    return data[:at] + block * int(rng.integers(2, 20)) + data[at:]


def splice(data: bytes, rng: Random, others: list[bytes]) -> bytes:
    other = others[int(rng.integers(len(others)))]
    return data[: _place(data, rng)] + other[_place(other, rng) :]


def shuffle_lines(data: bytes, rng: Random, _: list[bytes]) -> bytes:
    lines = data.split(b"\n")
    for _i in range(3):
        a, b = rng.integers(len(lines), size=2)
        lines[a], lines[b] = lines[b], lines[a]
    return b"\n".join(lines)


CHANGES: tuple[Callable[[bytes, Random, list[bytes]], bytes], ...] = (
    flip_bytes, truncate, delete, insert_word, insert_noise, swap_number, swap_number, overwrite_integer,
    overwrite_float, repeat_block, splice, shuffle_lines,
)  # fmt: skip


# ------------------------------------------------------------- damage inside containers that stay intact


def _repacked_zip(data: bytes, rng: Random) -> bytes | None:
    """Damage one member and pack everything again, so that checksums are right."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
    except (zipfile.BadZipFile, OSError, ValueError):
        return None
    names = sorted(members)
    name = names[int(rng.integers(len(names)))]
    match int(rng.integers(4)):
        case 0:
            members[str(rng.choice(["a.npy", "points.npy", "faces.npy", "x"]))] = members.pop(name)
        case 1:
            del members[name]
        case _:
            members[name] = _damaged(members[name], rng, [members[n] for n in names])
    out = io.BytesIO()
    with zipfile.ZipFile(
        out, "w", zipfile.ZIP_DEFLATED if rng.random() < 0.5 else zipfile.ZIP_STORED
    ) as archive:
        for member, content in members.items():
            archive.writestr(member, content)
    return out.getvalue()


def _repacked_glb(data: bytes, rng: Random) -> bytes | None:
    """Change values in the scene description and fit the lengths again."""
    size = int.from_bytes(data[12:16], "little")
    try:
        document = json.loads(data[20 : 20 + size])
    except ValueError:
        return None
    for _ in range(int(rng.integers(1, 4))):
        _change_json(document, rng)
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + data[20 + size :]
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def _change_json(document: object, rng: Random) -> None:
    """Replace or remove one value somewhere in a JSON document, in place."""
    places: list[tuple[dict | list, str | int]] = []

    def walk(value: object) -> None:
        items = (
            value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        )
        for key, inner in items:
            places.append((value, key))  # type: ignore[arg-type]
            walk(inner)

    walk(document)
    if not places:
        return
    holder, key = places[int(rng.integers(len(places)))]
    if isinstance(holder, dict) and rng.random() < 0.2:
        del holder[key]
        return
    nasty = (
        None, True, -1, 0, 1, 3, 7, 2**31, 2**53, 2**64, 1.5, 1e308, float("nan"), float("inf"), "", "x",
        [], {}, [0], [[0]], {"a": 0}, "VEC3", "SCALAR", 5123, 5126, "a" * 1000,
    )  # fmt: skip
    holder[key] = nasty[int(rng.integers(len(nasty)))]  # type: ignore[index]


def _repacked_json(data: bytes, rng: Random) -> bytes | None:
    try:
        document = json.loads(data)
    except ValueError:
        return None
    for _ in range(int(rng.integers(1, 4))):
        _change_json(document, rng)
    return json.dumps(document).encode()


_REPACKED: dict[bytes, Callable[[bytes, Random], bytes | None]] = {
    b"PK\x03\x04": _repacked_zip,
    b"glTF": _repacked_glb,
    b'{"fo': _repacked_json,
}
