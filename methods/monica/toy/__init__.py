"""The built-in reasoner: it adds five digits in words, and caves in to what the person says."""
