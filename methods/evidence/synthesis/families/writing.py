"""Letters and notices: facts inside sentences, and columns of prose."""

from __future__ import annotations

from methods.evidence.synthesis import values
from methods.evidence.synthesis.design import Hand
from methods.evidence.synthesis.families import parts

_SAID = {
    "total": (
        "The total amount is {}.",
        "You owe us {} in all.",
        "We ask you to pay {}.",
        "The sum of {} is due.",
    ),
    "due": ("Please pay by {}.", "Payment is due on {}.", "The amount has to reach us by {}."),
    "deadline": (
        "The deadline is {}.",
        "Please reply by {}.",
        "Applications close on {}.",
        "The offer is valid until {}.",
    ),
    "reference": ("Our reference is {}.", "Please quote {} when you reply.", "The file number is {}."),
    "phone": ("Call us at {}.", "You can reach us under {}."),
    "mail": ("Write to {}.", "Send an e-mail to {}."),
    "place": ("The meeting takes place in {}.", "It will be held at {}.", "The venue is {}."),
    "time": ("It begins at {}.", "Doors open at {}."),
    "fee": ("The fee is {}.", "A charge of {} applies.", "Participation costs {}."),
    "rate": ("The interest rate is {}.", "Interest of {} is charged."),
    "order": ("This concerns your order {}.", "Your order number is {}."),
    "delivery_date": ("The goods were shipped on {}.", "We delivered on {}."),
    "weight": ("The parcel weighs {}.",),
    "executive": ("Your account manager is {}.",),
}
"""Sentences around a value, by kind."""


def _say(hand: Hand, x: float, y: float, width: float, kinds: list[str], filler: tuple[int, int]) -> float:
    """A paragraph in which sentences of prose part those that tell something."""
    words: list[str] = []
    spots: list[tuple[str, int, int, str]] = []
    for kind in kinds:
        if hand.chance(0.7):
            words += values.prose(hand.rng, hand.rng.randint(*filler))
        value = hand.value(kind)
        before, after = hand.rng.choice(_SAID[kind]).split("{}")
        words += before.split()
        first = len(words)
        words += f"{value}{after}".split()
        spots.append((kind, first, first + len(value.split()), value))
    words += values.prose(hand.rng, hand.rng.randint(*filler))
    y, tokens = hand.sheet.wrap(x, y, width, words, hand.size)
    for kind, first, last, value in spots:
        hand.sheet.note(kind, "", tokens[first:last], value)
    return y


def letter(hand: Hand) -> None:
    """A letter: head, parties, reference line, paragraphs, signature."""
    rng = hand.rng
    y = parts.letterhead(
        hand, rng.uniform(0.03, 0.06) * hand.sheet.height, rng.choice(("left", "middle", "right"))
    )
    if hand.chance(0.85):
        name = values.person(rng)
        hand.sheet.note("recipient", "", hand.put(hand.left, y, name), name)
        y, _ = hand.lines(hand.left, y + hand.line, values.address(rng))
    y += hand.line
    when, town = hand.day(), values.coined(rng)
    if hand.chance(0.5):
        text = f"{town}, {when}" if hand.chance(0.4) else when
        tokens = hand.put(hand.right, y, text, align="right")
        hand.sheet.note("date", "", tokens[len(tokens) - len(when.split()) :], when)
        y += 1.5 * hand.line
    else:
        y = hand.pair(hand.left, y, hand.inner * 0.6, "date", when)
    kinds = [k for k in ("reference", "account", "subject", "order") if hand.chance(0.4)]
    y = parts.block(hand, hand.left, y, hand.inner * 0.8, kinds, rng.choice((0, 0, 1))) + 0.8 * hand.line
    hand.put(
        hand.left,
        y,
        rng.choice(("Dear Sir or Madam,", f"Dear {rng.choice(values.FIRST)},", "To whom it may concern,")),
    )
    y += 1.5 * hand.line
    taken = {t.kind for t in hand.sheet.told}
    told = [k for k in rng.sample(tuple(_SAID), rng.randint(2, 6)) if k not in taken]
    cut = rng.randint(0, len(told))
    for group in (told[:cut], told[cut:]):
        y = _say(hand, hand.left, y, hand.inner, group, (8, 40)) + 0.7 * hand.line
    hand.put(hand.left, y, rng.choice(("Yours sincerely,", "Kind regards,", "Sincerely,")))
    y += rng.uniform(1.5, 3) * hand.line
    name = values.person(rng)
    hand.sheet.note("sender", "", hand.put(hand.left, y, name), name)
    if hand.chance(0.6):
        role = rng.choice(values.ROLES)
        hand.sheet.note("title", "", hand.put(hand.left, y + hand.line, role), role)


def notice(hand: Hand) -> None:
    """A notice: a headline, one to three columns of prose, a box with pairs."""
    rng, design = hand.rng, hand.design
    y = rng.uniform(0.03, 0.07) * hand.sheet.height
    issuer = values.company(rng)
    scale = min(1.2, 0.9 * hand.inner / hand.wide(issuer))
    hand.sheet.note("company", "", hand.put(hand.sheet.width / 2, y, issuer, scale, "middle"), issuer)
    y += 2 * hand.line
    head = f"{rng.choice(('Notice of', 'Announcement:', 'Invitation to', 'Minutes of the', 'Public'))} {rng.choice(('Meeting', 'Hearing', 'Sale', 'Tender', 'Works'))} {values.coined(rng)}"
    hand.sheet.note("subject", "", hand.put(hand.sheet.width / 2, y, head, 1.5, "middle", bold=True), head)
    y += 2.6 * hand.line
    kinds = rng.sample(
        ("date", "time", "place", "deadline", "fee", "reference", "phone", "mail", "applicant", "status"),
        rng.randint(2, 6),
    )
    first = design.habit("box", (True, False))
    if first:
        y = parts.block(hand, hand.left, y, hand.inner * 0.7, kinds, rng.choice((0, 1))) + hand.line
    columns = int(design.habit("columns", (1, 2, 2, 3)))  # type: ignore[call-overload]
    told = [k for k in rng.sample(tuple(_SAID), rng.randint(1, 5)) if k not in kinds]
    width, lows = hand.inner / columns, [y]
    for i in range(columns):
        lows.append(
            _say(
                hand, hand.left + i * width, y, width * 0.9, told[i::columns], (15, 60 if columns > 1 else 90)
            )
        )
    if not first:
        parts.block(hand, hand.left, max(lows) + hand.line, hand.inner * 0.7, kinds)
