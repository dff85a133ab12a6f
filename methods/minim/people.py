"""Names of people in a text: known names, and any name beside the words that introduce one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from methods.minim.lexicon import section
from methods.minim.normalise import vocabulary
from methods.minim.patterns import Hit

GIVEN = section("names.txt", "given")
PLAIN = section("names.txt", "plain")
SURNAMES = section("names.txt", "surname")
PARTICLES = frozenset("de da di del della dos van von der den ter bin bint al el la le ibn y st".split())

NOT_NAMES = frozenset(
    """
    about account accounts acme action actions active activity add address admin agency agent air airlines airport alert alerts all amount analytics and any api app apps april
    architects archive area art associates at august auto avenue back bank billing board book box branding bread business button by calendar call cancel capital card care
    catering cell center centre chart chat church city class clear clinic close cloud club co code college coffee comment company confirm connect construction consultants consulting contact
    contacts continue corp corporation council county court create credit customer customers daily dashboard data date day days dear december delete delivery demo dental department design designs
    details dialog digital direct done download draft drafts drive edit education electrical email end engineering enter equipment error events every exchange export family february field fields file files
    filter financial finance first fitness folder for force form foundation foods free friday friend friends from gallery garden general get gmbh go good group groups hall health healthcare hello help here hi high
    history holdings home hospital hotel house hr id if imports in inbox inc income industries info information insights institute insurance international invoice invoices island it item items january job jobs join
    july june kitchen label labels labs landscaping last law learn legal letter letters library limited line link list llc llp log login logistics logo ltd mail main manage manager management market marketing mayor media medical meeting
    member members menu message messages mobile monday month more mr mrs ms my name near network new news next no none not note notes notification notifications november number october of office ok old on one online only open
    or order orders our out overview owner page partner partners party password patient patients pay payment payments pharmacy phone photo plan plumbing policy post practice prescription press price pro product products
    profile program project property provider public pty quote quotes read re real refill rental report reports request requests research reset restaurant results return review road room sales sans saturday save scholar school science search security see
    select send sent september serif server service services session set settings share ship shipping shop show sign site sms social software solutions some source sport spring stanley start status step store street strategies studio studios submit
    subject sunday supplies support switch system systems tab table tags task tasks tax team teams tech technologies technology tel test text thank thanks that the theme there this thread thursday ticket time title to today total trade trading travel
    trial tuesday two type university unknown update upload us user users valley verified version via video view visit visits wealth web website wednesday week welcome wealth what when where wines winery with work workspace workshop x year yes yesterday you your zone
    zoom river fund trust engineer designer developer director nurse doctor recruiter intern analyst assistant president architect professor lead vp ceo cto cfo founder
    """.split()
)
"""Words that are no part of a name though they are written with a capital on labels."""

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*\.?")
_TITLE = r"(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Professor|Sir|Herr|Frau|Mme|Sra?|Señora?)\b\.?"
_CAP = r"[^\W\d_a-z][^\W\d_]*(?:['’-][^\W\d_]+)*"
_FULL = rf"{_CAP}(?: (?:[A-Z]\.|(?:de|da|di|del|van|von|der|den|bin|al|la)\b|{_CAP})){{0,3}}"
_ROLES = (
    r"customer|client|patient|user|member|owner|assignee|author|reporter|reviewer|manager|sender|recipient|cardholder|account holder|contact|employee|candidate|applicant|student|teacher|"
    r"tenant|landlord|guest|driver|passenger|beneficiary|payee|provider|physician|doctor|nurse|organizer|host|name|spouse|husband|wife|mother|father|brother|sister|son|daughter|boss"
)
_INTRODUCED = re.compile(
    rf"(?:\b(?i:the |your |my |our )?(?i:{_ROLES})(?:'s name)?(?: (?i:is|was|named|called)| ?:)"
    rf"|\b(?i:(?:signed|logged) in as|welcome back,?|assigned to|created by|updated by|uploaded by|shared by|invited by|written by|sent by|requested by|approved by|prescribed by|"
    rf"reported by|on behalf of|attn:?|deliver to|ship to|bill to|payable to|please tell|regards,|sincerely,|cheers,|cc:|bcc:|from:|to:|with:|by:|i am|i'm|my name is|this is))"
    rf"\s+(?:{_TITLE} )?({_FULL})"
)
_GREETED = re.compile(
    rf"(?<!\w)(?:Hi|Hello|Hey|Dear|Hallo|Liebe|Lieber|Bonjour|Hola|Ciao)(?: (?i:dr|mr|mrs|ms)\.?)? (?:{_TITLE} )?({_FULL})(?=\s*[,!.:–—-]|\s*$)"
)
_TITLED = re.compile(rf"(?<!\w){_TITLE} ({_FULL})")
_MAILBOX = re.compile(rf"({_FULL}) ?[<(](?=[^\s@<>()]+@)")
_HINTS = frozenset(
    "hi hello hey dear hallo hola ciao bonjour lieber liebe mr mrs ms miss mx dr prof professor herr frau mme sr sra signed logged welcome by to tell with behalf from attn cc bcc "
    "regards sincerely cheers am i is m name".split()
) | frozenset(re.split(r"[| ]", _ROLES))
_KNOWN = GIVEN | PLAIN | SURNAMES


def _is_name_word(word: str) -> bool:
    return word[:1].isupper() and word.lower().rstrip(".") not in NOT_NAMES


def _trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The leading name words of ``text[start:end]``: a name ends where an ordinary word begins."""
    last = start
    for m in _WORD.finditer(text, start, end):
        word = m.group()
        if word.lower() in PARTICLES:
            continue
        if not _is_name_word(word):
            break
        last = m.end() - (word.endswith(".") and len(word) > 2)
        if word.endswith(("'s", "’s")):
            last -= 2
            break
    return (start, last) if last > start + 1 else None


