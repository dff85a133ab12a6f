"""What the tags and attributes of HTML mean: accessibility roles (HTML-AAM, WAI-ARIA) and kinds of text."""

from __future__ import annotations

from collections.abc import Mapping


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


VOID = _words("area base br col embed hr img input link meta param source track wbr")
"""Tags without an end tag."""

UNSEEN_TAGS = _words("br wbr path circle rect line polyline polygon ellipse use stop g defs")
"""Line breaks and the strokes of icons: no elements of their own unless they carry text."""

OUT_TAGS = _words("script style meta link base template noscript param source track noembed noframes")
"""Only in the file, never in the accessibility tree."""

CLOSES = {
    "li": ("li",), "dt": ("dt", "dd"), "dd": ("dt", "dd"), "option": ("option",), "optgroup": ("option", "optgroup"),
    "tr": ("td", "th", "tr"), "td": ("td", "th"), "th": ("td", "th"), "tbody": ("td", "th", "tr", "thead", "tbody"),
    "tfoot": ("td", "th", "tr", "thead", "tbody"), "body": ("head",), "a": ("a",), "button": ("button",),
} | dict.fromkeys(
    _words(
        "address article aside blockquote details div dl fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr "
        "main nav ol p pre section table ul"
    ),
    ("p",),
)  # fmt: skip
"""Open tags that a start tag ends, when they are near (HTML standard, section 13.2.6.4.7)."""

BARRIERS = _words(
    "table ul ol dl select div button td th svg math template details section article fieldset form dialog caption"
)
"""Open tags that no start tag inside them ends from within."""

_BY_TAG = {
    "a": "link", "article": "article", "aside": "complementary", "blockquote": "blockquote", "button": "button",
    "caption": "caption", "code": "code", "datalist": "listbox", "details": "group", "dialog": "dialog",
    "fieldset": "group", "figcaption": "Figcaption", "figure": "figure", "footer": "contentinfo", "form": "form",
    "h1": "heading", "h2": "heading", "h3": "heading", "h4": "heading", "h5": "heading", "h6": "heading",
    "header": "banner", "hr": "separator", "html": "generic", "iframe": "Iframe", "img": "img", "label": "LabelText",
    "legend": "Legend", "li": "listitem", "main": "main", "math": "math", "menu": "list", "meter": "meter",
    "nav": "navigation", "ol": "list", "optgroup": "group", "option": "option", "output": "status",
    "p": "paragraph", "progress": "progressbar", "section": "generic", "summary": "button", "svg": "img",
    "table": "table", "tbody": "rowgroup", "td": "cell", "textarea": "textbox", "tfoot": "rowgroup",
    "th": "columnheader", "thead": "rowgroup", "time": "time", "tr": "row", "ul": "list",
    "video": "Video", "audio": "Audio", "canvas": "Canvas", "area": "link",
}  # fmt: skip

_BY_INPUT = {
    "button": "button", "submit": "button", "reset": "button", "image": "button", "checkbox": "checkbox",
    "radio": "radio", "range": "slider", "number": "spinbutton", "search": "searchbox", "hidden": "#hidden",
}  # fmt: skip

NAMED_BY_CONTENT = _words(
    "button link heading option tab menuitem menuitemcheckbox menuitemradio checkbox radio switch treeitem "
    "cell gridcell columnheader rowheader tooltip"
)
"""Roles that take their name from the text inside (WAI-ARIA, section 5.2.8.4)."""

LABELLED = _words(
    "textbox searchbox combobox listbox checkbox radio switch slider spinbutton meter progressbar"
)
"""Roles of form fields, which a label names."""


