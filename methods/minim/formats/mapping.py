FORMAT = "json-list"


def matches(name, source):
    return False
