"""What stands on made pages: names, places, dates, amounts, codes and prose, all invented from parts."""

from __future__ import annotations

import datetime
from random import Random

FIRST = (
    "Anna Ben Clara Daniel Elena Farid Grace Hassan Ines Jonas Karim Lucia Mei Nadia Oscar Priya Quentin Rosa Samuel "
    "Tara Umar Vera Wei Xenia Yusuf Zoe Martin Ruth Peter Sofia Arjun Lim Chong Siti Aziz Maria John Linda"
).split()
LAST = (
    "Abbott Becker Chan Duarte Evans Fischer Gomez Hansen Ibrahim Jensen Kaur Larsen Moreau Novak Okafor Patel Quinn "
    "Rossi Schmidt Tan Ueda Vargas Weber Xu Young Zhang Lindholm Carter Singh Wong Brennan Foster Hughes Miller"
).split()
TRADE = (
    "Trading Stationery Hardware Bakery Restaurant Cafe Electronics Pharmacy Books Foods Motors Textiles Media "
    "Broadcasting Consulting Logistics Supplies Furniture Garden Optical Printing Sports Dental Travel Communications "
    "Engineering Market Mart Enterprise Kitchen Services Holdings Partners Industries Systems Studio Tools"
).split()
LEGAL = (
    "Sdn Bhd",
    "(M) Sdn. Bhd.",
    "Ltd",
    "Ltd.",
    "Inc.",
    "LLC",
    "GmbH",
    "& Co.",
    "Co.",
    "PLC",
    "Corp.",
    "Group",
)
ROADS = ("Street", "Road", "Avenue", "Lane", "Drive", "Boulevard", "Way", "Court", "Square", "Parkway")
ROUTES = ("Jalan", "Lorong", "Persiaran", "Lebuh")
QUARTERS = ("Taman", "Bandar", "Bukit", "Kampung", "Desa")
STATES = "AL CA CO DC FL GA IL MA MI NC NJ NY OH PA TX VA WA".split()
COUNTRIES = (
    "Malaysia",
    "Singapore",
    "United Kingdom",
    "USA",
    "Germany",
    "France",
    "Canada",
    "Australia",
    "Japan",
)
GOODS = (
    "paper clip folder stapler marker lamp cable battery charger keyboard mouse coffee tea bread butter cheese apple "
    "rice noodle soup chicken fish salad juice water milk soap towel brush bucket hammer nail screw drill paint roller "
    "glove helmet shirt jacket sock tyre filter bulb socket adapter plug rope chain lock hinge shelf table chair "
    "printer toner envelope stamp calendar notebook pencil eraser ruler tape glue scissors poster frame candle vase"
).split()
MANNER = (
    "blue black white red large small medium premium classic fresh organic steel plastic wooden A4 A5 12V 500g 1kg "
    "2m set box pack extra hot iced mini heavy duty double"
).split()
WORDS = (
    "the of and to in for with that this is are be by on as at from which will has have been may must under any all "
    "our your their please note service order account payment period department office public record request report "
    "information section page number form office review received within after before during between terms agreement "
    "shall provide additional following required general current annual local activity program person business "
    "company contact further statement change copy goods returned working days time notice meeting members support "
    "cost project plan result data level total amount date name address tax balance customer delivery price item"
).split()
ROLES = (
    "Director",
    "Manager",
    "Secretary",
    "Treasurer",
    "Clerk",
    "Head of Sales",
    "Account Executive",
    "Chair",
    "Engineer",
)
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
DATE_FORMS = (
    "{d:02}/{m:02}/{y}", "{d:02}/{m:02}/{s}", "{m:02}/{d:02}/{s}", "{m:02}/{d:02}/{y}", "{y}-{m:02}-{d:02}",
    "{d:02}-{m:02}-{y}", "{d:02}.{m:02}.{y}", "{d} {b} {y}", "{d} {B} {y}", "{B} {d}, {y}", "{b} {d}, {y}",
    "{d:02}-{b}-{y}", "{d:02} {U} {s}", "{d:02}{U}{y}", "{d}/{m}/{y}",
)  # fmt: skip
_ONSETS = "b c d f g h j k l m n p r s t v w z br cl dr fl gr kr pl sh st tr th qu".split()
_VOWELS = "a e i o u a e i o ai ea oo".split()
_CODAS = ("", "", "", "n", "r", "s", "l", "m", "nd", "rt", "x", "ck")


def coined(rng: Random, parts: int | None = None) -> str:
    """A name that no other page has taught."""
    count = parts or rng.choice((2, 2, 2, 3))
    word = "".join(rng.choice(_ONSETS) + rng.choice(_VOWELS) for _ in range(count)) + rng.choice(_CODAS)
    return word.capitalize()


def company(rng: Random) -> str:
    head = rng.choice(
        (
            coined(rng),
            f"{coined(rng)} {coined(rng)}",
            rng.choice(LAST),
            f"{rng.choice(LAST)} & {rng.choice(LAST)}",
        )
    )
    if rng.random() < 0.12:
        head = "".join(rng.choice("ABCDEGHKLMNPRSTW") for _ in range(rng.choice((2, 3, 4))))
    trade = rng.sample(TRADE, rng.choice((0, 1, 1, 1, 2)))
    legal = [rng.choice(LEGAL)] if rng.random() < 0.55 or not trade else []
    return " ".join([head, *trade, *legal])


