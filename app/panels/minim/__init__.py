"""The privacy panel: what leaves the machine, element by element."""
