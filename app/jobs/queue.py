"""Jobs on worker lanes: submit, cancel, coalesce, shut down. No Qt.

A lane is one daemon thread with a queue. A thread that could not be stopped must never keep the program
from ending, and a Qt thread that is destroyed while it runs aborts the process; plain threads do neither.
"""

from __future__ import annotations

import collections
import contextlib
import itertools
import logging
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any

from methods.core.context import Cancelled, CancelToken, Context
from methods.core.errors import WorkFailed

Work = Callable[[Context], Any]
Deliver = Callable[[Callable[[], None]], None]

KEPT = 200
"""Finished jobs that the list remembers."""

log = logging.getLogger("studiolo.jobs")


class Job:
    """One piece of work and how it goes.

    Attributes:
        state: queued, running, done, failed or cancelled.
        fraction: in [0, 1].
        error: what went wrong, without its frames (they would keep every array of the work alive);
            ``error_text`` is the formatted traceback.
    """

    def __init__(self, number: int, title: str, owner: object, long: bool) -> None:
        self.id, self.title, self.owner, self.long = number, title, owner, long
        self.token = CancelToken()
        self.state = "queued"
        self.fraction = 0.0
        self.text = ""
        self.created = time.monotonic()
        self.started: float | None = None
        self.finished: float | None = None
        self.error: BaseException | None = None
        self.error_text = ""
        self.result: Any = None
        self.dropped = False
        """Nobody is to be told any more: its owner has gone or a newer job replaced it."""

    @property
    def active(self) -> bool:
        return self.state in ("queued", "running")

    @property
    def elapsed(self) -> float:
        """Seconds of work so far."""
        if self.started is None:
            return 0.0
        return (self.finished or time.monotonic()) - self.started

    def cancel(self) -> None:
        """Ask the work to stop at its next check."""
        self.token.cancel()


class _Lane:
    """One worker thread. Waiting jobs run in order; of those with the same key only the newest."""

    def __init__(self, name: str) -> None:
        self._ready = threading.Condition()
        self._waiting: collections.deque[tuple[Job, object, Callable[[], None]]] = collections.deque()
        self._closed = False
        self.running: Job | None = None
        self._thread = threading.Thread(target=self._loop, name=f"studiolo-{name}", daemon=True)
        self._thread.start()

    def add(self, job: Job, key: object, run: Callable[[], None]) -> Job | None:
        """Queue a job; returns the waiting job that it replaces, if any."""
        replaced = None
        with self._ready:
            if key is not None:
                for entry in self._waiting:
                    if entry[1] == key:
                        replaced = entry[0]
                        self._waiting.remove(entry)
                        break
            self._waiting.append((job, key, run))
            self._ready.notify()
        return replaced

    def close(self) -> None:
        with self._ready:
            self._closed = True
            self._ready.notify()

    def join(self, timeout: float) -> bool:
        self._thread.join(max(0.0, timeout))
        return not self._thread.is_alive()

    def _loop(self) -> None:
        while True:
            with self._ready:
                while not self._waiting and not self._closed:
                    self._ready.wait()
                if not self._waiting:
                    return
                self.running, _, run = self._waiting.popleft()
            run()
            self.running = None
            del run  # the closure holds inputs and results


