"""What each format of :mod:`methods.minim.formats` is, in words."""

TITLES: dict[str, tuple[str, str]] = {
    "studiolo-screen": ("Screen of the labelled data: nodes with boxes", ".json, .json.gz"),
    "browsergym-json": ("BrowserGym observation", ".json"),
    "cdp-axtree": ("Chrome DevTools getFullAXTree, one frame or several", ".json"),
    "cdp-axtree+boxes": ("The same with a box for each node", ".json"),
    "dom-snapshot": ("Chrome DevTools DOMSnapshot", ".json"),
    "json-list": ("Any other JSON list of elements, its keys mapped by their names", ".json"),
    "webarena-text": ("Accessibility tree as text, numbers as ids (WebArena)", ".txt"),
    "browsergym-text": ("Accessibility tree as text, letters and numbers as ids (BrowserGym)", ".txt"),
    "playwright-aria": ("Playwright aria snapshot", ".yaml, .yml"),
    "uiautomator-xml": ("Android uiautomator dump", ".xml"),
    "atspi-xml": ("AT-SPI dump of a Linux desktop", ".xml"),
    "html": ("HTML page", ".html, .htm"),
}
"""By id: title, usual names of files. Each is read and written in place; all may be gzipped."""
