"""Receipts and invoices."""

from __future__ import annotations

from methods.evidence.synthesis import values
from methods.evidence.synthesis.design import Hand
from methods.evidence.synthesis.families import parts

_CLOSING = (
    "Thank you, please come again", "Goods sold are not returnable", "Thank you for your purchase", "Have a nice day",
    "Please keep this receipt", "Exchange within 7 days with receipt", "Customer copy", "Follow us online",
)  # fmt: skip
_TITLES = (
    "Tax Invoice",
    "Receipt",
    "Cash Sales",
    "Simplified Tax Invoice",
    "Cash Receipt",
    "Official Receipt",
    "Bill",
)


def receipt(hand: Hand) -> None:
    """A till's slip: narrow, the shop on top without a label, sums with cash and change as decoys."""
    rng, design = hand.rng, hand.design
    align = str(design.habit("head", ("middle", "middle", "left")))
    y = rng.uniform(0.01, 0.05) * hand.sheet.height
    if hand.chance(0.15):
        hand.put(hand.left, y, rng.choice((values.code(rng), f"{values.coined(rng)}", values.clock(rng))))
        y += 1.4 * hand.line
    y = parts.letterhead(hand, y, align, rng.choice((1.0, 1.3, 1.7)))
    if hand.chance(0.65):
        hand.put(
            hand.sheet.width / 2,
            y,
            hand.cased(rng.choice(_TITLES)),
            1.1,
            rng.choice(("middle", "middle", "left")),
        )
        y += 1.4 * hand.line
    late = design.habit("date", (False, False, True))
    if not late:
        y = _slip_facts(hand, y)
    columns = rng.choice((
        ("Description", "Qty", "Price", "Amount"), ("Item", "Description", "Amount"), ("Description", "Amount"),
        ("Qty", "Description", "Price", "Total"), ("Description", "Qty", "Amount"),
    ))  # fmt: skip
    columns = tuple(sorted(columns, key=lambda c: c not in parts.TEXTS))
    y, net = parts.items(hand, y + 0.3 * hand.line, rng.choice((1, 1, 2, 3, 4, 6, 9)), columns)
    wanted = [("subtotal", 0.6), ("discount", 0.25), ("tax", 0.5), ("rounding", 0.3)]
    before = [kind for kind, share in wanted if hand.chance(share)]
    if hand.chance(0.3):
        y = hand.pair(hand.left, y, hand.inner, "quantity", str(rng.randint(1, 12)), pairs="edge")
    after = ["cash", "change"] if hand.chance(0.65) else (["cash"] if hand.chance(0.3) else [])
    inset = hand.inner * float(rng.choice((0, 0, 0.2, 0.35)))
    pairs = rng.choice(("edge", "edge", "edge", "right"))
    y, total = parts.sums(
        hand, hand.left + inset, y, hand.inner - inset, net, (*before, "total", *after), pairs
    )
    if hand.chance(0.35):
        y = _tax_table(hand, y + hand.line, total)
    if late:
        y = _slip_facts(hand, y + 0.5 * hand.line)
    for text in rng.sample(_CLOSING, rng.randint(0, 4)):
        y += hand.line
        hand.put(hand.sheet.width / 2, y, hand.cased(text), align="middle")


def _slip_facts(hand: Hand, y: float) -> float:
    """Date, time and numbers as tills print them: side by side, or without any label."""
    rng, when = hand.rng, hand.day()
    style = rng.random()
    clock = hand.value("time")
    if style < 0.3:  # no label at all
        both = rng.random()
        text = when if both < 0.35 else f"{when} {clock}"
        x, align = rng.choice(((hand.left, "left"), (hand.sheet.width / 2, "middle"), (hand.right, "right")))
        tokens = hand.put(x, y, text, align=align)
        cut = len(when.split())
        hand.sheet.note("date", "", tokens[:cut], when)
        if text != when:
            hand.sheet.note("time", "", tokens[cut:], clock)
        y += hand.line
    else:
        label = hand.label("date")
        mark = hand.mark
        x = hand.left if rng.random() < 0.75 else hand.sheet.width / 2
        tokens = hand.put(x, y, f"{label}{mark} {when} {clock}" if style < 0.65 else f"{label}{mark} {when}")
        first = len(f"{label}{mark}".split())
        cut = first + len(when.split())
        hand.sheet.note("date", label, tokens[first:cut], when)
        if style < 0.65:
            hand.sheet.note("time", "", tokens[cut:], clock)
        elif x > hand.left and rng.random() < 0.7:  # a number to its left, in the same line
            number, code = hand.label("number"), values.code(rng)
            head = f"{number}{mark}"
            if hand.wide(f"{head} {code}") < 0.45 * hand.inner:
                placed = hand.put(hand.left, y, f"{head} {code}")
                hand.sheet.note("number", number, placed[len(head.split()) :], code)
        y += hand.line
    kinds = [
        kind
        for kind, share in (
            ("number", 0.6),
            ("cashier", 0.4),
            ("table", 0.35),
            ("account", 0.15),
            ("method", 0.1),
        )
        if hand.chance(share)
    ]
    kinds = [k for k in kinds if all(t.kind != k for t in hand.sheet.told)]
    return parts.block(hand, hand.left, y, hand.inner, kinds, rng.choice((0, 0, 0, 1))) + 0.3 * hand.line


