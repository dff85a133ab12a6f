"""Errors that a person reads: one line that says what, where and what to do."""


class StudioloError(Exception):
    """Base of every error meant for a person.

    Args:
        what: what is wrong and where, as a full sentence.
        remedy: what the person can do about it, as a full sentence (may be empty).
    """

    def __init__(self, what: str, remedy: str = "") -> None:
        super().__init__(what, remedy)
        self.what = what
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.what} {self.remedy}".strip()


class BadInput(StudioloError):
    """A file, array or value given by the person cannot be used (exit code 2)."""


class BadParameter(BadInput):
    """A parameter lies outside its range or has the wrong type (exit code 2)."""


class WorkFailed(StudioloError):
    """The input was fine but the work could not be done (exit code 1)."""
