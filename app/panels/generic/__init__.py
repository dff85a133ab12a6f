"""The panel of every method that has none of its own: made from its declaration alone."""