class JobQueue:
    """All lanes of the program.

    Args:
        deliver: runs a callable on the main thread; called from worker threads.
    """

    def __init__(self, deliver: Deliver) -> None:
        self._deliver = deliver
        self._lanes: dict[str, _Lane] = {}
        self._numbers = itertools.count(1)
        self._jobs: collections.deque[Job] = collections.deque()
        self._listeners: list[Callable[[Job], None]] = []
        self._closed = False

    @property
    def jobs(self) -> list[Job]:
        """Recent jobs, newest last."""
        return list(self._jobs)

    def busy(self, owner: object) -> bool:
        """Whether a job of ``owner`` waits or runs."""
        return any(job.owner is owner and job.active for job in self._jobs)

    def submit(
        self,
        title: str,
        work: Work,
        *,
        lane: str = "compute",
        owner: object = None,
        seed: int = 0,
        device: str = "cpu",
        checkpoint: str | None = None,
        long: bool = True,
        coalesce: str | None = None,
        on_partial: Callable[[Any], None] | None = None,
        on_done: Callable[[Any], None] | None = None,
        on_error: Callable[[BaseException], None] | None = None,
        on_finished: Callable[[Job], None] | None = None,
    ) -> Job:
        """Queue ``work(context)`` on a lane. Call it on the main thread.

        Callbacks run on the main thread. They are dropped once ``owner`` is released, and for jobs that a
        newer one with the same ``coalesce`` key replaced.

        Args:
            coalesce: of the waiting jobs of one owner with the same key only the newest is kept; the
                running one finishes. Cancelling at every tick of a slider would starve the preview.
            long: shown prominently in the list of jobs.
        """
        job = Job(next(self._numbers), title, owner, long)
        if self._closed:
            job.state = "cancelled"
            return job
        self._remember(job)

        def tell(callback: Callable[[Any], None] | None, value: Any) -> None:
            if callback is not None:
                self._deliver(lambda: None if job.dropped else callback(value))

        def progress(fraction: float, text: str) -> None:
            job.fraction, job.text = fraction, text
            self._deliver(lambda: self._notify(job))

        context = Context(
            seed=seed,
            device=device,
            token=job.token,
            on_progress=progress,
            on_partial=(lambda value: tell(on_partial, value)) if on_partial else None,
            checkpoint=checkpoint,
            log=logging.getLogger("studiolo.work"),
        )

        def run() -> None:
            self._run(job, work, context)
            if job.state == "done":
                tell(on_done, job.result)
                job.result = None  # the list of jobs must not keep every result alive
            elif job.state == "failed":
                tell(on_error, job.error)
            tell(on_finished, job)
            self._deliver(lambda: self._notify(job))

        key = (id(owner), coalesce) if coalesce is not None else None
        replaced = self._lane(lane).add(job, key, run)
        if replaced is not None:
            replaced.dropped, replaced.state = True, "cancelled"
            replaced.finished = time.monotonic()
        self._notify(job)
        return job

    def release(self, owner: object) -> None:
        """``owner`` is going away: cancel its jobs and drop what they still deliver."""
        for job in self._jobs:
            if job.owner is owner:
                job.dropped = True
                job.cancel()
                job.owner = None  # the list of jobs must not keep a closed panel alive

    def cancel_all(self) -> None:
        for job in self._jobs:
            if job.active:
                job.cancel()

    def subscribe(self, listener: Callable[[Job], None]) -> Callable[[], None]:
        """Call ``listener(job)`` on the main thread whenever a job changes; returns what ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def shutdown(self, timeout: float = 2.0) -> bool:
        """Cancel everything and wait; False if a lane did not stop in time."""
        self._closed = True
        self.cancel_all()
        for lane in self._lanes.values():
            lane.close()
        end = time.monotonic() + timeout
        stopped = [lane.join(end - time.monotonic()) for lane in self._lanes.values()]
        for lane in self._lanes.values():
            if lane.running is not None:
                log.warning("%s did not stop in %.1f s", lane.running.title, timeout)
        return all(stopped)

    def _lane(self, name: str) -> _Lane:
        if name not in self._lanes:
            self._lanes[name] = _Lane(name)
        return self._lanes[name]

    def _remember(self, job: Job) -> None:
        self._jobs.append(job)
        while len(self._jobs) > KEPT and not self._jobs[0].active:
            self._jobs.popleft()

    def _notify(self, job: Job) -> None:
        for listener in tuple(self._listeners):
            listener(job)

    def _run(self, job: Job, work: Work, context: Context) -> None:
        """Do the work and settle the job's state; never raises."""
        job.started = time.monotonic()
        job.state = "running"
        self._deliver(lambda: self._notify(job))
        try:
            context.check()
            with _torch_inference():
                job.result = work(context)
            job.fraction = 1.0
            state = "done"
        except Cancelled:
            state = "cancelled"
        except MemoryError:
            job.error_text = traceback.format_exc()
            job.error = WorkFailed(f"{job.title}: there is not enough memory.", "Use a smaller input.")
            state = "failed"
        except BaseException as error:  # the lane must outlive whatever the work raises
            job.error_text = traceback.format_exc()
            job.error = error.with_traceback(None)
            job.error.__context__ = job.error.__cause__ = None
            log.error("%s failed\n%s", job.title, job.error_text)
            state = "failed"
        job.finished = time.monotonic()
        job.state = state


def _torch_inference() -> contextlib.AbstractContextManager[Any]:
    """torch's inference mode belongs to a thread; entered only where torch is in use already."""
    if "torch" not in sys.modules:
        return contextlib.nullcontext()
    import torch  # waits where another lane is in the middle of importing it

    return torch.inference_mode()
