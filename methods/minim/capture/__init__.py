"""Live capture of a page with an installed Chromium; everything else in MINIM works without it."""
