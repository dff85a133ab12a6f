"""The real command line in a real process."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

STUDIOLO = [sys.executable, "-m", "app"]


def studiolo(*words, timeout=100, **options):
    return subprocess.run(
        [*STUDIOLO, *map(str, words)], capture_output=True, text=True, timeout=timeout, **options
    )


def one_line(text: str) -> bool:
    return len(text.strip().splitlines()) == 1 and "Traceback" not in text


@pytest.fixture
def box(tmp_path):
    """A small OBJ box, 2 x 1 x 0.5."""
    import trimesh

    path = tmp_path / "box.obj"
    trimesh.creation.box((2, 1, 0.5)).subdivide().subdivide().export(path)
    return path


def test_version_help_and_list_need_no_qt():
    for word in ("--version", "--help", "--list"):
        done = studiolo(word)
        assert done.returncode == 0 and done.stdout
    code = "import sys; from app.__main__ import main; main(['--list']); print('PySide6' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip().endswith("False")


def test_every_method_and_action_has_help():
    listing = json.loads(studiolo("--list", "--json").stdout)
    for method, entry in listing.items():
        for action in entry["actions"]:
            done = studiolo(method, action, "--help")
            assert done.returncode == 0 and "--seed" in done.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("nonsense", "fit"),
        ("superquadrics", "nonsense"),
        ("superquadrics", "fit"),
        ("superquadrics", "fit", "absent.obj"),
        ("superquadrics", "fit", "absent.obj", "--max-parts", "0"),
        ("superquadrics", "fit", "absent.obj", "--max-parts", "many"),
        ("superquadrics", "fit", "absent.obj", "--seed", "-3"),
        ("superquadrics", "fit", "absent.obj", "--device", "toaster"),
        ("superquadrics", "fit", "absent.obj", "--nonsense"),
        ("superquadrics", "fit", "absent.obj", "--out", "x.docx"),
        ("superquadrics", "fit", "absent.obj", "--out", "/no/such/folder/x.json"),
        ("--nonsense",),
        ("tour",),
    ],
)
def test_bad_usage_is_one_line_and_exit_code_two(words):
    done = studiolo(*words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert one_line(done.stderr), done.stderr


def test_fit_writes_parts_and_prints_one_json_object(box, tmp_path):
    out = tmp_path / "parts.json"
    done = studiolo("superquadrics", "fit", box, "--out", out, "--json")
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["parts"] == 1
    assert facts["iou"] > 0.95
    assert facts["chamfer_rel"] < 0.01
    assert {"seconds", "warnings", "provenance"} <= set(facts)
    parts = json.loads(out.read_text())
    assert parts["format"] == "studiolo-superquadrics" and len(parts["parts"]) == 1
    assert np.sort(parts["parts"][0]["size"]) == pytest.approx([0.25, 0.5, 1.0], abs=0.02)


def test_the_whole_chain_without_a_window(box, tmp_path):
    parts = tmp_path / "parts.json"
    assert studiolo("superquadrics", "fit-one", box, "--out", parts, "--json").returncode == 0
    evaluated = json.loads(studiolo("superquadrics", "evaluate", parts, "--target", box, "--json").stdout)
    assert evaluated["iou"] > 0.95
    cloud = tmp_path / "cloud.ply"
    sampled = studiolo("superquadrics", "sample", parts, "--points", 777, "--out", cloud, "--json")
    assert json.loads(sampled.stdout)["points"] == 777
    mesh = tmp_path / "mesh.glb"
    assert studiolo("superquadrics", "mesh", parts, "--resolution", 16, "--out", mesh).returncode == 0
    again = studiolo("superquadrics", "refine", parts, "--target", mesh, "--json")
    assert again.returncode == 0, again.stderr
    for file in (box, parts, cloud, mesh):
        described = json.loads(studiolo("superquadrics", "info", file, "--json").stdout)
        assert described["format"]


def test_the_same_seed_gives_the_same_numbers(box):
    first, second = (
        json.loads(studiolo("superquadrics", "fit", box, "--seed", 7, "--json").stdout) for _ in range(2)
    )
    for facts in (first, second):
        facts.pop("seconds")
        facts["provenance"].pop("seconds"), facts["provenance"].pop("started")
    assert first == second


def test_ctrl_c_ends_with_130(tmp_path):
    import trimesh

    path = tmp_path / "balls.ply"
    places = np.random.default_rng(0).uniform(-3, 3, (60, 3))
    balls = [trimesh.creation.icosphere(3, 0.3).apply_translation(place) for place in places]
    trimesh.util.concatenate(balls).export(path)  # takes far longer than the wait below
    process = subprocess.Popen(
        [
            *STUDIOLO,
            "superquadrics",
            "fit",
            str(path),
            "--max-parts",
            "64",
            "--part-cost",
            "0.0005",
            "--json",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    time.sleep(4)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 130, err
    assert out == "" and "Traceback" not in err


def test_debug_shows_the_traceback():
    done = studiolo("superquadrics", "fit", "absent.obj", "--debug")
    assert done.returncode == 2 and "Traceback" in done.stderr


def test_inspect_tells_what_is_inside_and_refuses_with_exit_code_two(tmp_path):
    weights = tmp_path / "w.npz"
    np.savez(weights, weight=np.zeros((3, 2), np.float32))
    done = studiolo("inspect", str(weights), "--json")
    assert done.returncode == 0, done.stderr
    (tensor,) = json.loads(done.stdout)["tensors"]
    assert (tensor["name"], tensor["shape"]) == ("weight", [3, 2])
    pointer = tmp_path / "big.safetensors"
    pointer.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n")
    done = studiolo("inspect", str(pointer))
    assert done.returncode == 2 and "Git LFS" in done.stdout + done.stderr
