"""The words of a page: its text layer first, then a text recogniser in a process of its own."""
