"""Worker lanes: order, coalescing, cancel, owners, errors, shutdown."""

import subprocess
import sys
import threading
import time
import warnings

import pytest

from app.jobs import JobQueue
from methods.core.context import Cancelled

pytestmark = pytest.mark.usefixtures("no_new_threads")


@pytest.fixture
def jobs():
    """A queue that delivers at once, on the worker's thread."""
    queue = JobQueue(lambda call: call())
    yield queue
    assert queue.shutdown(5)


def wait(condition, seconds=5.0):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.002)
    assert condition()


def test_a_job_runs_and_delivers_its_result(jobs):
    seen = []
    job = jobs.submit(
        "add", lambda context: 1 + 1, on_done=seen.append, on_finished=lambda j: seen.append(j.state)
    )
    wait(lambda: len(seen) == 2)
    assert seen == [2, "done"] and job.fraction == 1.0 and job.elapsed >= 0


def test_jobs_of_one_lane_never_overlap(jobs):
    inside, overlaps, done = [], [], []

    def work(context):
        overlaps.append(len(inside))
        inside.append(1)
        time.sleep(0.005)
        inside.pop()

    for _ in range(10):
        jobs.submit("x", work, on_done=done.append)
    wait(lambda: len(done) == 10)
    assert set(overlaps) == {0}


def test_of_equal_waiting_jobs_only_the_newest_runs(jobs):
    gate, ran, done = threading.Event(), [], []
    jobs.submit("first", lambda context: gate.wait(5))
    for i in range(50):
        jobs.submit(
            f"preview {i}", lambda context, i=i: ran.append(i), coalesce="preview", on_done=done.append
        )
    gate.set()
    wait(lambda: bool(done))
    time.sleep(0.05)
    assert ran == [49]


def test_equal_keys_of_different_owners_are_different(jobs):
    gate, ran = threading.Event(), []
    jobs.submit("first", lambda context: gate.wait(5))
    for owner in ("a", "b"):
        jobs.submit("p", lambda context, o=owner: ran.append(o), owner=owner, coalesce="preview")
    gate.set()
    wait(lambda: len(ran) == 2)


def test_cancel_ends_the_work_quickly_and_is_no_error(jobs):
    started, seen = threading.Event(), []

    def work(context):
        started.set()
        while True:
            context.check()
            time.sleep(0.005)

    job = jobs.submit("long", work, on_error=seen.append, on_done=seen.append)
    started.wait(5)
    clock = time.monotonic()
    job.cancel()
    wait(lambda: job.state == "cancelled")
    assert time.monotonic() - clock < 0.3
    assert seen == []


def test_a_waiting_job_that_is_cancelled_never_starts(jobs):
    gate, ran = threading.Event(), []
    jobs.submit("first", lambda context: gate.wait(5))
    job = jobs.submit("second", lambda context: ran.append(1))
    job.cancel()
    gate.set()
    wait(lambda: job.state == "cancelled")
    assert ran == []


def test_an_error_is_delivered_with_its_traceback_but_without_its_frames(jobs):
    seen = []

    def work(context):
        local = bytearray(10)
        raise ValueError(f"no {len(local)}")

    job = jobs.submit("bad", work, on_error=seen.append)
    wait(lambda: bool(seen))
    assert str(seen[0]) == "no 10" and "in work" in job.error_text
    assert seen[0].__traceback__ is None


def test_the_lane_survives_whatever_is_raised(jobs):
    done = []

    def exit_(context):
        raise SystemExit(3)

    jobs.submit("exit", exit_)
    jobs.submit("next", lambda context: 5, on_done=done.append)
    wait(lambda: done == [5])


def test_running_out_of_memory_is_said_in_words(jobs):
    seen = []

    def work(context):
        raise MemoryError

    jobs.submit("big", work, on_error=seen.append)
    wait(lambda: bool(seen))
    assert "memory" in str(seen[0])


def test_nothing_is_delivered_to_a_released_owner(jobs):
    owner, started, seen = object(), threading.Event(), []

    def work(context):
        started.set()
        with pytest.raises(Cancelled):
            while True:
                context.check()
                time.sleep(0.002)
        return "late"

    job = jobs.submit("x", work, owner=owner, on_done=seen.append, on_finished=seen.append)
    started.wait(5)
    jobs.release(owner)
    wait(lambda: not job.active)
    assert seen == [] and not jobs.busy(owner)


def test_partial_results_and_progress_arrive(jobs):
    partial, progress = [], []
    jobs.subscribe(lambda job: progress.append(job.fraction))

    def work(context):
        for i in range(5):
            context.partial(i)
        context.progress(1.0, "done")

    job = jobs.submit("x", work, on_partial=partial.append)
    wait(lambda: job.state == "done")
    assert partial == list(range(5)) and progress[-1] == 1.0


def test_warnings_of_libraries_do_not_disturb(jobs):
    done = []

    def work(context):
        warnings.warn("numbers look odd", RuntimeWarning, stacklevel=1)
        return 1

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        jobs.submit("x", work, on_done=done.append)
        wait(lambda: done == [1])


def test_shutdown_cancels_and_tells_what_is_stuck():
    queue = JobQueue(lambda call: call())
    release, started = threading.Event(), threading.Event()

    def stuck(context):
        started.set()
        release.wait(5)

    queue.submit("native", stuck)
    started.wait(5)
    clock = time.monotonic()
    assert queue.shutdown(0.2) is False
    assert time.monotonic() - clock < 1
    release.set()
    assert queue.shutdown(5) is True
    assert queue.submit("after", lambda context: 1).state == "cancelled"


def test_many_jobs_leave_nothing_behind(jobs):
    done = []
    for i in range(300):
        jobs.submit("x", lambda context, i=i: i, on_done=done.append)
    wait(lambda: len(done) == 300)
    jobs.submit("y", lambda context: 1)
    wait(lambda: len(jobs.jobs) <= 201)
    assert len(threading.enumerate()) < 10


def test_a_job_waits_while_another_lane_imports_torch():
    code = """
import sys, threading, time
from app.jobs import JobQueue

states = []
queue = JobQueue(lambda call: call())
def note(job):
    states.append((job.state, job.error))
def load(context):
    import torch
queue.submit("imports torch", load, lane="one", on_finished=note)
while "torch" not in sys.modules:
    time.sleep(0.0005)
for _ in range(3):
    queue.submit("meanwhile", lambda context: None, lane="two", on_finished=note)
    time.sleep(0.02)
while len(states) < 4:
    time.sleep(0.01)
queue.shutdown(5)
assert states == [("done", None)] * 4, states
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
