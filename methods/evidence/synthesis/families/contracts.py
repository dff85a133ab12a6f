"""Orders dense with pairs in columns, and government forms."""

from __future__ import annotations

from methods.evidence.synthesis import values
from methods.evidence.synthesis.design import Hand
from methods.evidence.synthesis.families import parts

_ORDER = (
    "period estimate contract advertiser agency station product executive date account order terms status reference customer"
).split()
_FORM = "applicant registrant principal nation birth title registration fee mail phone salary reference address period".split()


def order(hand: Hand) -> None:
    """A broadcaster's or buyer's order: two or three columns of pairs, a wide table, sums of several kinds."""
    rng, design = hand.rng, hand.design
    y = rng.uniform(0.02, 0.05) * hand.sheet.height
    if design.habit("head", (True, False)):
        y = parts.letterhead(hand, y, rng.choice(("left", "middle")))
    else:
        hand.put(
            hand.left,
            y,
            rng.choice(("Order", "ORDER", "Contract Agreement", "Purchase Order", "Sales Order", "Invoice")),
            1.7,
        )
        y += 2.2 * hand.line
    if hand.chance(0.6):
        x = rng.choice((hand.left, hand.left + 0.65 * hand.inner))
        end = hand.pair(
            x,
            y,
            hand.right - x,
            "print_date",
            f"{hand.day()} {values.clock(rng)}" if hand.chance(0.2) else None,
            pairs="right",
        )
        y = end if hand.chance(0.7) else y + 0.01
    columns = int(design.habit("columns", (2, 2, 3)))  # type: ignore[call-overload]
    kinds = rng.sample(_ORDER, rng.randint(5, 12))
    if hand.chance(0.6) and "period" not in kinds:
        kinds.append("period")
    if hand.chance(0.5) and "estimate" not in kinds:
        kinds.append("estimate")
    lows, width = [], hand.inner / columns
    for i in range(columns):
        lows.append(
            parts.block(
                hand, hand.left + i * width, y, width * 0.94, kinds[i::columns], rng.choice((0, 1, 2, 3))
            )
        )
    y = max(lows) + hand.line
    y = _lines(hand, y, rng.randint(2, 14))
    start = hand.left + hand.inner * rng.choice((0.0, 0.55))
    for kind in [k for k in ("quantity", "gross", "commission", "net", "total") if hand.chance(0.55)]:
        y = hand.pair(start, y, 0.42 * hand.inner, kind, pairs=rng.choice(("edge", "right")))
    if hand.chance(0.5):
        hand.prose(hand.left, y + hand.line, hand.inner, rng.randint(20, 120))


def _lines(hand: Hand, y: float, count: int) -> float:
    """Bookings with their own dates, times and amounts: decoys for all that the head says."""
    rng = hand.rng
    heads = ("Line", "Start Date", "End Date", "Description", "Time", "Spots", "Rate", "Amount")
    shares = (0.0, 0.07, 0.2, 0.33, 0.56, 0.72, 0.84, 1.0)
    keep = sorted({0, 7, *rng.sample(range(1, 7), rng.randint(2, 6))})
    ends = [(hand.left + shares[i] * hand.inner, "right" if i >= 5 else "left") for i in keep]
    small = 0.75
    for i, (x, align) in zip(keep, ends, strict=True):
        hand.put(x, y, hand.cased(heads[i]), small, align)
    y += hand.line
    for row in range(count):
        texts = (
            str(row + 1), hand.day(), hand.day(), f"{values.coined(rng)} {rng.choice(('News', 'Show', 'Hour', 'Live', 'Sport'))}",
            f"{rng.randint(1, 11)}-{rng.randint(1, 12)}p", str(rng.randint(1, 20)), hand.money(values.money(rng, 20, 900)),
            hand.money(values.money(rng, 50, 4000)),
        )  # fmt: skip
        for i, (x, align) in zip(keep, ends, strict=True):
            tokens = hand.put(x, y, texts[i], small, align)
            if i:
                hand.sheet.cells.append(parts.Cell(f"line {row + 1}", heads[i], tokens, texts[i]))
        y += hand.line * 0.85
    return y + 0.5 * hand.line


