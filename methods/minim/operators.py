"""What stands in the place of a private text: a token, a number, its last four, a fake, a wider term, its state."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass, field

from methods.core.errors import BadInput
from methods.minim.findings import TYPES
from methods.minim.normalise import digits, fold
from methods.minim.patterns import luhn

OPERATORS = ("token", "numbered", "last-four", "fake", "generalise", "state")
FILLED, EMPTY = "value-state=filled", "value-state=empty"
PRIVATE = "private"
"""The type of what is private though no rule says why."""

_NUMERIC = frozenset("card bank_account phone gov_id insurance otp".split())
_WORDS = re.compile(r"\w+")


@dataclass
class Pseudonyms:
    """Numbers for private texts. The same text gets the same number in every file of a trace.

    A person is the same in any order and case ("Hallam, Noor" is "NOOR HALLAM"), a number in any grouping.
    Kept on this machine only: it knows the originals.
    """

    numbers: dict[tuple[str, str], int] = field(default_factory=dict)

    def number(self, type: str, text: str) -> int:
        """The number of this text among those of its type, from 1."""
        key = _token(type), _canonical(type, text)
        if key not in self.numbers:
            self.numbers[key] = 1 + sum(kind == key[0] for kind, _ in self.numbers)
        return self.numbers[key]


def replacement(type: str, text: str, operator: str, pseudonyms: Pseudonyms) -> str:
    """What an agent reads instead of ``text``, a private text of that type.

    An operator that would give too much away or does not fit the text falls back to the typed token: passwords,
    codes and secrets have no last four; a number of fewer than eight digits has none either.

    Raises:
        BadInput: there is no such operator.
    """
    token = f"<{_token(type)}>"
    if operator == "token":
        return token
    if operator == "numbered":
        return f"{_token(type)}_{pseudonyms.number(type, text)}"
    if operator == "last-four":
        return _last_four(type, text) or token
    if operator == "fake":
        return _fake(type, text, pseudonyms.number(type, text)) or token
    if operator == "generalise":
        return _general(type, text)
    if operator == "state":
        return FILLED if text else EMPTY
    raise BadInput(f'There is no operator "{operator}".', f"Use one of {', '.join(OPERATORS)}.")


def _token(type: str) -> str:
    return TYPES[type].token if type in TYPES else type.upper()


def _canonical(type: str, text: str) -> str:
    folded = fold(text).text.casefold()
    if type in _NUMERIC and digits(folded):
        return "".join(c for c in folded if c.isalnum())
    if type == "person":
        return " ".join(sorted(_WORDS.findall(folded)))
    return " ".join(folded.split())


def _last_four(type: str, text: str) -> str:
    folded = fold(text).text
    if type in ("password", "otp", "secret", "given", "access_code", "key_part") or len(digits(folded)) < 8:
        return ""
    left = sum(c.isalnum() for c in folded) - 4
    out = []
    for c in folded:
        out.append("•" if c.isalnum() and left > 0 else c)
        left -= c.isalnum()
    return "".join(out)


_FIRST = "Alex Billie Casey Devon Ellis Frankie Glenn Harper Indigo Jamie".split()
_LAST = "Sample Specimen Placeholder Template Mockley Dummett Testerton Fauxley Exampleton Standin".split()
_DATES = ("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%m/%d/%Y", "%d/%m/%Y", "%d.%m.%Y", "%m/%d/%y", "%B %d, %Y")
_DATES += ("%b %d, %Y", "%d %B %Y", "%d %b %Y", "%B %d", "%b %d", "%d %B", "%d %b")


def _fake(type: str, text: str, number: int) -> str:
    """A text of the same form that belongs to nobody: reserved domains, number ranges and card prefixes."""
    if type == "email":
        return f"person{number}@example.com"
    if type == "phone":  # 555-0100 to 555-0199 are set aside for fiction
        line = f"555-01{number % 100:02d}"
        return f"+1 202-{line}" if text.lstrip().startswith("+") else line
    if type == "card":
        return _regroup(text, _test_card(number, len(digits(fold(text).text))))
    if type in ("date", "dob"):
        return _fake_date(text, number)
    if type == "person":
        name = f"{_FIRST[number % 10]} {_LAST[number // 10 % 10]}"
        name = name if " " in text.strip() else name.split()[0]
        return name.upper() if text.isupper() else name
    if type == "ip_address":
        return f"192.0.2.{number % 255}"  # RFC 5737
    return ""


def _test_card(number: int, length: int) -> str:
    """A number with the test prefix 400000 and a right check digit (ISO/IEC 7812)."""
    length = min(max(length, 13), 19)
    body = "400000" + str(number).zfill(length - 7)[-(length - 7) :]
    return next(body + check for check in "0123456789" if luhn(body + check))


def _regroup(text: str, number: str) -> str:
    """``number`` with the separators of ``text``, when it has as many digits."""
    folded = fold(text).text
    if len(digits(folded)) != len(number):
        return number
    rest = iter(number)
    return "".join(next(rest) if c in "0123456789" else c for c in folded)


def _parse_date(text: str) -> tuple[datetime.datetime, str] | None:
    plain = re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", fold(text).text.strip())
    for form in _DATES:
        # A leap year is put in where the form has none, so that 29 February is a date.
        year, year_form = ("", "") if "y" in form.lower() else (" 2000", " %Y")
        try:
            return datetime.datetime.strptime(plain + year, form + year_form), form
        except ValueError:
            continue
    return None


def _fake_date(text: str, number: int) -> str:
    found = _parse_date(text)
    if found is None:
        return ""
    day = datetime.date(2000, 1, 1) + datetime.timedelta(days=number % 9000)
    if day == found[0].date():
        day += datetime.timedelta(days=1)
    return day.strftime(found[1])


_ISSUERS = (
    ("4", "a Visa card"),
    ("34", "an American Express card"),
    ("37", "an American Express card"),
    ("5", "a Mastercard"),
    ("2", "a Mastercard"),
    ("6", "a Discover card"),
)


def _general(type: str, text: str) -> str:
    """A wider term in words."""
    if type == "card":
        number = digits(fold(text).text)
        return next((name for start, name in _ISSUERS if number.startswith(start)), "a card")
    if type in ("date", "dob"):
        year = re.search(r"(?<!\d)(?:19|20)\d\d(?!\d)", fold(text).text)
        return f"a date in {year.group()}" if year else "a date"
    if type not in TYPES:
        return "something private"
    title = TYPES[type].title
    title = title if title[1:2].isupper() else title[0].lower() + title[1:]
    if type in ("health", "demographic"):  # no countable thing
        return f"{title} information"
    return f"{'an' if title[0] in 'aeiou' else 'a'} {title}"
