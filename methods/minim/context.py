"""What stands beside a value: the header of its column, the label before it, the texts it is split over."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from methods.minim.observation import Element, Observation
from methods.minim.patterns import DATE
from methods.minim.people import name_like

FIELD_ROLES = frozenset(
    "textbox searchbox combobox spinbutton textarea input edit entry textfield edittext password".split()
)
_CELLS = frozenset("cell gridcell rowheader layouttablecell table-cell td dataitem".split())
_TEXTS = frozenset("statictext text labeltext label".split())
_INLINE = frozenset(
    "strong emphasis mark code insertion deletion subscript superscript b i em span inline".split()
)

_KINDS = (
    (
        "password",
        r"(?:pass ?word|pass ?phrase|pass ?wort|kennwort|mot de passe|contraseña|senha|pwd|wachtwoord|пароль|密码|パスワード|pin|pin code)",
    ),
    (
        "otp",
        r"(?:otp|one[- ]time (?:pass)?(?:code|password)|(?:verification|security|authentication|login|sign-in|confirmation|2fa|two-factor|sms|backup|recovery|reset|6-digit) code|passcode"
        r"|sicherheitscode|bestätigungscode|one-time-code)",
    ),
    (
        "secret",
        r"(?:api[ -]?key|(?:access |api |auth |bearer |session |csrf )?token|secret(?: key)?|private key|client secret|access key|csrf|session|session id|security answer)",
    ),
    (
        "card",
        r"(?:(?:credit |debit |bank )?card(?: no\.?| number)?|cc-number|cardnumber|pan|card no|kartennummer)",
    ),
    (
        "card_part",
        r"(?:cvv2?|cvc2?|csc|cid|security code \(cvv\)|exp(?:\.|iry|iration|ires)?(?: date)?|valid (?:thru|until)|last (?:four|4)(?: digits)?|cc-exp|cc-csc)",
    ),
    (
        "bank_account",
        r"(?:iban|(?:bank )?account(?: no\.?| number| #)|acct(?: no\.?| number)?|routing(?: no\.?| number)?|sort code|bsb|bank details|kontonummer)",
    ),
    (
        "gov_id",
        r"(?:ssn|social security(?: no\.?| number)?|tax ?(?:id|payer id)(?: number)?|tin|itin|passport(?: no\.?| number)?|driver'?s? licen[cs]e(?: no\.?| number)?|national id(?: number)?|nino"
        r"|nhs(?: no\.?| number)?|id card(?: no\.?| number)?|aadhaar|government id|steuer-?id|cpf)",
    ),
    (
        "dob",
        r"(?:dob|d\.o\.b\.?|date of birth|birth ?date|birth ?day|born|bday|geburtsdatum|geburtstag|dob \(age\)|date de naissance|dob/age)",
    ),
    (
        "insurance",
        r"(?:member(?:ship)? ?(?:id|no\.?|number|#)|mrn|policy ?(?:id|no\.?|number|#)|group (?:no\.?|number|#)|insurance(?: id| no\.?| number| plan| provider| company)?|subscriber id|patient ?(?:id|no\.?|number)"
        r"|payer|pbm|medical record(?: number)?|health plan)",
    ),
    ("email", r"(?:(?:work |personal |home |contact |primary |secondary |recovery )?e-?mail(?: address)?)"),
    (
        "phone",
        r"(?:(?:work |home |mobile |cell |office |daytime |emergency )?(?:tele)?phone(?: no\.?| number)?|mobile(?: number)?|cell|fax|tel|tel-national|telefon|phone #)",
    ),
    (
        "address",
        r"(?:(?:street |home |work |billing |shipping |mailing |postal |delivery |residential )?address(?: line ?[12])?|street|street-address|address-line[12]|adresse|zip(?: code)?|postal[ -]code|postcode)",
    ),
    (
        "access_code",
        r"(?:(?:door|gate|alarm|entry|gift|gift card|locker|lock box) code|gift card(?: number)?|voucher code)",
    ),
    (
        "amount",
        r"(?:amount|balance|total|subtotal|sub total|price|due|amount due|paid|salary|fee|cost|unit price|debit|credit|gross|net|tax|income|available|overdue|payment)",
    ),
    ("ip_address", r"(?:ip|ip address|ipv4|ipv6)"),
    (
        "person",
        r"(?:(?:full |first |last |middle |given |family |display |legal |preferred |maiden |patient |customer |employee |contact |account |cardholder |user |member |client |student |your |sender |recipient )?name"
        r"|surname|forename|nachname|vorname|nom|prénom|nombre|apellidos?|customer|client|patient|from|to|cc|bcc|sender|recipient|assignee|assigned to|owner|author|reporter|requester|requested by|created by|updated by|employee"
        r"|member|cardholder|account holder|attendees?|provider|prescriber|physician|doctor|emergency contact|contact person|given-name|family-name|additional-name|cc-name|lead|reviewer|spouse|guardian)",
    ),
    ("demographic", r"(?:sex|gender|age|ethnicity|race|marital status|nationality|religion|pronouns)"),
    (
        "health",
        r"(?:allerg(?:y|ies)|diagnos[ie]s|conditions?|medications?|medicine|drug|problems?|problem list|symptoms?|reason for visit|indication|chief complaint|blood type|dx)",
    ),
    (
        "doc_number",
        r"(?:(?:order|invoice|ticket|case|quote|po|reference|ref|receipt|transaction|tracking|document|claim|booking|confirmation|rx|credit note|purchase order)(?: ?(?:#|no\.?|number|id|nr\.?))?|number|no\.|#)",
    ),
    (
        "date",
        r"(?:date|due(?: date)?|created|updated|issued|expires|start|end|sent|date sent|last (?:visit|seen|login|refill|filled)|next (?:visit|appointment)|joined|ordered|shipped|received|modified)",
    ),
)
_KIND = [
    (
        kind,
        re.compile(
            rf"(?:your |enter |confirm |current |new |repeat |old |the |re-?enter |retype |existing |verify )*{words}(?: \(optional\))?"
        ),
    )
    for kind, words in _KINDS
]
_NO_FIELD = re.compile(
    r"\b(?:search|filter|hint|length|minimum|maximum|policy|rules?|strength|age|expiry|manager|find|forgot|expires)\b"
)
_PASSWORD_FIELD = re.compile(
    r"pass ?-?word|pass ?phrase|passwort|kennwort|mot de passe|contraseña|senha|wachtwoord|пароль|密码|パスワード|\bpwd\b"
)
_AUTOCOMPLETE = {
    "name": "person", "given-name": "person", "family-name": "person", "additional-name": "person", "nickname": "person", "cc-name": "person", "email": "email", "tel": "phone",
    "tel-national": "phone", "tel-local": "phone", "street-address": "address", "address-line1": "address", "address-line2": "address", "postal-code": "address",
    "cc-number": "card", "cc-exp": "card_part", "cc-csc": "card_part", "bday": "dob", "one-time-code": "otp", "current-password": "password",
    "new-password": "password", "sex": "demographic",
}  # fmt: skip
_TYPES = {"password": "password", "email": "email", "tel": "phone"}


@lru_cache(maxsize=20_000)
def kind_of(label: str) -> str:
    """The type of values that a label or header announces, or ""."""
    label = " ".join(label.lower().split()).strip(" :*.·?↑↓▲▼▾")
    if not 0 < len(label) <= 40:
        return ""
    return next((kind for kind, pattern in _KIND if pattern.fullmatch(label)), "")


def fits(kind: str, value: str) -> bool:
    """A value under a label of that kind has the form that such values have (labels stand under labels, too)."""
    value = value.strip()
    if not value or len(value) > 200 or kind_of(value):
        return False
    count = sum(c.isdigit() for c in value)
    if kind == "person":
        return name_like(value)
    if kind in ("dob", "date"):
        return bool(DATE.match(value)) and len(value) < 40
    if kind == "phone":
        return count >= 7 and not any(c.isalpha() for c in value.lower().replace("ext", "").replace("x", ""))
    if kind in ("gov_id", "bank_account", "card"):
        return count >= 4 and len(value.split()) <= 8
    if kind == "insurance":
        return count >= 3 and len(value.split()) <= 3
    if kind == "doc_number":
        return count >= 3 and len(value.split()) <= 2 and not DATE.fullmatch(value)
    if kind in ("otp", "access_code"):
        return 4 <= len(value) <= 20 and (count > 0 or value.isupper()) and len(value.split()) <= 3
    if kind == "secret":
        return len(value) >= 8 and count > 0 and " " not in value
    if kind == "password":
        return " " not in value and len(value) >= 4 and (count > 0 or not value.isalpha())
    if kind == "card_part":
        return 3 <= count <= 6 and len(value) <= 10
    if kind == "amount":
        return (
            count > 0
            and not re.search(r"[A-Za-z]{4}|[/%:]", value)
            and ("." in value or "," in value or count >= 4)
        )
    if kind == "address":
        return count > 0 and (len(value.split()) > 1 or 4 <= len(value) <= 10) and not DATE.match(value)
    if kind == "demographic":
        return bool(
            re.fullmatch(
                r"(?i)(?:male|female|non-?binary|other|m|f|x|\d{1,3}(?: ?(?:y|yrs?|years?)(?: old)?)?|married|single|divorced|widowed|he/him|she/her|they/them)",
                value,
            )
        )
    if kind == "health":
        return any(c.isalpha() for c in value) and len(value) > 2
    return False


def is_field(element: Element) -> bool:
    return element.role.lower().replace("-", "") in FIELD_ROLES


def field_kind(element: Element, before: str) -> str:
    """What a person is meant to type into a field, from its type, autocomplete hint, own name or the label before it."""
    states = element.states
    if states.get("password") in (True, "true") or states.get("input_type") == "password":
        return "password"
    for token in str(states.get("autocomplete") or "").lower().split():
        if token in _AUTOCOMPLETE:
            return _AUTOCOMPLETE[token]
    native = (
        element.native_id.rsplit("/", 1)[-1].replace("_", " ").replace("-", " ")
        if "/" in element.native_id
        else ""
    )
    for label in (element.get("name"), element.get("placeholder"), before, native):
        low = label.lower()
        if len(low) <= 60 and _PASSWORD_FIELD.search(low) and not _NO_FIELD.search(low):
            return "password"
        kind = kind_of(label)
        if kind:
            return kind
    return _TYPES.get(str(states.get("input_type") or ""), "")


def headers(observation: Observation) -> dict[int, str]:
    """For each cell of a table its column's header; texts inside a cell have the cell's."""
    elements = observation.elements
    found: dict[int, str] = {}
    table: dict[int, int] = {}
    columns: dict[int, list[int]] = {}
    rows: dict[int, list[int]] = {}
    for e in elements:
        role = e.role.lower()
        if role in ("table", "grid", "treegrid"):
            table[e.uid] = e.uid
        elif e.parent in table:
            table[e.uid] = table[e.parent]
        if role == "columnheader" and e.uid in table:
            columns.setdefault(table[e.uid], []).append(e.uid)
        elif role in _CELLS and e.uid in table:
            rows.setdefault(e.parent, []).append(e.uid)
    texts = _texts_below(observation, {c for row in columns.values() for c in row})
    for row in rows.values():
        heads = columns.get(table[row[0]])
        if not heads:
            continue
        for i, cell in enumerate(row):
            head = heads[i] if i < len(heads) else None
            box = elements[cell].box
            if len(row) != len(heads) and box:
                middle = box[0] + box[2] / 2
                head = next(
                    (h for h in heads if (b := elements[h].box) and b[0] <= middle <= b[0] + b[2]), None
                )
            if head is not None:
                found[cell] = texts[head]
    for e in elements:
        if e.uid not in found and e.parent in found:
            found[e.uid] = found[e.parent]
    return found


def _texts_below(observation: Observation, wanted: set[int]) -> dict[int, str]:
    """The name of each wanted element, or else the texts right below it."""
    elements, children = observation.elements, observation.children
    return {
        u: elements[u].get("name") or " ".join(elements[c].get("name") for c in children[u]) for u in wanted
    }


def labels_before(observation: Observation) -> dict[int, str]:
    """For each text or field the text before it that can be its label: the nearest one, at most two levels up."""
    elements = observation.elements
    found: dict[int, str] = {}
    last: Element | None = None
    for e in elements:
        role = e.role.lower()
        own = e.get("name")
        if role in _TEXTS or role in ("button", "combobox") or is_field(e) or own:
            if last is not None and _near(observation, last, e):
                found[e.uid] = last.get("name")
            elif e.parent in found and elements[e.parent].get("name") in ("", own):
                found[e.uid] = found[e.parent]
        if (
            own
            and len(own) <= 40
            and not observation.children[e.uid]
            and role not in ("button", "link", "option", "tab", "columnheader")
        ):
            last = e
        elif own and role in ("labeltext", "term", "rowheader") and len(own) <= 40:
            last = e
    return found


def _near(observation: Observation, label: Element, value: Element) -> bool:
    """Both stand in the same small group, label first."""
    if label.uid in (value.uid, value.parent):
        return False
    up = [value.parent, observation.elements[value.parent].parent if value.parent >= 0 else -2]
    over = [label.parent, observation.elements[label.parent].parent if label.parent >= 0 else -3]
    return value.uid - label.uid <= 4 and any(
        u == o and len(observation.children[u]) <= 60 for u in up for o in over if u >= 0
    )


def runs(observation: Observation) -> Iterator[list[int]]:
    """Neighbouring texts of one block: a secret may be split over them. Each run has two to twelve elements."""
    elements = observation.elements
    run: list[int] = []
    block = -2
    for e in elements:
        role = e.role.lower()
        if role in _TEXTS and e.texts and not observation.children[e.uid]:
            parent = e.parent
            while parent >= 0 and elements[parent].role.lower() in _INLINE:
                parent = elements[parent].parent
            if parent != block or len(run) == 12:
                if len(run) > 1:
                    yield run
                run = []
                block = parent
            run.append(e.uid)
        elif role not in _INLINE and role not in ("inlinetextbox", "generic", "none", "linebreak"):
            if len(run) > 1:
                yield run
            run, block = [], -2
    if len(run) > 1:
        yield run
