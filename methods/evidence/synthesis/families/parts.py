"""Blocks that several families are put together from."""

from __future__ import annotations

from methods.evidence.synthesis import values
from methods.evidence.synthesis.design import Hand
from methods.evidence.synthesis.sheet import Cell


def letterhead(hand: Hand, y: float, align: str, scale: float = 1.5) -> float:
    """Company, address and contacts at the top; labels only where the template prints them."""
    x = {"left": hand.left, "middle": hand.sheet.width / 2, "right": hand.right}[align]
    name = values.company(hand.rng)
    name = name.upper() if hand.chance(0.6) else name
    scale = min(scale, 0.95 * hand.inner / max(hand.wide(name), 1))
    hand.sheet.note("company", "", hand.put(x, y, name, scale, align, bold=True), name)
    y += hand.line * scale
    if hand.chance(0.3):
        y = _line(
            hand, x, y, align, "registration", hand.rng.choice(("({})", "Co. Reg {}", "Reg No: {}", "{}"))
        )
    if hand.chance(0.85):
        lines = [line.upper() if hand.chance(0.5) else line for line in values.address(hand.rng)]
        y, tokens = hand.lines(x, y, lines, align)
        hand.sheet.note("address", "", tokens, hand.cased(" ".join(lines)))
    for kind, form, share in (
        ("phone", "Tel: {}", 0.6), ("fax", "Fax: {}", 0.25), ("tax_id", "GST No: {}", 0.35), ("mail", "{}", 0.2),
    ):  # fmt: skip
        if hand.chance(share):
            y = _line(hand, x, y, align, kind, form)
    return y + 0.4 * hand.line


def _line(hand: Hand, x: float, y: float, align: str, kind: str, form: str) -> float:
    """One line that holds a value in a form of words."""
    text = hand.value(kind)
    before, after = form.split("{}")
    tokens = hand.put(x, y, f"{before}{text}{after}", align=align)
    first = len(before.split())
    label = before.strip(" :(") if before.strip(" (") else ""
    hand.sheet.note(kind, label, tokens[first:] if before.endswith(" ") or not before else tokens, text)
    return y + hand.line


def block(hand: Hand, x: float, y: float, width: float, kinds: list[str], compounds: int = 0) -> float:
    """Pairs one under the other, unforeseen ones among them."""
    todo: list[str | None] = [*kinds, *([None] * compounds)]
    hand.rng.shuffle(todo)
    for kind in todo:
        y = hand.compound(x, y, width) if kind is None else hand.pair(x, y, width, kind)
    return y


def items(
    hand: Hand, y: float, count: int, columns: tuple[str, ...], noted: bool = True
) -> tuple[float, int]:
    """A table of goods; returns the y below and their sum in cents."""
    edges = _edges(hand, columns)
    if hand.chance(0.85):
        for column, (x, align) in zip(columns, edges, strict=True):
            hand.put(x, y, hand.cased(column), align=align, bold=True)
        y += hand.line
        hand.sheet.rule(hand.left, y, hand.right, y)
    total = 0
    for row in range(count):
        quantity, price = hand.rng.choice((1, 1, 1, 2, 3, 5, 10, 24)), values.money(hand.rng, 0.5, 120)
        name = hand.cased(values.goods(hand.rng).capitalize())
        total += quantity * price
        for column, (x, align) in zip(columns, edges, strict=True):
            text = _entry(hand, column, row, name, quantity, price)
            tokens = hand.put(x, y, text, align=align)
            if noted and text != name:
                hand.sheet.cells.append(Cell(name, column, tokens, text))
        y += hand.line
    hand.sheet.rule(hand.left, y, hand.right, y)
    return y + 0.3 * hand.line, total


def _edges(hand: Hand, columns: tuple[str, ...]) -> list[tuple[float, str]]:
    """Where each column stands: texts from the left, figures at their right end."""
    figures = [c for c in columns if c not in TEXTS]
    step = hand.inner * 0.55 / max(len(figures), 1)
    found, x, right = [], hand.left, hand.right - step * (len(figures) - 1)
    for column in columns:
        if column in TEXTS:
            found.append((x, "left"))
            x += hand.wide("88888 ") if column in SHORT else 0.4 * hand.inner
        else:
            found.append((right, "right"))
            right += step
    return found


SHORT = ("No", "Item", "#", "Code")
TEXTS = (*SHORT, "Description", "Product", "Particulars")


def _entry(hand: Hand, column: str, row: int, name: str, quantity: int, price: int) -> str:
    if column in SHORT:
        return str(row + 1) if column != "Code" else str(hand.rng.randint(1000, 9999))
    if column in TEXTS:
        return name
    if column in ("Qty", "Quantity", "Units"):
        return str(quantity)
    return hand.money(
        price if column in ("Price", "Unit Price", "Rate", "U.Price") else price * quantity, False
    )


def sums(
    hand: Hand, x: float, y: float, width: float, net: int, kinds: tuple[str, ...], pairs: str = "edge"
) -> tuple[float, int]:
    """From the net sum to the total, with decoys around it; returns the y below and the total in cents."""
    rng = hand.rng
    tax = net * rng.choice((6, 7, 8, 10, 20)) // 100 if "tax" in kinds else 0
    off = net // rng.choice((5, 10, 20)) if "discount" in kinds else 0
    ship = values.money(rng, 2, 30) if "shipping" in kinds else 0
    exact = net + tax - off + ship
    total = round(exact / 5) * 5 if "rounding" in kinds else exact
    cash = -(-total // 1000) * 1000 if rng.random() < 0.6 else total
    amounts = {
        "subtotal": net, "tax": tax, "discount": -off if rng.random() < 0.5 else off, "shipping": ship, "rounding": total - exact,
        "total": total, "cash": cash, "change": cash - total, "deposit": total // 3,
    }  # fmt: skip
    for kind in kinds:
        bold = kind == "total" and rng.random() < 0.6
        scale = rng.choice((1.0, 1.15, 1.35)) if bold else 1.0
        y = hand.pair(x, y, width, kind, hand.money(amounts[kind]), pairs=pairs, scale=scale, bold=bold)
    return y, total
