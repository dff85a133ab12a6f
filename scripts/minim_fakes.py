"""Invented people and numbers for our own pages: example domains, 555-01xx phones, published test cards."""

from __future__ import annotations

import random

_FIRST = """Maren Idris Tomas Leila Owen Hana Piotr Noor Callum Ines Dario Amara Felix Yuki Sanne Rohan Greta Malik
Elin Mateo Thea Kofi Lucia Arne Priya Jonas Salma Bruno Nadia Henrik Zoe Omar Clara Ruben Aisha Tobias""".split()
_LAST = """Okafor Lindqvist Marchetti Halloran Petrov Whitfield Nakamura Castellan Brandt Osei Ferreira Lundgren
Ramanathan Kowalski Delacroix Haddad Sorensen Achterberg Varga Mbeki Thornbury Iyer Castellano Novak Rasmussen
Eastwick Moreau Fairbanks Quist Abernathy Solano Vandermeer Holloway Szabo""".split()
_STREETS = "Alder Court,Harbour Lane,Mill Road,Juniper Way,Orchard Street,Quarry Hill,Linden Avenue".split(
    ","
)
_TOWNS = "Ashford Falls,Port Merrow,Eastmere,Kingsbrook,Lowdale,Silverton Bay,Northgate".split(",")
_CARDS = ("4242 4242 4242 4242", "5555 5555 5555 4444", "4000 0566 5566 5556", "5105 1051 0510 5100")
_BAD_CARDS = ("4929 1234 5678 9012", "4111 1111 1111 1112")
_KEY = "abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"


class Fakes:
    """A stream of invented values; the same for the same page and seed."""

    def __init__(self, page: str, seed: int) -> None:
        self.seed = seed
        self._random = random.Random(f"{page} {seed}")
        self._first, self._last = _FIRST[:], _LAST[:]
        self._random.shuffle(self._first)
        self._random.shuffle(self._last)

    def person(self) -> str:
        """A new name, never one given before."""
        return f"{self._first.pop()} {self._last.pop()}"

    def email(self, person: str, domain: str = "inbox.example") -> str:
        return f"{person.lower().replace(' ', '.')}@{domain}"

    def say(self, *wordings: str) -> str:
        """One of the wordings; seed 0 says the first."""
        return wordings[0] if self.seed == 0 else self._random.choice(wordings)

    def pick(self, *values: object) -> object:
        return self._random.choice(values)

    def some(self, values: list, count: int) -> list:
        """``count`` of the values in their order; seed 0 takes the first ones."""
        if self.seed == 0:
            return values[:count]
        return [values[i] for i in sorted(self._random.sample(range(len(values)), count))]

    def shuffled(self, values: list) -> list:
        """The values in another order; seed 0 leaves them."""
        return values if self.seed == 0 else self._random.sample(values, len(values))

    def number(self, low: int, high: int) -> int:
        return self._random.randint(low, high)

    def digits(self, count: int) -> str:
        return "".join(self._random.choice("0123456789") for _ in range(count))

    def code(self) -> str:
        """A six-digit one-time code."""
        return f"{self.number(100, 999)} {self.number(100, 999)}"

    def key(self, count: int = 22) -> str:
        """A random secret."""
        return "".join(self._random.choice(_KEY) for _ in range(count))

    def phone(self) -> str:
        return f"({self.number(201, 989)}) 555-01{self.digits(2)}"

    def card(self) -> str:
        """A published test number that passes the Luhn check."""
        return self._random.choice(_CARDS)

    def bad_card(self) -> str:
        """Looks like a card; fails the Luhn check."""
        return self._random.choice(_BAD_CARDS)

    def street(self) -> str:
        return f"{self.number(2, 188)} {self._random.choice(_STREETS)}"

    def town(self) -> str:
        return self._random.choice(_TOWNS)

    def money(self, low: int, high: int) -> str:
        return f"${self.number(low, high):,}.{self.digits(2)}"

    def born(self) -> str:
        return f"{self.number(1944, 2004)}-{self.number(1, 12):02d}-{self.number(1, 28):02d}"
