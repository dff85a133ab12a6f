"""Tables of figures and statements of account."""

from __future__ import annotations

from methods.evidence.synthesis import values
from methods.evidence.synthesis.design import Hand
from methods.evidence.synthesis.families import parts

_COLUMNS = (
    "Revenue", "Cost", "Profit", "Units", "Orders", "Visitors", "2021", "2022", "2023", "2024", "Q1", "Q2", "Q3", "Q4", "January",
    "Budget", "Actual", "Share", "Growth", "Score", "Price", "Weight", "Stock", "Plan", "Forecast", "Hours", "Tests", "Errors",
)  # fmt: skip


def table(hand: Hand) -> None:
    """A report: heading, a few pairs, one table of figures with named rows and columns."""
    rng, design = hand.rng, hand.design
    y = rng.uniform(0.03, 0.07) * hand.sheet.height
    head = f"{rng.choice(('Report', 'Overview', 'Results', 'Price List', 'Inventory', 'Schedule'))} {values.coined(rng)}"
    hand.sheet.note("subject", "", hand.put(hand.left, y, head, 1.6, bold=True), head)
    y += 2.4 * hand.line
    kinds = [
        k
        for k in ("company", "date", "period", "reference", "applicant", "status", "print_date")
        if hand.chance(0.4)
    ]
    y = parts.block(hand, hand.left, y, hand.inner * 0.6, kinds, rng.choice((0, 1, 1))) + 0.6 * hand.line
    if hand.chance(0.4):
        y = hand.prose(hand.left, y, hand.inner, rng.randint(10, 60)) + 0.6 * hand.line
    _grid(
        hand,
        y,
        rng.randint(3, 14),
        rng.randint(2, 5),
        str(design.habit("rows", ("goods", "names", "places"))),
    )


def _grid(hand: Hand, y: float, rows: int, columns: int, sort: str) -> None:
    rng = hand.rng
    heads = rng.sample(_COLUMNS, columns)
    name_of = {"goods": values.goods, "names": values.person, "places": values.coined}[sort]
    names = list(dict.fromkeys(hand.cased(name_of(rng)) for _ in range(rows)))
    step = hand.inner * 0.68 / columns
    ends = [hand.right - step * (columns - 1 - i) for i in range(columns)]
    for end, head in zip(ends, heads, strict=True):
        hand.put(end, y, hand.cased(head), align="right", bold=True)
    y += 1.2 * hand.line
    hand.sheet.rule(hand.left, y - 0.1 * hand.line, hand.right, y - 0.1 * hand.line)
    forms = [rng.choice(("money", "count", "share")) for _ in heads]
    for name in names:
        hand.put(hand.left, y, name)
        for end, head, form in zip(ends, heads, forms, strict=True):
            text = _figure(hand, form)
            tokens = hand.put(end, y, text, align="right")
            hand.sheet.cells.append(parts.Cell(name, head, tokens, text))
        y += hand.line
    if hand.chance(0.4):
        hand.put(hand.left, y, hand.cased("Total"), bold=True)
        for end, head, form in zip(ends, heads, forms, strict=True):
            text = _figure(hand, form)
            tokens = hand.put(end, y, text, align="right")
            hand.sheet.cells.append(parts.Cell("Total", head, tokens, text))


def _figure(hand: Hand, form: str) -> str:
    if form == "money":
        return hand.money(values.money(hand.rng, 1, 9000), False)
    return (
        str(hand.rng.randint(0, 2000))
        if form == "count"
        else f"{hand.rng.randint(0, 99)}.{hand.rng.randint(0, 9)}%"
    )


def statement(hand: Hand) -> None:
    """A bank's or a supplier's statement: balances around a run of dated bookings."""
    rng = hand.rng
    y = parts.letterhead(hand, rng.uniform(0.03, 0.06) * hand.sheet.height, rng.choice(("left", "right")))
    hand.put(
        hand.left,
        y,
        rng.choice(("Statement of Account", "Account Statement", "STATEMENT", "Monthly Statement")),
        1.5,
        bold=True,
    )
    y += 2.2 * hand.line
    middle = hand.left + 0.55 * hand.inner
    name = values.person(rng)
    hand.sheet.note("customer", "", hand.put(hand.left, y, name), name)
    left, tokens = hand.lines(hand.left, y + hand.line, values.address(rng))
    hand.sheet.note("customer_address", "", tokens)
    kinds = [
        "account",
        *(k for k in ("period", "date", "bank", "due", "rate", "print_date") if hand.chance(0.5)),
    ]
    right = parts.block(hand, middle, y, hand.right - middle, kinds, rng.choice((0, 1)))
    y = max(left, right) + hand.line
    top = bool(hand.design.habit("balance", (True, False)))
    balance = values.money(rng, 50, 9000)
    if top:
        y = hand.pair(hand.left, y, hand.inner * 0.6, "opening", hand.money(balance)) + 0.4 * hand.line
    shares = (0.0, 0.17, 0.62, 0.8, 1.0)
    for x, head in zip(shares, ("Date", "Details", "Out", "In", "Balance"), strict=True):
        hand.put(hand.left + x * hand.inner, y, head, align="left" if x < 0.5 else "right", bold=True)
    y += 1.2 * hand.line
    for row in range(rng.randint(3, 16)):
        moved = values.money(rng, 2, 900) * rng.choice((1, -1))
        balance += moved
        out, income = (hand.money(-moved, False), "") if moved < 0 else ("", hand.money(moved, False))
        name = f"{values.goods(rng).capitalize()} {row + 1}"
        for x, text in zip(shares, (hand.day(), name, out, income, hand.money(balance, False)), strict=True):
            if text:
                tokens = hand.put(hand.left + x * hand.inner, y, text, 0.9, "left" if x < 0.5 else "right")
                if x > 0.5:
                    hand.sheet.cells.append(parts.Cell(name, "balance" if x == 1 else "amount", tokens, text))
        y += hand.line
    y += 0.3 * hand.line
    if not top and hand.chance(0.5):
        y = hand.pair(hand.left, y, hand.inner * 0.7, "opening")
    y = hand.pair(hand.left, y, hand.inner * 0.7, "closing", hand.money(balance))
    for kind in ("fee", "deposit"):
        if hand.chance(0.3):
            y = hand.pair(hand.left, y, hand.inner * 0.7, kind)
    if hand.chance(0.4):
        hand.prose(hand.left, y + hand.line, hand.inner, rng.randint(15, 60))
