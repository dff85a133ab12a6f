"""What gives a private value away by its own shape or by the words beside it, in one folded text.

Shapes follow the public specifications: card numbers ISO/IEC 7812 (Luhn check), bank accounts ISO 13616 (mod 97),
telephone numbers E.164, social security numbers of the US SSA, tokens as their issuers document the prefixes.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from methods.minim.normalise import digits, vocabulary


class Hit(NamedTuple):
    """Characters ``start:end`` of a folded text. ``checksum`` is None where the type has none."""

    start: int
    end: int
    type: str
    why: str
    checksum: bool | None = None


def luhn(number: str) -> bool:
    """The check digit of a card number (digits only) is right."""
    total = 0
    for i, c in enumerate(reversed(number)):
        d = int(c) * (1 + i % 2)
        total += d - 9 * (d > 9)
    return total % 10 == 0


def mod97(iban: str) -> bool:
    """The check digits of an IBAN (no spaces) are right."""
    return int("".join(str(int(c, 36)) for c in iban[4:] + iban[:4])) % 97 == 1


_MONTH = r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
DATE = re.compile(
    r"(?<![\w./-])(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}([/.-])\d{1,2}\1(?:\d{4}|\d{2})"
    rf"|{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?|\d{{1,2}}\.? {_MONTH}\.?(?:,? \d{{4}})?)(?![\w/]|[.-]\d)"
)
_BORN = re.compile(
    r"(?i)(?:\bdob|\bd\.o\.b\.?|\bborn|birth(?:day|date)?|\bgeb(?:\.|oren)|geburtsdatum|\bn[ée]e? le)\W{0,3}(?:on|is|am)?\W{0,3}$"
)
_AGE = re.compile(r"\s*\((?:age )?\d{1,3} ?(?:y|yo|yrs?|years?)?(?: old)?\)")

EMAIL = re.compile(r"(?<![\w.+%-])[\w.+%-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}")
_CUT_EMAIL = re.compile(r"(?<![\w.+%-])[\w.+-]{2,64}@(?=\W*$|\W*(?:…|\.\.\.))")

_CARD = re.compile(
    r"(?<![\w.,/-])(?<!\d )(?:\d{13,19}|\d{4}(?:([ -])\d{4}){2,3}(?:\1\d{1,4})?|\d{4}([ -])\d{6}\2\d{4,5}|\d(?:[ -]\d){12,18})(?![\w]|[ -]\d)"
)
_CARD_WORD = re.compile(
    r"(?i)\b(?:card|visa|master ?card|amex|american express|maestro|discover|diners|jcb|debit|credit|pan|karte|carte|tarjeta)\b"
)
_CARD_PART = re.compile(
    r"(?i)(?:[•●∙·*x]{2,}[ -]?)+\d{4}(?!\d)|(?<=ending in )\d{4}\b|(?<=ending )\d{4}\b|(?<=\bexp )\d\d/\d\d(?:\d\d)?\b"
    r"|(?<=\bexpires )\d\d/\d\d(?:\d\d)?\b|(?<=\bexp\. )\d\d/\d\d(?:\d\d)?\b|(?<=\bcvv )\d{3,4}\b|(?<=\bcvc )\d{3,4}\b|(?<=\bcvv: )\d{3,4}\b"
)
_IBAN = re.compile(r"(?<![\w-])[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,3})?(?![\w])")
_IBAN_LENGTH = dict(
    item.split(":")
    for item in (
        "AD:24 AE:23 AT:20 BE:16 BG:22 BR:29 CH:21 CY:28 CZ:24 DE:22 DK:18 EE:20 ES:24 FI:18 FR:27 GB:22 GR:27 HR:21 HU:28 IE:22 IL:23 "
        "IS:26 IT:27 LI:21 LT:20 LU:20 LV:21 MC:27 MT:31 NL:18 NO:15 PL:28 PT:25 RO:24 SA:24 SE:24 SI:19 SK:24 TR:26 UA:29"
    ).split()
)
_ACCOUNT = re.compile(
    r"(?i)\b(?:account|acct|a/c|routing|sort code|konto(?:nummer)?)\.? ?(?:no\.?|number|nr\.?|#)?\s?[:#]?\s?(\d{6,17}|\d\d-\d\d-\d\d)(?![\w-])"
)
_SSN = re.compile(r"(?<![\w-])(?!000|666)\d{3}-(?!00)\d\d-(?!0000)\d{4}(?![\w-])")
_GOV = re.compile(
    r"(?i)\b(?:ssn|social security(?: number| no\.?)?|passport(?: number| no\.?)?|driver'?s?[ -]licen[cs]e(?: number| no\.?)?|tax id|itin|tin"
    r"|national id|nino|national insurance(?: number| no\.?)?|aadhaar|nhs(?: number| no\.?)?|id card(?: number| no\.?)?|ausweisnummer)"
    r"\s?(?:is|:|#)?\s?(?=[\w -]{0,8}\d)([A-Za-z0-9](?:[ -]?[A-Za-z0-9]){5,14})(?![\w-])"
)
_NINO = re.compile(r"(?<!\w)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d\d ?\d\d ?\d\d ?[A-D](?!\w)")
_MEMBER = re.compile(
    r"(?i)\b(?:member(?:ship)? (?:id|no\.?|number)|policy (?:id|no\.?|number)|group (?:no\.?|number)|mrn|patient (?:id|no\.?|number)|insurance (?:id|no\.?|number)"
    r"|subscriber id)\s?[:#]?\s?(?=\S*\d)([A-Za-z]{0,5}[-_]?[A-Za-z0-9-]{3,18})(?![\w-])"
)
PHONE = re.compile(
    r"(?<![\w.,#/-])(?<!\d )(?:\+\d{1,3}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d{1,5}(?:[ .-]?\d{2,5}){1,4}|\(\d{2,5}\)[ .-]?\d{3,4}[ .-]?\d{3,4}"
    r"|(?:1[ .-])?\d{3}([ .-])\d{3}\1\d{4}|0\d{2,4}[ /-]\d{3,4}[ -]?\d{3,5}|555-\d{4})(?:\s?(?:x|ext\.?)\s?\d{1,5})?(?![\w]|[.,-]\d)"
)
_PHONE_WORD = re.compile(r"(?i)\b(?:phone|tel|mobile|cell|call|fax|text|sms|whatsapp|telefon|handy)\b")
_LOCAL = re.compile(r"(?<![\w.,#/-])(?:\d{3}-\d{4}|\d{10,11})(?![\w]|[.,-]\d)")
_AMOUNT = re.compile(
    r"(?<![\w])[-−+]?(?:(?:[A-Z]{1,3})?[$€£¥₹]\s?-?\d[\d,.  ]*(?:\d|(?<=\d))(?:[kKmM]\b|bn\b)?|\d[\d,.]*\s?(?:[€£]|(?:USD|EUR|GBP|AUD|CAD|NZD|CHF|JPY|INR|BTC)\b)|(?:USD|EUR|GBP|AUD|CAD|NZD|CHF)\s?\d[\d,.]*)"
)
_IP = re.compile(
    r"(?<![\w.:])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}(?![\w]|\.\d)"
    r"|(?=[0-9A-Fa-f:]*(?:::|[A-Fa-f]))(?:[0-9A-Fa-f]{1,4}:){2,7}:?(?:[0-9A-Fa-f]{1,4}:){0,5}[0-9A-Fa-f]{1,4}(?![\w:]))"
)
_STREET = r"St|Street|Ave|Avenue|Rd|Road|Blvd|Boulevard|Ln|Lane|Dr|Drive|Ct|Court|Pl|Place|Sq|Square|Way|Terrace|Pkwy|Parkway|Hwy|Highway|Close|Crescent|Row"
_ADDRESS = re.compile(
    r"(?<![\w.,#-])\d{1,5}[A-Za-z]?(?: [NSEW]\.?)?(?: (?:[A-Z][\w'.-]*|\d+(?:st|nd|rd|th))){1,4}? (?:"
    + _STREET
    + r")\b\.?"
    r"(?:,? (?:Apt|Suite|Ste|Unit|Floor|Flat|#)\.? ?[\w-]{1,6})?(?:, [A-Z][\w'.-]*(?: [A-Z][\w'.-]*){0,2})?(?:, [A-Z]{2,3}\b)?(?:,? \d{4,5}(?:-\d{4})?(?!\d))?(?![\w])"
    r"|(?<!\w)[A-ZÄÖÜ][\w-]*(?:straße|strasse|str\.|gasse|platz|allee) \d{1,4} ?[a-z]?(?:, \d{5} [A-ZÄÖÜ]\w+)?(?!\w)"
    r"|(?<!\w)\d{1,4}(?: bis)?,? (?:rue|avenue|boulevard|place|via|calle) (?:d[eu] |de la |des |d')?[A-ZÉ][\w'-]+(?: [A-ZÉ][\w'-]+){0,2}(?:, \d{5} [A-Z]\w+)?"
    r"|(?i:\bp\.?o\.? box) \d{1,6}"
)
_DOCUMENT = re.compile(
    r"(?<![\w-])(?:(?:INV|PO|QU|CN|SO|RMA|TKT|ORD|CASE|REF|BILL|CR|WO|DO|QT|EST|RX|PR)-?(?:[A-Z]{2,8}-)?\d{3,}(?:-\w{1,6})?"
    r"|(?!ISO|UTF|RFC|COVID|WCAG|SHA|AES|MD|USB)[A-Z]{2,5}(?:-[A-Z0-9]{1,8}){0,2}-\d{3,8}(?:-[A-Z0-9]{1,4})?)(?![\w-])"
    r"|(?i:(?<=\border )|(?<=\binvoice )|(?<=\bticket )|(?<=\bquote )|(?<=\bcase ))#?\d{4,12}\b"
)

# One-time codes: the code itself, words that announce it, and codes that are something else.
_CODE = (
    r"(?:[A-Z]{1,3}-\d{4,8}|\d{3}[ -]\d{3}|\d{4}[ -]\d{4}|\d{2}[ -]\d{2}[ -]\d{2}|\d{4,8}|\d(?:[ -]\d){3,7}"
    r"|(?=[A-Z0-9]*\d)[A-Z0-9]{5,10}|[A-Z]{6}|(?=[a-z0-9-]*\d)[a-z0-9]{4,5}-[a-z0-9]{4,5})"
)
_CODE_WORD = (
    r"(?:otp|t?otp code|pass ?code|pin(?: code)?|tan|2fa(?: code)?|mfa(?: code)?|one[- ]time (?:pass)?(?:code|word|pin)|sicherheitscode|bestätigungscode"
    r"|best(?:ae|ä)tigungs-?code|einmal(?:code|passwort|kennwort)|code de (?:vérification|sécurité|connexion)|código(?: de \w+)?|codice(?: di \w+)?"
    r"|(?:verification|security|login|log-?in|sign-?in|auth(?:entication|orization)?|two-factor|confirmation|access|backup|recovery|reset|authenticator|sms|unlock|your|the|this|token)"
    r" (?:code|key|pin|number)|(?<![\w-])code)"
)
_CODE_AFTER = re.compile(
    rf"(?i:\b{_CODE_WORD})(?: (?i:is|ist|est|es|for \w+ is|to sign in|number|below))?\s?[:=#]?\s?({_CODE})(?![\w-]|[.,]\d)"
)
_CODE_BEFORE = re.compile(
    rf"(?<![\w#$.,+-])({_CODE})(?![\w-]|[.,]\d) (?i:is|ist|est|es|-|–)(?: (?!of\b)[\w&-]+){{0,4}}? (?i:(?:{_CODE_WORD}|[\w-]*code)\b)"
)
_CODE_USED = re.compile(
    rf"(?i:\b(?:use|enter|type|reply with))(?: (?i:code))? ({_CODE})(?![\w-]|[.,]\d) (?i:to (?:sign|log|verify|confirm|finish|continue|reset)|as your|for your|within|before)"
)
_CODE_BRAND = re.compile(r"(?<!\w)G-\d{6}(?!\w)")
_NOT_OTP = re.compile(
    r"(?i)(?:door|gate|alarm|entry|garage|locker|safe|box|gift|card|error|dial|postal|post|zip|area|country|promo|promotion|coupon|discount|voucher|source|bar|qr|item|product|status|exit|response|http|tax|colou?r|dress|currency|"
    r"language|reason|billing|cpt|icd|ndc|hs|course|class|department|dept|account|charge|stock|branch|sort|swift|bank|region|airport|referral|plan|project|job|"
    r"building|zone|invite|invoice|order|tracking|reference|qualifying|sku|diagnosis|procedure|activity)[ -]$"
)
_ACCESS = re.compile(
    r"(?i)\b(?:(?:door|gate|alarm|entry|garage|locker|safe|key ?box|lock ?box|building|gift(?: ?card)?|voucher|combination) ?(?:code|pin|combination|number)?)"
    r"\s?(?:is|:|=)?\s?#?((?=[\w*#-]*\d)[\w*-]{4,20}#?)(?![\w])"
)
_PASSWORD = re.compile(
    r"(?i)\b(?:pass(?:word|wort|phrase)|kennwort|pwd|mot de passe|contraseña|wi-?fi(?: key)?|wlan)\s?(?:is|ist|:|=)\s?(?=[^\s\"']*[\d!@#$%^&*_+])([^\s\"'<>,;]{4,64})"
)
BULLETS = re.compile(r"[•●∙*]{6,}(?!\s?\d)")

# Keys and tokens: known beginnings, words that announce one, and plain randomness.
_PREFIX = re.compile(
    r"(?<![\w-])(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_]?[A-Za-z0-9_-]{12,}|(?<![\w-])(?:gh[pousrx]|github_pat|glpat|hf|npm|dop_v1|whsec|pat|shpat|lin_api|xox[abpsr]|sq0atp|SG)"
    r"[-_.][A-Za-z0-9_.-]{12,}|(?<!\w)(?:AKIA|ASIA)[0-9A-Z]{16}(?!\w)|(?<!\w)AIza[0-9A-Za-z_-]{30,}|(?<!\w)eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?|(?<!\w)ya29\.[\w-]{20,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----(?:[^-]{0,8000}-----END [A-Z ]*PRIVATE KEY-----)?"
)
_KEY_PART = re.compile(
    r"(?<![\w-])(?:(?:sk|pk|rk)_(?:live|test)|gh[pousr]|glpat|xox[abp]|lin_api|whsec|shpat)[-_][A-Za-z0-9]{4,}"
)
_ANNOUNCED = re.compile(
    r"(?i)\b(?:api[ _-]?key|(?:access|auth|api|refresh|bearer|session|csrf|id)[ _-]?token|secret(?:[ _-]?key)?|access[ _-]?key|private[ _-]?key|client[ _-]secret|bearer|session(?:[ _-]?id)?"
    r"|webhook|token)[\"']?\s?[:= ]\s?[\"']?(?=[A-Za-z0-9+/_.-]*\d)([A-Za-z0-9+/_.-]{10,}=*)"
)
_RUN = re.compile(r"(?<![\w.+/-])[A-Za-z0-9_-]{16,256}(?![\w])")
_QUERY = re.compile(
    r"(?i)[?&#;](?:[\w.-]*(?:token|auth|secret|passw(?:or)?d|pwd|signature|session|apikey|api_key|api-key|access_key|jwt|otp|credential|ticket|nonce)[\w.-]*|t|sig|key|code|sid|k|pass|p|invite|state)=([^&#;\s]{4,})"
)
_PATH = re.compile(r"(?<=[/=])[A-Za-z0-9_-]{20,256}(?![\w.-])")
_TEL = re.compile(r"(?i)^(?:tel|sms|whatsapp):\+?([\d().\- +]{5,})")
_MARKED = re.compile(r"[•●∙·*]|(?i:xx|ending|exp|cv[vc])")
_CURRENCY = re.compile(r"[$€£¥₹]|\b(?:USD|EUR|GBP|AUD|CAD|NZD|CHF|JPY|INR|BTC)\b")
_CODE_WORDS = frozenset(
    "otp passcode pin tan 2fa mfa password passwort passphrase kennwort pwd passe contraseña wifi wi wlan use enter type reply código codice safe gate door".split()
)


def random_looking(token: str) -> bool:
    """Mixed case and digits in an order that words and product names do not have (about 3 bits a character)."""
    n = len(token)
    kinds = [2 if c.isdigit() else c.isupper() if c.isalpha() else 3 for c in token]
    if n < 16 or not {0, 1, 2} <= set(kinds):
        return False
    changes = sum(a != b for a, b in itertools.pairwise(kinds))
    entropy = -sum(k / n * math.log2(k / n) for k in Counter(token).values())
    return changes >= 0.3 * n and entropy >= 3.2


def _cards(text: str) -> Iterator[Hit]:
    for m in _CARD.finditer(text):
        near = bool(_CARD_WORD.search(text))
        number = digits(m.group())
        right = luhn(number)
        grouped = m.group(1) is not None or m.group(2) is not None
        issuer = (number[0] in "3456" or "2221" <= number[:4] <= "2720") and 14 <= len(number) <= 19
        if (right and issuer and (grouped or near or len(number) in (15, 16))) or (
            near and (grouped or issuer)
        ):
            yield Hit(
                *m.span(), "card", "card number" if right else "card-like number, checksum fails", right
            )
        elif grouped and len(number) == 16 and number[0] in "3456":
            yield Hit(*m.span(), "card", "four groups of four digits, checksum fails", False)


def _ibans(text: str) -> Iterator[Hit]:
    for m in _IBAN.finditer(text):
        compact = re.sub("[ -]", "", m.group())
        right = mod97(compact)
        if right or int(_IBAN_LENGTH.get(compact[:2], 0)) == len(compact):
            yield Hit(*m.span(), "bank_account", "IBAN" if right else "IBAN-like, checksum fails", right)


def _codes(text: str) -> Iterator[Hit]:
    shouting = text.isupper()
    for pattern in (_CODE_AFTER, _CODE_BEFORE, _CODE_USED):
        for m in pattern.finditer(text):
            code = m.group(1)
            if pattern is _CODE_AFTER and _NOT_OTP.search(text, max(0, m.start() - 14), m.start()):
                continue
            if code.isalpha() and (shouting or not code.isupper()):
                continue
            yield Hit(*m.span(1), "otp", "one-time code beside its word")
    for m in _ACCESS.finditer(text):
        yield Hit(*m.span(1), "access_code", "door or gift code beside its word")
    for m in _PASSWORD.finditer(text):
        yield Hit(*m.span(1), "password", "beside the word password")


def _secrets(text: str) -> Iterator[Hit]:
    for m in _PREFIX.finditer(text):
        yield Hit(*m.span(), "secret", "begins like a key of a known issuer")
    for m in _KEY_PART.finditer(text):
        yield Hit(*m.span(), "key_part", "part of a key of a known issuer")
    for m in _ANNOUNCED.finditer(text):
        yield Hit(*m.span(1), "secret", "beside the words key or token")
    for m in _RUN.finditer(text):
        if random_looking(m.group()):
            yield Hit(*m.span(), "secret", "looks random")


def _dates(text: str) -> Iterator[Hit]:
    for m in DATE.finditer(text):
        born = _BORN.search(text, max(0, m.start() - 24), m.start()) or _AGE.match(text, m.end())
        yield Hit(*m.span(), "dob" if born else "date", "date of birth" if born else "date")


def _phones(text: str) -> Iterator[Hit]:
    for m in PHONE.finditer(text):
        if 7 <= len(digits(m.group())) <= 16:
            yield Hit(*m.span(), "phone", "telephone number")
    word = _PHONE_WORD.search(text)
    for m in _LOCAL.finditer(text):
        if word or m.end() - m.start() == len(text.strip()) == 8:
            yield Hit(*m.span(), "phone", "telephone number")


_STREET_WORDS = frozenset(_STREET.lower().split("|")) | frozenset(
    "rue avenue boulevard place via calle box platz allee".split()
)
_ID_WORDS = frozenset(
    "ssn social passport licence license tax itin tin national nino aadhaar nhs id ausweisnummer member membership policy group mrn patient insurance subscriber".split()
)
_ACCOUNT_WORDS = frozenset("account acct routing sort konto kontonummer a".split())


def _numbers(text: str, words: frozenset[str]) -> Iterator[tuple[re.Pattern[str], str, str]]:
    """Which patterns with digits are worth trying: each has a cheap condition."""
    dashes = text.count("-")
    if dashes > 1:
        yield _SSN, "gov_id", "social security number"
    if _MARKED.search(text):
        yield _CARD_PART, "card_part", "part of a card number or its expiry"
    if _CURRENCY.search(text):
        yield _AMOUNT, "amount", "amount of money"
    if text.count(".") > 2 or text.count(":") > 2:
        yield _IP, "ip_address", "network address"
    if not words.isdisjoint(_STREET_WORDS) or "stra" in text or "gasse" in text or "str." in text:
        yield _ADDRESS, "address", "street address"
    if not text.islower():
        yield _DOCUMENT, "doc_number", "document number"
        yield _NINO, "gov_id", "national insurance number"
    if "G-" in text:
        yield _CODE_BRAND, "otp", "one-time code of a known form"


@lru_cache(maxsize=50_000)
def scan(text: str) -> tuple[Hit, ...]:
    """Everything found in a folded text; hits may overlap."""
    hits: list[Hit] = []
    words = vocabulary(text)
    if "@" in text:
        hits += [Hit(*m.span(), "email", "e-mail address") for m in EMAIL.finditer(text)]
        hits += [Hit(*m.span(), "email", "e-mail address, cut off") for m in _CUT_EMAIL.finditer(text)]
    if not words.isdisjoint(_CODE_WORDS) or "code" in text.lower():
        hits += _codes(text)
    count = sum(map(text.count, "0123456789"))
    if (count or "BEGIN" in text) and max(map(len, text.split()), default=0) >= 8:
        hits += _secrets(text)
    if "•" in text or "*" in text or "●" in text or "∙" in text:
        hits += [Hit(*m.span(), "password", "hidden by bullets") for m in BULLETS.finditer(text)]
    if not count:
        return tuple(hits)
    if count >= 12:
        hits += _cards(text)
        hits += _ibans(text)
    if count >= 6 and not words.isdisjoint(_ACCOUNT_WORDS):
        hits += [
            Hit(*m.span(1), "bank_account", "account number beside its word") for m in _ACCOUNT.finditer(text)
        ]
    if count >= 7:
        hits += _phones(text)
    hits += _dates(text)
    hits += [
        Hit(*m.span(), kind, why)
        for pattern, kind, why in _numbers(text, words)
        for m in pattern.finditer(text)
    ]
    if not words.isdisjoint(_ID_WORDS):
        hits += [Hit(*m.span(1), "gov_id", "government id beside its word") for m in _GOV.finditer(text)]
        hits += [Hit(*m.span(1), "insurance", "member id beside its word") for m in _MEMBER.finditer(text)]
    return tuple(hits)


@lru_cache(maxsize=20_000)
def scan_url(text: str) -> tuple[Hit, ...]:
    """Everything found in a folded address: secrets of the query, e-mail and telephone links."""
    if text[:5].lower() == "data:":
        return ()
    hits = (
        [Hit(*m.span(), "email", "e-mail address in a link") for m in EMAIL.finditer(text)]
        if "@" in text
        else []
    )
    hits += [Hit(*m.span(1), "phone", "telephone link") for m in _TEL.finditer(text)]
    for m in _QUERY.finditer(text):
        if re.search(r"\d", m.group(1)) or len(m.group(1)) >= 16:
            hits.append(Hit(*m.span(1), "secret", "secret in a link"))
    hits += [
        Hit(*m.span(), "secret", "random part of a link")
        for m in _PATH.finditer(text)
        if random_looking(m.group())
    ]
    return tuple(hits)