def person(rng: Random) -> str:
    name = f"{rng.choice(FIRST)} {rng.choice((rng.choice(LAST), coined(rng)))}"
    if rng.random() < 0.15:
        first, last = name.split(" ", 1)
        return f"{last}, {first}"
    return name


def address(rng: Random) -> list[str]:
    """In lines."""
    number, town = rng.randint(1, 400), coined(rng, rng.choice((2, 3)))
    style = rng.random()
    if style < 0.45:
        lot = rng.choice(
            (f"No. {number}", f"No.{number}", f"Lot {number}", f"{number}-G & {number}-1", f"{number}")
        )
        parts = [
            f"{lot}, {rng.choice(ROUTES)} {coined(rng)} {rng.randint(1, 30)}/{rng.randint(1, 99)}",
            f"{rng.choice(QUARTERS)} {coined(rng)} {coined(rng)}",
            f"{rng.randint(10000, 98000)} {town}",
            f"{coined(rng)}{rng.choice((', Malaysia', '', ''))}",
        ]
        parts = parts[: rng.choice((3, 4, 4))] if rng.random() < 0.8 else [parts[0], parts[2]]
        cut = rng.choice((1, 2, len(parts)))
        lines = [", ".join(parts[i : i + cut]) for i in range(0, len(parts), cut)]
        end = rng.choice((",", ",", ""))
        return [*(line + end for line in lines[:-1]), lines[-1] + rng.choice(("", "."))]
    if style < 0.8:
        street = f"{number * 7} {rng.choice(('', 'N. ', 'West '))}{coined(rng)} {rng.choice(ROADS)}"
        suite = f"Suite {rng.randint(100, 999)}"
        city = f"{town}, {rng.choice(STATES)} {rng.randint(10000, 99000)}"
        return rng.choice(
            ([street, city], [street, suite, city], [f"{street}, {suite}", city], [f"{street}, {city}"])
        )
    street = f"{coined(rng)}{rng.choice(('strasse', ' Road', ' Street', ' Hill'))} {number}"
    return [street, f"{rng.randint(10000, 99000)} {town}", rng.choice(COUNTRIES)][: rng.choice((2, 3))]


def day(rng: Random) -> datetime.date:
    return datetime.date(2008, 1, 1) + datetime.timedelta(days=rng.randrange(6500))


def date(when: datetime.date, form: str) -> str:
    month = MONTHS[when.month - 1]
    return form.format(
        d=when.day,
        m=when.month,
        y=when.year,
        s=f"{when.year % 100:02}",
        B=month,
        b=month[:3],
        U=month[:3].upper(),
    )


def clock(rng: Random) -> str:
    hour, minute = rng.randint(0, 23), rng.randint(0, 59)
    kind = rng.random()
    if kind < 0.4:
        return f"{hour:02}:{minute:02}"
    if kind < 0.7:
        return f"{hour:02}:{minute:02}:{rng.randint(0, 59):02}"
    return f"{hour % 12 + 1}:{minute:02}{rng.choice((' AM', ' PM', 'pm', 'am'))}"


def money(rng: Random, low: float = 1, high: float = 500) -> int:
    """In cents; small sums are commoner."""
    return int(100 * low * (high / low) ** rng.random()) // rng.choice((1, 1, 5, 10, 50, 100)) * 1 or 100


def code(rng: Random) -> str:
    digits = "".join(rng.choice("0123456789") for _ in range(rng.randint(3, 9)))
    letters = "".join(rng.choice("ABCDEFGHIKLMNPRSTUVW") for _ in range(rng.randint(1, 3)))
    return rng.choice(
        (digits, digits, f"{letters}-{digits}", f"{letters}{digits}", f"{digits}-{letters}", f"#{digits}",
         f"{letters}-{letters}-{digits}", f"{digits[:3]}-{digits[3:] or 7}", f"{rng.randint(2008, 2026)}/{digits[:4]}")
    )  # fmt: skip


def phone(rng: Random) -> str:
    a, b, c = rng.randint(10, 99), rng.randint(100, 999), rng.randint(1000, 9999)
    return rng.choice(
        (
            f"0{a % 10}-{b}{c}",
            f"({b}) {a}{a % 10}-{c}",
            f"+{a} {b} {c}",
            f"+60{a % 10}-{c} {b}",
            f"{a}-{b}-{c}",
        )
    )


def mail(rng: Random) -> str:
    return f"{rng.choice(FIRST).lower()}@{coined(rng).lower()}.{rng.choice(('com', 'org', 'net'))}"


def site(rng: Random) -> str:
    return f"www.{coined(rng).lower()}.{rng.choice(('com', 'org', 'com.my'))}"


def goods(rng: Random) -> str:
    return " ".join(
        [
            *rng.sample(MANNER, rng.choice((0, 1, 1, 2))),
            rng.choice(GOODS),
            *([coined(rng)] * (rng.random() < 0.2)),
        ]
    )


def prose(rng: Random, count: int) -> list[str]:
    words = [rng.choice(WORDS) for _ in range(count)]
    for i in range(0, count, 11):
        words[i] = words[i].capitalize()
        if i:
            words[i - 1] += rng.choice((".", ".", ",", ";"))
    words[-1] = words[-1].rstrip(".,;") + "."
    return words
