"""What the privacy panel keeps: the document, its codec, and a person's decisions. No window."""

import json

import pytest

from app.panels.minim import companions, readings, why
from app.panels.minim.document import Masking, MaskingCodec, Ruling
from app.panels.minim.overrides import Overrides, resolve
from app.project import Document
from methods.core.errors import BadInput
from tests.gui.minim_fakes import PAGE, use_fake_scorer


@pytest.fixture(autouse=True)
def scorer(monkeypatch):
    return use_fake_scorer(monkeypatch)


@pytest.fixture
def opened(tmp_path):
    path = tmp_path / "inbox.txt"
    path.write_text(PAGE)
    (tmp_path / "inbox.tasks.json").write_text(json.dumps({"tasks": ["read the statement", "sign in"]}))
    return readings.read(path)


@pytest.fixture
def document(opened):
    return Document(opened[0])


def by_id(observation, native_id):
    return next(e for e in observation.elements if e.native_id == native_id)


def decided(document, page):
    scored = readings.score(page, document.state.task)
    overrides = resolve(page, document.state.rulings)
    return scored, readings.decide(scored, document.state, overrides), overrides


def test_a_file_opens_with_its_example_tasks(opened):
    state, page = opened
    assert state.examples == ("read the statement", "sign in")
    assert state.task == "read the statement"
    assert page.types[by_id(state.observation, "141").uid] == "otp"
    assert by_id(state.observation, "141").uid in page.floor


@pytest.mark.parametrize("text", ["{", "[]", '{"tasks": 3}', '{"other": []}'])
def test_damaged_example_tasks_do_not_keep_a_file_from_opening(tmp_path, text):
    (tmp_path / "a.tasks.json").write_text(text)
    assert companions.examples_beside(tmp_path / "a.json") == ()


def test_a_picture_of_the_same_name_is_found(tmp_path):
    (tmp_path / "mail.png").write_bytes(b"")
    assert companions.picture_beside(tmp_path / "mail.axtree.json") == str(tmp_path / "mail.png")
    assert companions.picture_beside(tmp_path / "other.json") == ""


def test_the_project_file_brings_everything_back(opened):
    state = opened[0].with_operator(("email",), "numbered").with_ruling(Ruling("type", "otp", 2))
    codec = MaskingCodec()
    back = MaskingCodec().load(codec.save(state))
    assert back == state
    assert MaskingCodec().load(codec.save(Masking())) == Masking()


def test_what_is_not_utf_8_survives_the_project_file(tmp_path):
    path = tmp_path / "odd.txt"
    path.write_bytes(PAGE.encode() + b"\t[190] StaticText 'caf\xe9'\n")
    state = readings.read(path)[0]
    back = MaskingCodec().load(MaskingCodec().save(state))
    assert back.observation.source == state.observation.source
    assert back.observation.source.encode("utf-8", "surrogateescape") == path.read_bytes()


@pytest.mark.parametrize(
    "change",
    [
        {"tau_n": 11}, {"tau_s": "x"}, {"rulings": [{"scope": "all", "key": "", "decision": 0}]},
        {"rulings": [{}]}, {"examples": 3}, {"step": None}, {"source": []}, {"operators": [["a"]]},
    ],
)  # fmt: skip
def test_a_damaged_project_says_so(opened, change):
    members = MaskingCodec().save(opened[0])
    about = json.loads(members["masking.json"]) | change
    with pytest.raises(BadInput, match=r"masking\.json is damaged"):
        MaskingCodec().load(members | {"masking.json": json.dumps(about).encode()})


@pytest.mark.parametrize("rows", [[["EMAIL", "a"]], [["EMAIL", "a", "x"]], [3]])
def test_damaged_tokens_say_so(opened, rows):
    members = MaskingCodec().save(opened[0])
    with pytest.raises(BadInput, match="damaged"):
        MaskingCodec().load(members | {"tokens.json": json.dumps(rows).encode()})


def test_one_element_is_overruled_and_undone(document, opened):
    page, overrides = opened[1], Overrides(document)
    compose = by_id(page.observation, "127")
    overrides.rule(compose, "", "element", 2)
    _, decisions, _ = decided(document, page)
    assert (int(decisions.codes[compose.uid]), decisions.by[compose.uid]) == (2, "you")
    document.undo()
    assert decided(document, page)[1].by[compose.uid] == "model"


