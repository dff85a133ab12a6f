"""Bundled data: samples, weights, icons, pictures."""
