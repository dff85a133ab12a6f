"""Worker lanes. The bridge to Qt's main thread is in :mod:`app.jobs.bridge`."""

from app.jobs.queue import Job, JobQueue

__all__ = ["Job", "JobQueue"]
