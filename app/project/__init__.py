"""Documents, their history, and project files. No Qt."""

from app.project.document import Document

__all__ = ["Document"]
