"""Chat templates are programs of strangers: they render, fail or are ended, and the model stays usable."""

import time

import pytest

from methods.monica.models import chat
from methods.monica.models.chat import Chat, raw

CHAT = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "2 + 2?"}]
CHATML = (
    "{% for m in messages %}{{ '<s>' + m['role'] + '\n' + m.content + '</s>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ bos_token }}assistant\n{% endif %}"
)


def test_a_template_renders_with_its_words():
    made = Chat(CHATML, {"bos_token": "<b>"})
    assert made.render(CHAT) == "<s>system\nBe brief.</s>\n<s>user\n2 + 2?</s>\n<b>assistant\n"
    assert made.render([{"role": "user", "content": "Grüße 日本 {{ 1 }}"}]).startswith(
        "<s>user\nGrüße 日本 {{ 1 }}</s>"
    )
    assert not made.raw and made.note == ""


def test_a_template_without_system_prompts_gets_it_with_the_question():
    strict = "{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}" + CHATML
    made = Chat(strict)
    assert made.render(CHAT) == "<s>user\nBe brief.\n\n2 + 2?</s>\nassistant\n"
    assert not made.raw


def test_no_template_means_raw():
    made = Chat()
    assert made.raw and "no chat template" in made.note
    assert made.render(CHAT) == "Be brief.\n2 + 2?\n" == raw(CHAT)


@pytest.mark.parametrize(
    "template",
    [
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
        "{% set n = namespace(s='x') %}{% for a in range(60) %}{% set n.s = n.s ~ n.s %}{% endfor %}{{ n.s }}",
        "{{ 'x' * 10 ** 12 }}",
        "{{ 'x'.center(10 ** 11) }}",
        "{{ ('x' * 2000000) }}",
        "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{% include 'config.json' %}",
        "{% for m in messages %}",
        "{{ messages.nothing.at.all }}",
        "{{ 1 / 0 }}",
        "{{ messages.append(1) }}",
    ],
)
def test_what_a_template_does_wrong_puts_the_model_into_raw_mode(template, monkeypatch):
    monkeypatch.setattr(chat, "SECONDS", 0.5)
    made = Chat(template)
    began = time.monotonic()
    assert made.render(CHAT) == raw(CHAT)
    assert time.monotonic() - began < 10 and made.raw
    assert (
        made.note.startswith("The chat template failed (") and "\n" not in made.note and len(made.note) < 400
    )
    assert made.render(CHAT) == raw(CHAT)
    assert made._worker is None


def test_the_process_ends_with_its_owner():
    made = Chat(CHATML)
    made.render(CHAT)
    process = made._worker._process
    del made
    assert process.wait(timeout=5) is not None


def test_a_process_that_was_killed_is_told():
    made = Chat(CHATML)
    made.render(CHAT)
    made._worker._process.kill()
    made._worker._process.wait()
    assert made.render(CHAT) == raw(CHAT) and made.raw
