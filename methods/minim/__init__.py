"""MINIM (declaration comes with the actions)."""