def test_a_ruling_survives_another_task_and_replaces_the_one_before(document, opened):
    page, overrides = opened[1], Overrides(document)
    compose = by_id(page.observation, "127")
    overrides.rule(compose, "", "element", 2)
    overrides.rule(compose, "", "element", 1)
    assert len(document.state.rulings) == 1
    document.edit("Task", Masking(**{**vars(document.state), "task": "compose a message"}))
    assert int(decided(document, page)[1].codes[compose.uid]) == 1


def test_all_alike_are_overruled_but_not_what_is_locked(document, opened):
    page, overrides = opened[1], Overrides(document)
    open_button, compose = by_id(page.observation, "183"), by_id(page.observation, "127")
    overrides.set_locked(compose, 0, True)
    overrides.rule(open_button, "", "role", 2)
    codes = decided(document, page)[1].codes
    assert (int(codes[open_button.uid]), int(codes[compose.uid])) == (2, 0)
    with pytest.raises(BadInput, match="locked"):
        overrides.rule(compose, "", "element", 2)
    overrides.set_locked(compose, 0, False)
    overrides.rule(compose, "", "element", 2)
    assert int(decided(document, page)[1].codes[compose.uid]) == 2


def test_keeping_all_alike_does_not_let_the_floor_out(document, opened):
    page, overrides = opened[1], Overrides(document)
    code, mail = by_id(page.observation, "141"), by_id(page.observation, "169")
    overrides.rule(mail, "email", "role", 0)
    codes = decided(document, page)[1].codes
    assert int(codes[mail.uid]) == 0
    assert int(codes[code.uid]) != 0, "a one-time code stays behind the floor"
    overrides.rule(code, "otp", "element", 0, "it is used up")
    assert int(decided(document, page)[1].codes[code.uid]) == 0


def test_a_secret_that_is_named_later_takes_back_a_keep(document, opened):
    state, page = opened
    compose = by_id(page.observation, "127")
    Overrides(document).rule(compose, "", "element", 0)
    again = readings.look(state.observation, ("Compose",))
    assert compose.uid in again.floor
    assert compose.uid not in resolve(again, document.state.rulings)


def test_withdrawing_gives_the_decision_back(document, opened):
    page, overrides = opened[1], Overrides(document)
    compose = by_id(page.observation, "127")
    overrides.rule(compose, "", "element", 2)
    overrides.withdraw(compose, "")
    assert document.state.rulings == ()
    assert document.history[-1] == "Withdraw the decision on “Compose”"


def test_a_lock_holds_in_the_next_step_of_a_trace(document, opened, tmp_path):
    page = opened[1]
    compose = by_id(page.observation, "127")
    Overrides(document).set_locked(compose, 2, True)
    later = tmp_path / "later.txt"
    later.write_text(PAGE.replace("[120] heading 'Inbox'", "[119] link 'Skip'\n\t[120] heading 'Inbox'"))
    _, other = readings.read(later)
    moved = by_id(other.observation, "127")
    assert moved.uid != compose.uid
    assert resolve(other, document.state.rulings)[moved.uid].decision == 2


def test_the_sentence_says_what_it_is_and_what_happens(document, opened):
    page = opened[1]
    scored, decisions, overrides = decided(document, page)
    code = by_id(page.observation, "141")
    text = why.sentence(scored, decisions, document.state, overrides, code.uid)
    assert text.startswith("One-time code beside its word. The task does not need it, but the page is small")
    evidence = why.explain(scored, decisions, document.state, overrides, code.uid)
    assert [(hit.match, hit.title) for hit in evidence.hits] == [("482 913", "One-time code")]
    assert evidence.hits[0].before.endswith("code is ")
    statement = by_id(page.observation, "134")
    found = why.explain(scored, decisions, document.state, overrides, statement.uid)
    assert found.shared == ("statement",)
    assert ("before", "Your verification code is 482 913") in [n[:2] for n in found.neighbours]


def test_a_second_task_does_not_read_the_page_again(opened, scorer):
    page = opened[1]
    readings.score(page, "one")
    readings.score(page, "two")
    assert (scorer.reads, scorer.tasks) == (1, 2)