def role_of(tag: str, attributes: Mapping[str, str]) -> str:
    """The role of an element.

    Args:
        attributes: decoded values of ``role``, ``type``, ``list``, ``multiple``, ``size``, ``href``, ``scope``
            and ``contenteditable`` where they stand.
    """
    given = attributes.get("role", "").split()
    if given and given[0] not in ("none", "presentation"):
        return given[0].lower()
    if tag == "input":
        kind = attributes.get("type", "").strip().lower()
        return _BY_INPUT.get(kind) or ("combobox" if "list" in attributes else "textbox")
    if tag == "select":
        size = attributes.get("size", "")
        many = "multiple" in attributes or (size.isdecimal() and size not in ("0", "1"))
        return "listbox" if many else "combobox"
    if tag == "th" and attributes.get("scope", "").strip().lower() in ("row", "rowgroup"):
        return "rowheader"
    if tag in OUT_TAGS:
        return f"#{tag}"
    if attributes.get("contenteditable", "false").strip().lower() in ("", "true", "plaintext-only"):
        return "textbox"
    return _BY_TAG.get(tag, "generic")


URLS = _words("href src action formaction srcset poster data cite ping longdesc background xlink:href")
NAMES = _words("aria-label alt label")
PLACEHOLDERS = frozenset(("placeholder", "aria-placeholder"))
TEST_IDS = ("data-testid", "data-test-id", "data-test", "data-cy", "data-qa")
"""What test tools find elements by. They work as ids and stay."""

_HARMLESS = _words(
    """id class name type role for rel rev target lang xml:lang dir
    width height tabindex hidden disabled checked
    selected required readonly multiple size maxlength minlength max min step autocomplete autofocus autocapitalize
    autocorrect spellcheck inputmode enterkeyhint contenteditable draggable translate method enctype accept
    accept-charset novalidate charset http-equiv media sizes integrity crossorigin referrerpolicy fetchpriority
    loading decoding async defer nomodule open colspan rowspan span scope headers list form nonce is slot part
    sandbox allow allowfullscreen frameborder border cellpadding cellspacing align valign bgcolor color wrap rows
    cols start reversed controls loop muted autoplay preload playsinline usemap ismap shape coords kind srclang
    default low high optimum inert popover popovertarget popovertargetaction itemscope itemtype itemprop itemid
    itemref property version color-scheme xmlns xmlns:xlink xml:space aria-labelledby aria-describedby
    aria-controls aria-owns aria-expanded aria-checked aria-selected aria-pressed aria-hidden aria-disabled
    aria-required aria-readonly aria-level aria-live aria-atomic aria-busy aria-relevant aria-modal aria-haspopup
    aria-multiselectable aria-multiline aria-orientation aria-sort aria-current aria-invalid aria-autocomplete
    aria-activedescendant aria-flowto aria-details aria-errormessage aria-posinset aria-setsize aria-rowcount
    aria-rowindex aria-colcount aria-colindex aria-rowspan aria-colspan aria-valuemin aria-valuemax
    d viewbox fill fill-opacity fill-rule stroke stroke-width stroke-linecap stroke-linejoin stroke-dasharray
    stroke-dashoffset stroke-opacity stroke-miterlimit opacity transform x y x1 x2 y1 y2 cx cy r rx ry dx dy
    points offset stop-color stop-opacity clip-path clip-rule clippathunits mask preserveaspectratio
    gradientunits gradienttransform focusable text-anchor dominant-baseline font-size font-weight font-family
    letter-spacing shape-rendering patternunits baseprofile overflow"""
) | frozenset(TEST_IDS)


def field_of(name: str) -> str:
    """The kind of text that an attribute holds; "" for what cannot carry a secret.

    Attributes nobody knows count as text: what is not on the list of harmless ones may hold anything. What
    only scripts read is a ``copy``, so it never leaves.
    """
    if name in _HARMLESS:
        return ""
    if name in URLS:
        return "url"
    if name in NAMES:
        return "name"
    if name in PLACEHOLDERS:
        return "placeholder"
    if name in ("value", "aria-valuenow"):
        return "value"
    return "copy" if name.startswith(("data-", "on")) else "description"
