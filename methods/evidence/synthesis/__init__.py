"""Pages of ours with known evidence: what the localiser is trained on, and nothing else.

Every page is made from one of 56 templates (8 families of 7); the last of each family is never trained on.
"""
