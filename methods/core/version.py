"""The version of the program; the package metadata reads it from here."""

__version__ = "0.1.0"