def _tax_table(hand: Hand, y: float, total: int) -> float:
    """A summary by rate under the sums: amounts that are no total."""
    columns = (hand.left, hand.left + 0.55 * hand.inner, hand.right)
    for x, text, align in zip(
        columns, ("GST Summary", "Amount", "Tax"), ("left", "right", "right"), strict=True
    ):
        hand.put(x, y, hand.cased(text), align=align)
    y += hand.line
    net = int(total / 1.06)
    for x, text, align in zip(
        columns,
        ("SR @ 6%", hand.money(net), hand.money(total - net)),
        ("left", "right", "right"),
        strict=True,
    ):
        hand.put(x, y, text, align=align)
    return y + hand.line


def invoice(hand: Hand) -> None:
    """A page with parties on the left and numbers on the right, items, and sums at the lower right."""
    rng, design = hand.rng, hand.design
    align = str(design.habit("head", ("left", "right", "middle")))
    y = parts.letterhead(hand, rng.uniform(0.03, 0.07) * hand.sheet.height, align)
    hand.put(
        hand.left if rng.random() < 0.5 else hand.right - hand.wide("INVOICE", 2),
        y,
        rng.choice(("Invoice", "INVOICE", "Tax Invoice")),
        1.8,
    )
    y += 2.6 * hand.line
    middle = hand.left + hand.inner * rng.uniform(0.5, 0.6)
    low = _party(hand, y, middle - hand.left, "customer")
    kinds = [
        "number",
        "date",
        *(
            k
            for k in ("due", "order", "account", "terms", "order_date", "reference", "cashier")
            if hand.chance(0.4)
        ),
    ]
    right = parts.block(hand, middle, y, hand.right - middle, kinds, rng.choice((0, 0, 1, 2)))
    y = max(low, right) + 0.8 * hand.line
    if hand.chance(0.3):
        y = hand.pair(hand.left, y, hand.inner * 0.6, "delivery_date") + 0.4 * hand.line
    columns = rng.choice((
        ("Description", "Qty", "Unit Price", "Amount"), ("No", "Description", "Quantity", "Price", "Total"),
        ("Code", "Product", "Qty", "Rate", "Amount"), ("Particulars", "Amount"),
    ))  # fmt: skip
    y, net = parts.items(hand, y, rng.randint(1, 9), columns)
    wanted = [("subtotal", 0.8), ("discount", 0.25), ("shipping", 0.3), ("tax", 0.8)]
    kinds = [kind for kind, share in wanted if hand.chance(share)] + ["total"]
    start = hand.left + hand.inner * rng.uniform(0.5, 0.68)
    y, _ = parts.sums(hand, start, y, hand.right - start, net, tuple(kinds))
    kinds = [
        k
        for k in ("bank", "terms", "mail", "site", "rate")
        if hand.chance(0.25) and all(t.kind != k for t in hand.sheet.told)
    ]
    y = parts.block(hand, hand.left, y + hand.line, hand.inner * 0.6, kinds)
    if hand.chance(0.5):
        hand.prose(hand.left, y + hand.line, hand.inner, rng.randint(8, 40))


def _party(hand: Hand, y: float, width: float, kind: str) -> float:
    """A customer with an address under a heading."""
    label = hand.label(kind)
    hand.put(hand.left, y, label + hand.mark, bold=hand.chance(0.5))
    y += hand.line
    name = hand.value(kind)
    y, tokens = hand.sheet.wrap(hand.left, y, width * 0.95, name.split(), hand.size)
    hand.sheet.note(kind, label, tokens, name)
    lines = values.address(hand.rng)
    y, tokens = hand.lines(hand.left, y, lines)
    hand.sheet.note("customer_address", "", tokens, hand.cased(" ".join(lines)))
    return y