def form(hand: Hand) -> None:
    """An office's form: a stamp on top, instructions, numbered questions with what was filled in."""
    rng, design = hand.rng, hand.design
    y = rng.uniform(0.015, 0.04) * hand.sheet.height
    if hand.chance(0.6):
        y = _stamp(hand, y) + 0.8 * hand.line
    hand.put(
        hand.left, y, f"{rng.choice(('Department of', 'Office of', 'Ministry of'))} {values.coined(rng)}", 0.9
    )
    if hand.chance(0.5):
        hand.put(hand.right, y, f"Form {values.code(rng)}", 0.8, "right")
    y += 1.4 * hand.line
    title = f"{rng.choice(('Application for', 'Amendment to', 'Registration of', 'Statement of', 'Report on', 'Exhibit to'))} {values.coined(rng)} {rng.choice(values.TRADE)}"
    hand.put(hand.sheet.width / 2, y, title, 1.3, "middle", bold=True)
    y += 2.2 * hand.line
    if hand.chance(0.7):
        y = hand.prose(hand.left, y, hand.inner, rng.randint(20, 170)) + 0.8 * hand.line
    kinds = rng.sample(_FORM, rng.randint(4, 9))
    if "applicant" in kinds and "registrant" in kinds:
        kinds.remove("applicant")
    if hand.chance(0.4):
        kinds.append("date")
    numbered = design.habit("numbered", (True, True, False))
    halves = design.habit("halves", (True, False))
    row, x = y, hand.left
    for i, kind in enumerate(kinds, 1):
        label = hand.label(kind)
        width = hand.inner * (0.46 if halves else 0.95)
        printed = f"{i}. {label}" if numbered and not label[:1].isdigit() else label
        pairs = "below" if design.habit("below", (True, True, False)) else None
        end = hand.pair(x, y, width, kind, label=printed, pairs=pairs) + 0.3 * hand.line
        row = max(row, end)
        if hand.chance(0.15) and not halves:
            row = hand.prose(hand.left, row, hand.inner, rng.randint(8, 40)) + 0.3 * hand.line
        if halves and i % 2:
            x = hand.left + 0.5 * hand.inner
        else:
            x, y = hand.left, row
    y = row + 0.5 * hand.line
    for text in rng.sample(
        ("Yes", "No", "Individual", "Partnership", "Corporation", "Other"), rng.randint(0, 4)
    ):
        hand.put(hand.left + hand.size, y, f"{rng.choice(('[ ]', '[X]', '( )'))} {text}")
        y += hand.line
    if hand.chance(0.6):
        hand.prose(hand.left, y + hand.line, hand.inner, rng.randint(20, 150))


def _stamp(hand: Hand, y: float) -> float:
    """The office's mark of receipt, in the top line."""
    rng, when = hand.rng, hand.day()
    before = rng.choice((
        "Received by {} Registration Unit", "Received by {}", "{} received", "FILED", "RECEIVED", "Received by {}/{} Unit on",
        "Received", "Date received:", "Filed with {}",
    )).format(values.coined(rng).upper(), values.coined(rng).upper())  # fmt: skip
    after = f" {values.clock(rng)}" if hand.chance(0.6) else ""
    x, align = rng.choice(((hand.left, "left"), (hand.sheet.width / 2, "middle"), (hand.right, "right")))
    tokens = hand.put(x, y, f"{before} {when}{after}", rng.choice((0.9, 1.0, 1.2)), align)
    first = len(before.split())
    hand.sheet.note("received", before.rstrip(":"), tokens[first : first + len(when.split())], when)
    return y + hand.line
