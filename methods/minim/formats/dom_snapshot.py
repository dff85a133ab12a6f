FORMAT = "dom-snapshot"


def matches(name, source):
    return False
