"""The file formats of observations: which there are, and which one a file is in."""
