"""Cancel, progress and random numbers of a job."""

import pytest

from methods.core.context import Cancelled, CancelToken, Context


def test_cancel_reaches_check_progress_and_partial():
    token = CancelToken()
    context = Context(token=token)
    context.check()
    token.cancel()
    for call in (context.check, lambda: context.progress(0.5), lambda: context.partial(1)):
        with pytest.raises(Cancelled):
            call()


def test_cancelled_is_not_swallowed_by_except_exception():
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        try:
            Context(token=token).check()
        except Exception:
            pytest.fail("a method's own except Exception must not see a cancel")


def test_progress_is_throttled_but_the_end_always_arrives():
    seen = []
    context = Context(on_progress=lambda fraction, text: seen.append(fraction))
    for step in range(1000):
        context.progress(step / 1000)
    context.progress(1.0)
    assert seen[-1] == 1.0
    assert len(seen) < 100


def test_progress_is_clamped():
    seen = []
    context = Context(on_progress=lambda fraction, text: seen.append(fraction))
    context.progress(1.7)
    assert seen == [1.0]


def test_random_numbers_belong_to_the_job():
    first, second = Context(seed=3), Context(seed=3)
    assert first.rng.random(4).tolist() == second.rng.random(4).tolist()
    assert first.rng is first.rng
