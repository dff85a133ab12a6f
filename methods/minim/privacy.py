"""Types of private values with their base sensitivity, and what a rule says when it has found one.

Base sensitivities are those of the published label rules of the data set.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PrivacyType:
    """``s``: base sensitivity in [0, 10]; ``floor``: never kept as it is; ``token``: what stands in its place."""

    id: str
    title: str
    s: float
    floor: bool
    token: str


_TABLE = """
password      | Password                  | 10 | floor | PASSWORD
otp           | One-time code             | 10 | floor | CODE
secret        | Key or token              | 10 | floor | SECRET
given         | Secret you named          | 10 | floor | SECRET
card          | Card number               | 9  | floor | CARD
bank_account  | Bank account              | 9  |       | ACCOUNT
gov_id        | Government id             | 9  |       | GOVERNMENT_ID
health        | Health                    | 9  |       | HEALTH
dob           | Date of birth             | 8  |       | DATE_OF_BIRTH
insurance     | Insurance or member id    | 8  |       | MEMBER_ID
email         | E-mail address            | 7  |       | EMAIL
phone         | Telephone number          | 7  |       | PHONE
address       | Postal address            | 7  |       | ADDRESS
access_code   | Door or gift code         | 7  |       | ACCESS_CODE
key_part      | Part of a key             | 7  |       | KEY
amount        | Amount of money           | 6  |       | AMOUNT
card_part     | Last four digits, expiry  | 6  |       | CARD_PART
ip_address    | Network address           | 6  |       | IP_ADDRESS
message       | Message                   | 6  |       | MESSAGE
person        | Person                    | 5  |       | PERSON
demographic   | Sex, age                  | 5  |       | DEMOGRAPHIC
doc_number    | Document number           | 4  |       | NUMBER
date          | Date                      | 3  |       | DATE
"""
TYPES: dict[str, PrivacyType] = {}
for _line in _TABLE.strip().splitlines():
    _id, _title, _s, _floor, _token = (cell.strip() for cell in _line.split("|"))
    TYPES[_id] = PrivacyType(_id, _title, float(_s), _floor == "floor", _token)


@dataclass(frozen=True, slots=True)
class Finding:
    """Characters ``start:end`` of the decoded text ``texts[text]`` of element ``uid``.

    ``checksum`` is None where the type has none. Findings of one text never overlap.
    """

    uid: int
    text: int
    start: int
    end: int
    type: str
    why: str
    checksum: bool | None = None
