"""Live capture of local pages, and that it talks to nobody else."""

from __future__ import annotations

import contextlib
import functools
import http.server
import io
import json
import shutil
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from methods.core.errors import BadInput
from methods.minim.capture import devtools
from methods.minim.capture.page import Capture, capture_page, checked_url
from methods.minim.formats import load
from methods.minim.labelled import read

SAMPLES = Path(__file__).parents[2] / "assets" / "samples" / "minim"

PAGE = """<!doctype html><title>Inbox</title>
<body style="margin:0;height:3000px">
<p id=more hidden>Account ending 4417</p>
<div style="position:absolute;left:50px;top:760px">
<button aria-describedby=more style="cursor:pointer">Go</button></div>
<input type=password autocomplete=current-password value=hunter2 aria-label=Secret
 style="position:absolute;top:800px;left:0;width:200px;height:20px;box-sizing:border-box">
<p style="position:absolute;top:840px;margin:0;opacity:0">OTP 482913</p>
<p style="position:absolute;top:880px;margin:0" aria-hidden=true>only painted</p>
<div style="position:absolute;top:920px;height:20px;overflow:hidden"><p style="margin:40px 0 0">cut off</p></div>
<iframe style="position:absolute;left:100px;top:1000px;border:5px solid" srcdoc="<body style='margin:0'>
<input value=noor@inbox.example aria-label=Mail style='position:absolute;left:20px;top:10px'>"></iframe>
<p style="position:absolute;top:2500px">below</p>
<img src="http://198.51.100.7/pixel.png" alt="">
"""
needs_chromium = pytest.mark.skipif(
    not any(map(shutil.which, devtools.PROGRAMS)), reason="no Chromium is installed"
)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory):
    path = tmp_path_factory.mktemp("page") / "inbox.html"
    path.write_text(PAGE, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def scrolled(page) -> Capture:
    return capture_page(page, 1000, 600, 2, 700)


def named(capture: Capture, name: str, role: str = "") -> dict:
    found = [n for n in capture.document["nodes"] if n.get("name", {}).get("value") == name]
    return next(n for n in found if role in ("", n["role"]["value"]))


def state(node: dict, name: str) -> object:
    return next((p["value"]["value"] for p in node["properties"] if p["name"] == name), None)


@pytest.mark.parametrize(
    "target",
    [
        "https://shop.example/",
        "http://10.0.0.5/",
        "http://127.0.0.1.shop.example/",
        "http://localhost@shop.example/",
        "http://2130706433/",
        "http://",
        "ftp://127.0.0.1/a.html",
        "file://server/share/a.html",
        "chrome://version",
        "no such file.html",
    ],
)
def test_nothing_outside_this_machine_is_opened(target: str) -> None:
    with pytest.raises(BadInput):
        checked_url(target)


@pytest.mark.parametrize("target", ["http://127.0.0.1:8000/a?b=1", "http://localhost/", "http://[::1]:9/"])
def test_loopback_addresses_are_allowed(target: str) -> None:
    assert checked_url(target) == target


def test_a_path_becomes_a_file_address(tmp_path) -> None:
    path = tmp_path / "a b.html"
    path.write_text("<p>Hi", encoding="utf-8")
    assert checked_url(path) == path.as_uri()


def test_without_chromium_there_is_a_clear_message(monkeypatch: pytest.MonkeyPatch, page) -> None:
    monkeypatch.setattr(devtools.shutil, "which", lambda name: None)
    with pytest.raises(BadInput, match="needs an installed Chromium"):
        capture_page(page)


@needs_chromium
@pytest.mark.parametrize("size", [(0, 600, 1), (1000, 9999, 1), (1000, 600, 0.1)])
def test_sizes_out_of_range_are_refused(page, size: tuple) -> None:
    with pytest.raises(BadInput, match="out of range"):
        capture_page(page, *size)


@needs_chromium
def test_screen_and_picture_agree(scrolled: Capture) -> None:
    document = scrolled.document
    assert document["scroll"] == {"x": 0, "y": 700}
    assert document["devicePixelRatio"] == 2
    assert document["viewport"] == [1000, 600]
    assert document["screenshot_px"] == [2000, 1200]
    assert Image.open(io.BytesIO(scrolled.png)).size == (2000, 1200)


@needs_chromium
def test_boxes_are_document_pixels(scrolled: Capture) -> None:
    assert named(scrolled, "Secret")["box_document"] == [0, 800, 200, 20]
    assert named(scrolled, "Go", "button")["box_document"][:2] == [50, 760]


@needs_chromium
def test_states_descriptions_and_bullets(scrolled: Capture) -> None:
    secret = named(scrolled, "Secret")
    assert state(secret, "input_type") == "password"
    assert state(secret, "autocomplete") == "current-password"
    assert secret["value"]["value"] == "•" * 7
    assert "hunter2" not in str(scrolled.document)
    button = named(scrolled, "Go", "button")
    assert button["description"]["value"] == "Account ending 4417"
    assert state(button, "clickable") is True


@needs_chromium
def test_what_a_person_sees_and_what_an_agent_sees(scrolled: Capture) -> None:
    assert named(scrolled, "OTP 482913")["visible"] is False
    assert named(scrolled, "cut off")["visible"] is False
    assert named(scrolled, "below")["visible"] is False
    assert named(scrolled, "Secret")["visible"] is True
    painted = named(scrolled, "only painted")
    assert painted["visible"] is True
    assert painted["ignored"] is True


@needs_chromium
def test_inner_frames_are_merged_and_moved(scrolled: Capture) -> None:
    field = named(scrolled, "Mail")
    assert field["value"]["value"] == "noor@inbox.example"
    assert field["box_document"][:2] == [125, 1015]
    assert field["frameId"] and "frameId" not in named(scrolled, "Secret")
    nodes = {n["nodeId"]: n for n in scrolled.document["nodes"]}
    assert len(nodes) == len(scrolled.document["nodes"])
    above = []
    while "parentId" in field:
        field = nodes[field["parentId"]]
        above.append(field["role"]["value"])
    assert "Iframe" in above and above[-1] == "RootWebArea"


@needs_chromium
def test_parents_and_children_agree_and_parents_come_first(scrolled: Capture) -> None:
    seen: dict[str, dict] = {}
    for node in scrolled.document["nodes"]:
        if seen:
            assert node["nodeId"] in seen[node["parentId"]]["childIds"]
        seen[node["nodeId"]] = node
    assert sum(len(n.get("childIds", [])) for n in seen.values()) == len(seen) - 1


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        self.server.asked.append(self.path)


@contextlib.contextmanager
def serving(folder: Path, host: str = "127.0.0.1") -> Iterator[http.server.ThreadingHTTPServer]:
    handler = functools.partial(Handler, directory=str(folder))
    with http.server.ThreadingHTTPServer((host, 0), handler) as server:
        server.asked = []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@needs_chromium
def test_a_page_served_on_loopback(page: Path) -> None:
    with serving(page.parent) as server:
        capture = capture_page(f"http://127.0.0.1:{server.server_port}/inbox.html", 800, 600)
        assert any("/inbox.html" in line for line in server.asked)
    assert capture.document["nodes"][0]["name"]["value"] == "Inbox"
    assert capture.document["screenshot_px"] == [800, 600]


@needs_chromium
def test_a_page_reaches_no_other_address(tmp_path: Path) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("198.51.100.7", 9))  # sends nothing, only picks this machine's own address
        except OSError:
            pytest.skip("this machine has no address of its own")
        host = probe.getsockname()[0]
    with serving(tmp_path, host) as server:
        path = tmp_path / "away.html"
        path.write_text(
            f"<title>Nothing</title><img src=http://{host}:{server.server_port}/a.png alt=''"
            " onload=\"document.title='Loaded'\" onerror=\"document.title='Refused'\">",
            encoding="utf-8",
        )
        capture = capture_page(path)
        assert server.asked == []
    assert capture.document["nodes"][0]["name"]["value"] == "Refused"


@needs_chromium
def test_an_address_without_a_page_is_bad_input() -> None:
    with pytest.raises(BadInput, match="cannot be opened"):
        capture_page("http://127.0.0.1:1/")


@pytest.mark.parametrize("name", ["mail", "checkout", "clinic", "orders"])
def test_samples_open_and_fit_their_pictures(name: str) -> None:
    found = load(SAMPLES / f"{name}.json")
    assert found.format == "cdp-axtree+boxes"
    assert found.warnings == ()
    with Image.open(SAMPLES / f"{name}.png") as image:
        assert image.size == found.screen.pixels == (1280, 900)
    assert len(json.loads((SAMPLES / f"{name}.tasks.json").read_text())["tasks"]) == 3


def test_own_pages_carry_exact_labels() -> None:
    found = read(SAMPLES / "training")
    assert len(found.screens) == 48 and len(found.weak) == 144
    mail = [p for p in found.weak if p.screen.id == "own-mail-000"]
    code = next(e.uid for e in mail[0].screen.observation.elements if e.get("name") == "618 187")
    assert mail[0].screen.s[code] == 10
    assert [bool(p.critical[code]) for p in mail] == [False, True, False]
    assert all(p.critical.any() for p in found.weak)