def _known(text: str) -> Iterator[Hit]:
    """Runs of two or more name words that begin with a given name, and "Surname, Given"."""
    words = [(m.group().removesuffix("'s").removesuffix("’s"), m.start()) for m in _WORD.finditer(text)]
    lows = [w.lower().rstrip(".") for w, _ in words]
    i = 0
    while i < len(words):
        word, start = words[i]
        low = lows[i]
        first = low in GIVEN or low.split("-")[0] in GIVEN
        known = first or low in PLAIN or low in SURNAMES
        if not known or not word[0].isupper():
            i += 1
            continue
        end, j, full, comma = start + len(word.rstrip(".")), i + 1, 0, False
        while j < len(words) and j - i < 5:
            gap = text[end : words[j][1]]
            nxt, at = words[j]
            initial = len(nxt.rstrip(".")) == 1 and nxt[0].isupper()
            if gap == ", " and j == i + 1 and low in SURNAMES and (lows[j] in GIVEN or lows[j] in PLAIN):
                comma = True
            elif gap not in (" ", ". "):
                break
            if lows[j] in PARTICLES and j + 1 < len(words) and nxt.islower():
                end, j = at + len(nxt), j + 1
                continue
            if not (initial or _is_name_word(nxt)) or (
                nxt.isupper() != word.isupper() and not initial and len(nxt) > 3
            ):
                break
            if full and not comma and lows[j] not in SURNAMES and lows[j] not in GIVEN and not initial:
                break
            full += not initial
            end, j = at + len(nxt.rstrip(".") if not initial else nxt), j + 1
            if words[j - 1][0] != text[at : at + len(nxt)]:
                break
        rest = lows[i + 1 : j]
        surname = any(r in SURNAMES for r in rest)
        strong = first and (surname or full) or surname and low in PLAIN or comma
        if full and strong:
            yield Hit(start, end, "person", "a known name")
            i = j
        elif (
            first
            and low not in SURNAMES
            and low not in PARTICLES
            and len(low) > 2
            and text.strip(" .,!") == word.rstrip(".")
        ):
            yield Hit(start, start + len(word.rstrip(".")), "person", "a known given name alone")
            i += 1
        else:
            i += 1


def _introduced(text: str) -> Iterator[Hit]:
    for pattern, why in (
        (_INTRODUCED, "a name after the words that introduce it"),
        (_GREETED, "a greeted name"),
        (_TITLED, "a name after a title"),
        (_MAILBOX, "a name before an address"),
    ):
        for m in pattern.finditer(text):
            span = _trimmed(text, *m.span(1))
            if span and not (
                pattern is _INTRODUCED
                and text[slice(*span)].isupper()
                and not text.isupper()
                and len(text[slice(*span)]) < 4
            ):
                yield Hit(*span, "person", why)


@lru_cache(maxsize=50_000)
def scan(text: str) -> tuple[Hit, ...]:
    """Names of people in a folded text."""
    if text.islower() or len(text) < 3:
        return ()
    words = vocabulary(text)
    hits = [] if words.isdisjoint(_KNOWN) else list(_known(text))
    if len(words) > 1 and ("@" in text or not words.isdisjoint(_HINTS)):
        hits += _introduced(text)
    return tuple(hits)


def name_like(text: str) -> bool:
    """One to four words that a person could be called by; for values under a heading that says "name"."""
    words = text.replace(",", " ").split()
    if not 1 <= len(words) <= 5 or any(c.isdigit() for c in text) or len(text) > 60:
        return False
    letters = [w for w in words if w.lower() not in PARTICLES]
    return bool(letters) and all(
        _is_name_word(w.strip("().")) or (len(w) == 2 and w[1] == ".") for w in letters
    )


def known_name(text: str) -> bool:
    """At least one of its words is a known given name or surname."""
    return not vocabulary(text).isdisjoint(_KNOWN)
