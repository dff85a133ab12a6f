"""What pages tell and how people ask for it: kinds of fields, the labels they carry, the names in questions."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from methods.evidence.synthesis import values


@dataclass(frozen=True)
class Field:
    """One kind of field.

    Attributes:
        type: "date", "amount", "code", "name", "place", "text" ...: values of one type are decoys of each other.
        labels: as printed before the value. names: as people call it, without an article.
        asks: whole questions beside those made from the names.
        unlike: kinds that could answer the same question, so that this one is not asked for as absent beside them.
    """

    type: str
    labels: tuple[str, ...]
    names: tuple[str, ...]
    asks: tuple[str, ...] = ()
    unlike: tuple[str, ...] = ()


def _field(kind: str, labels: str, names: str, asks: str = "", unlike: str = "") -> Field:
    def listed(text: str) -> tuple[str, ...]:
        return tuple(part.strip() for part in text.split("|") if part.strip())

    return Field(kind, listed(labels), listed(names), listed(asks), tuple(unlike.split()))


FIELDS: dict[str, Field] = {
    "company": _field(
        "name", "Company|Company Name|Seller|Supplier|Vendor|Merchant|From|Issued by|Store|Business",
        "company|company name|seller|supplier|vendor|merchant|shop|store|business|issuer",
        "What is the name of the company?|Which company issued this document?|What is the name of the store?|"
        "Who issued the receipt?|Which shop is this from?|Who is the seller?|What is the company called?|"
        "What is the name of the company?|What is the name of the shop?|Who sold the goods?",
        "customer registrant sender",
    ),
    "customer": _field(
        "name", "Customer|Bill To|Sold To|Client|Buyer|Customer Name|Invoice To|Billed To|Account Name|Attn",
        "customer|buyer|client|customer name|bill to party",
        "Who is the customer?|Who was billed?|To whom was it sold?|Who is the bill addressed to?|Who has to pay?",
        "company recipient advertiser",
    ),
    "address": _field(
        "place", "Address|Location|Office|Head Office|Registered Office|Our address",
        "address|company address|address of the company|location|shop address|postal address",
        "What is the address?|Where is the company located?|Where is the shop?|What is the address?|"
        "What address is printed on the receipt?|Where is the store?",
        "customer_address",
    ),
    "customer_address": _field(
        "place", "Ship To|Delivery Address|Deliver To|Customer Address|Billing Address",
        "delivery address|customer address|shipping address|billing address", "Where was it delivered?", "address",
    ),
    "date": _field(
        "date", "Date|Invoice Date|Date of Issue|Issue Date|Bill Date|Document Date|Dated|Receipt Date|Issued On|Trans Date",
        "date|document date|date of issue|issue date|receipt date|invoice date|date of the receipt|bill date",
        "What is the date?|When was it issued?|On which date was this issued?|What is the date?|What date is it?|"
        "When was the purchase made?|What day is on the receipt?|What is the date of the document?",
        "print_date received",
    ),
    "due": _field(
        "date", "Due Date|Payment Due|Due|Pay By|Due On|Payment Due Date|Please Pay By|Date Due",
        "due date|payment deadline|date due|payment due date",
        "When is the payment due?|By when must it be paid?|Until when does it have to be paid?", "deadline",
    ),
    "order_date": _field(
        "date", "Order Date|Ordered On|PO Date|Date Ordered|Date of Order", "order date|date of the order|PO date",
        "When was it ordered?", "date",
    ),
    "delivery_date": _field(
        "date", "Delivery Date|Ship Date|Shipped On|Delivered|Dispatch Date|Ship Via Date",
        "delivery date|ship date|dispatch date", "When was it shipped?|When was it delivered?",
    ),
    "print_date": _field(
        "date", "Print Date|Printed|Printed On|Date Printed|Run Date", "print date|date of printing|printing date",
        "When was it printed?|When was this document printed?", "date",
    ),
    "received": _field(
        "date", "Received|Date Received|Received On|Filed|Date Filed|Date Stamped|Received by",
        "date of receipt|received date|filing date|date received|stamp date",
        "When was it received?|When was the document received?|When was the form filed?|When did the office receive it?|"
        "When was the document received by the Registration Unit?|On what date was the document filed?",
        "date",
    ),
    "period": _field(
        "period", "Flight Dates|Period|Billing Period|Statement Period|Flight|Schedule Dates|Valid|Service Period|"
        "Reporting Period|Contract Dates|Flight Date|Start/End Date",
        "flight dates|period|billing period|statement period|schedule dates|service period|reporting period|contract dates",
        "What are the flight dates?|What period does it cover?|What are the flight dates?|For which period is it?",
    ),
    "deadline": _field(
        "date", "Deadline|Closing Date|Last Day|Apply By|Reply By|Expires|Expiry Date|Valid Until",
        "deadline|closing date|expiry date|last day", "When does it expire?|What is the last day?", "due",
    ),
    "birth": _field(
        "date", "Date of Birth|Born|Birth Date|DOB", "date of birth|birth date|birthday", "When was the person born?"
    ),
    "time": _field(
        "time", "Time|Printed at|Clock|Time of sale|Hour", "time|time of sale|hour", "At what time was it issued?|What time is it?"
    ),
    "number": _field(
        "code", "Invoice No|Invoice Number|Invoice #|Inv No|Receipt No|Receipt #|Bill No|Document No|Doc No.|Receipt Number|"
        "Slip No|Tax Invoice No|Ref No|Trans No",
        "invoice number|receipt number|document number|bill number|number of the invoice|number of the receipt",
        "Which number does the invoice have?|Which number does the receipt have?|What is the invoice no?", "reference",
    ),
    "order": _field(
        "code", "Order No|Order Number|PO Number|PO #|Purchase Order|Order #|Your Order|P.O. No.|Sales Order",
        "order number|purchase order number|PO number", "Which order does it refer to?", "contract",
    ),
    "estimate": _field(
        "code", "Estimate #|Estimate|Estimate No|Estimate Number|Est #|Est. No.",
        "estimate number|number of the estimate|estimate", "What is the estimate number?", "quotation",
    ),
    "contract": _field(
        "code", "Contract #|Contract|Contract / Revision|Contract No|Agreement No|Contract Number|Alt Order #",
        "contract number|contract|agreement number", "", "order",
    ),
    "reference": _field(
        "code", "Reference|Our Ref|Ref|Your Ref|Reference No|File No|Case No|Our Reference|Docket No.",
        "reference|reference number|file number|case number", "", "number",
    ),
    "registration": _field(
        "code", "Registration No|Reg No|Co. Reg|Registration #|Company No|Registration Number",
        "registration number|company number", "", "tax_id",
    ),
    "tax_id": _field(
        "code", "GST ID|GST No|Tax ID|VAT No|GST Reg No|VAT ID|EIN|Tax Number|SST No",
        "tax number|GST number|VAT number|tax ID|GST ID", "", "registration",
    ),
    "account": _field(
        "code", "Account No|Account Number|Account|Acct #|Customer No|Client ID|Member No|Customer ID|Member ID",
        "account number|customer number|member number|client number",
    ),
    "bank": _field("code", "IBAN|Bank Account|BIC|Sort Code|Routing No", "bank account|IBAN|bank code"),
    "total": _field(
        "amount", "Total|TOTAL|Grand Total|Total Amount|Amount Due|Total Due|Total RM|Total (RM)|Net Total|Total Payable|"
        "Balance Due|Total Amount Due|Nett Total|Total Incl. GST|TOTAL AMOUNT|Final Total|Total Sales (Inclusive of GST)|"
        "Amount Payable|Rounded Total (RM)|Total Inclusive GST|Invoice Total|Please Pay|Bill Total",
        "total|total amount|grand total|amount due|total due|total price|sum to pay|invoice total|amount payable",
        "What is the total?|How much is the total?|How much has to be paid?|What is the total?|How much was paid in all?|"
        "What does it cost in all?|What is the total amount?|How much is due?|What is the final price?",
        "closing net",
    ),
    "subtotal": _field(
        "amount", "Subtotal|Sub Total|Sub-Total|Net Amount|Total Excl. GST|Total Excluding Tax|Net|Amount before tax|Goods total",
        "subtotal|net amount|amount before tax|sub total|total without tax", "What is it before tax?", "net total",
    ),
    "tax": _field(
        "amount", "Tax|GST|VAT|GST 6%|Sales Tax|VAT 20%|Service Tax|GST Amount|Tax Amount|Total GST",
        "tax|tax amount|GST|VAT|sales tax", "How much tax is there?|How much is the tax?|How much tax was charged?",
    ),
    "discount": _field("amount", "Discount|Less Discount|Disc|Rebate|Savings", "discount|rebate", "How much was taken off?"),
    "rounding": _field("amount", "Rounding|Rounding Adj|Round Adj|Rounding Adjustment", "rounding|rounding adjustment"),
    "cash": _field(
        "amount", "Cash|CASH|Cash Tendered|Paid|Tendered|Amount Paid|Payment|Visa|Master Card|Cash Received",
        "cash|amount tendered|cash given|payment|cash tendered", "How much cash was given?|How much did the customer hand over?",
    ),
    "change": _field("amount", "Change|CHANGE|Change Due|Balance|Your change", "change|change due", "How much change was given?|How much came back?"),
    "shipping": _field("amount", "Shipping|Freight|Delivery|Postage|Shipping & Handling", "shipping|freight|delivery cost|postage"),
    "deposit": _field("amount", "Deposit|Paid in Advance|Advance|Prepaid|Less Deposit", "deposit|advance payment|prepaid amount"),
    "net": _field("amount", "Net Due|Net Order Total|Net Amount Due|Net Payable", "net due|net amount due", "", "total subtotal"),
    "gross": _field("amount", "Gross Amount|Gross Total|Gross|Gross Order Total", "gross amount|gross total|gross", "", "total"),
    "commission": _field("amount", "Agency Commission|Commission|Agency Comm|Comm.", "agency commission|commission"),
    "opening": _field("amount", "Opening Balance|Previous Balance|Balance Forward|Balance brought forward", "opening balance|previous balance"),
    "closing": _field(
        "amount", "Closing Balance|New Balance|Balance carried forward|Ending Balance|Current Balance",
        "closing balance|new balance|current balance|ending balance", "", "total",
    ),
    "fee": _field("amount", "Fee|Service Fee|Registration Fee|Filing Fee|Annual Fee|Charge", "fee|service fee|filing fee|charge"),
    "salary": _field("amount", "Salary|Annual Income|Income|Compensation|Wage", "salary|annual income|compensation"),
    "quantity": _field("count", "Qty|Total Qty|Items|No. of Items|Item Count|Total Items|Total Spots|# of Spots", "total quantity|number of items|item count|number of spots", "How many items are there?"),
    "cashier": _field("name", "Cashier|Served by|Staff|Operator|Clerk|Salesperson|Sales|Sales Rep", "cashier|salesperson|operator", "Who served the customer?", "executive"),
    "executive": _field("name", "Account Executive|Sales Rep|Account Exec|AE|Account Manager|Salesperson", "account executive|sales representative|account manager", "", "cashier"),
    "advertiser": _field("name", "Advertiser|Advertiser Name|Sponsor|Brand", "advertiser|sponsor|name of the advertiser", "Who is the advertiser?|Who placed the ad?", "customer"),
    "agency": _field("name", "Agency|Agency Name|Billing Agency|Buying Agency", "agency|name of the agency"),
    "station": _field("word", "Station|Property|Channel|Market|Office", "station|property|channel"),
    "product": _field("text", "Product|Description|Product Name|Estimate Description|Campaign", "product|campaign|product name"),
    "registrant": _field(
        "name", "Name of Registrant|Registrant|Name of registrant|Full Name of Registrant|Registrant Name|1. Name of Registrant",
        "registrant|name of the registrant|registrant name", "What is the name of the registrant?|Who is the registrant?|Who registers?",
        "applicant company",
    ),
    "applicant": _field("name", "Applicant|Name of Applicant|Full Name|Name|Surname, First Name|Applicant's Name", "applicant|applicant's name|full name", "Who applies?|Who filled in the form?", "registrant"),
    "principal": _field("name", "Name of Foreign Principal|Foreign Principal|Principal|Employer|Organization", "foreign principal|principal|employer|organization"),
    "title": _field("text", "Title|Position|Role|Job Title|Occupation", "title|position|job title|occupation"),
    "nation": _field("word", "Country|Nationality|Citizenship|Country/Location|Country of Origin", "country|nationality|citizenship", "Which country is given?"),
    "phone": _field("contact", "Tel|Phone|Telephone|Tel No|Contact|Mobile|Phone No", "phone number|telephone number|telephone", "Which number can be called?", "fax"),
    "fax": _field("contact", "Fax|Fax No|Facsimile", "fax number|fax", "", "phone"),
    "mail": _field("mail", "Email|E-mail|E-Mail Address|Mail", "email|email address|e-mail address", "Where can I write an e-mail?"),
    "site": _field("mail", "Website|Web|Internet|URL", "website|web address|web site", "Where is it on the web?"),
    "terms": _field("text", "Terms|Payment Terms|Term|Billing Cycle|Pay Terms", "payment terms|terms|billing cycle", "How is it to be paid?"),
    "method": _field("text", "Payment Method|Paid by|Tender|Pay Mode|Payment Type", "payment method|type of payment", "How was it paid?"),
    "table": _field("code", "Table|Table No|Counter|Till|Terminal|POS|Lane", "table number|counter|till|terminal"),
    "sender": _field("name", "From|Sender|Signed|Signed by", "sender|author|signatory", "Who wrote the letter?|Who signed?|Who is it from?", "company"),
    "recipient": _field("name", "To|Addressee|Recipient|Attention", "recipient|addressee", "Who is the letter to?|To whom was it sent?", "customer"),
    "subject": _field("text", "Subject|Re|Concerning|RE", "subject|topic|matter", "What is it about?"),
    "place": _field("word", "Place|Venue|Location|Room|Held at", "place|venue|room", "Where does it take place?"),
    "weight": _field("measure", "Weight|Gross Weight|Net Weight|Mass", "weight|gross weight|net weight", "How heavy is it?"),
    "rate": _field("percent", "Interest Rate|Rate|Tax Rate|APR", "interest rate|rate|tax rate"),
    "status": _field("word", "Status|Type|Order Type|Revision Type|Class", "status|type|order type"),
}  # fmt: skip

PAIR_NOUNS = (
    "order invoice agency buyer client contract estimate product station demographic revenue region market schedule "
    "vendor project permit policy batch route vehicle ticket license meter tariff unit sample customer account claim "
    "report budget filing review office ship lot shift patient course event case file stock model grade plan print "
    "flight billing start end entry issue release booking export import change review cycle"
).split()
PAIR_HEADS = {
    "number": ("#", "No.", "No", "Number", "Num"), "date": ("Date", "Dt", "Date"), "dates": ("Dates", "Period", "From/To"),
    "name": ("Name", ""), "code": ("Code", "ID", "Key"), "type": ("Type", "Class", "Category"), "amount": ("Amount", "Value", "Amt"),
}  # fmt: skip
PAIR_TYPES = {"number": "code", "date": "date", "dates": "period", "name": "name", "code": "code", "type": "word", "amount": "amount"}  # fmt: skip
"""Compound labels that no list foresees, "Permit Date" or "Batch #", with the word people use and the type."""

_STARTS = (
    "What is the {}?", "What is the {}?", "What is the {}?", "Which {} is given?", "Find the {}.", "{}?", "What's the {}?",
    "Tell me the {}.", "Please give the {}.", "What is the {} on this page?", "Show the {}.", "the {}", "What {} is stated?",
)  # fmt: skip
_PLURAL = ("What are the {}?", "What are the {}?", "Which {} are given?", "{}?", "Find the {}.")


def wording(name: str, rng: Random) -> str:
    """A question for what people call ``name``."""
    plural = name.endswith(("dates", "terms"))
    asked = rng.choice(_PLURAL if plural else _STARTS).format(name)
    return asked[0].upper() + asked[1:] if rng.random() < 0.9 else asked.lower()


def ask(kind: str, label: str, rng: Random) -> str:
    """A question for a field; ``label`` is how the page calls it, "" where it does not."""
    field = FIELDS.get(kind)
    if label and (field is None or rng.random() < 0.25):
        return wording(spoken(label), rng)
    if field is None:
        return wording(kind.split(":")[-1], rng)
    if field.asks and rng.random() < 0.55:
        return rng.choice(field.asks)
    return wording(rng.choice(field.names), rng)


def spoken(label: str) -> str:
    """A label as it is said: without its marks, "#" and "No." as "number"."""
    words = [w.strip(":.,()") for w in label.replace("#", " number").replace("/", " ").split()]
    words = ["number" if w.lower() in ("no", "num") else w for w in words if w]
    return " ".join(w if w.isupper() and len(w) <= 3 else w.lower() for w in words)


def compound(rng: Random) -> tuple[str, str, str]:
    """(kind, label, name in questions) of an unforeseen field."""
    noun, head = rng.choice(PAIR_NOUNS), rng.choice(tuple(PAIR_HEADS))
    printed = f"{noun.capitalize()} {rng.choice(PAIR_HEADS[head])}".strip()
    return f"{PAIR_TYPES[head]}:{noun} {head}", printed, f"{noun} {head}"


def kind_type(kind: str) -> str:
    """The type of a kind's values, also of a compound one."""
    return FIELDS[kind].type if kind in FIELDS else kind.split(":")[0]


def absent(present: set[str], rng: Random) -> str | None:
    """A kind that none of those on the page could be taken for."""
    taken = set(present)
    for kind in present & FIELDS.keys():
        taken.update(FIELDS[kind].unlike)
    free = [k for k, f in FIELDS.items() if k not in taken and not taken & set(f.unlike)]
    return rng.choice(free) if free else None


def value(kind: str, rng: Random, date_form: str, written: object) -> str:
    """A value for a field of a kind; ``written`` writes cents as the page does."""
    type_ = kind_type(kind)
    day = values.day(rng)
    if type_ == "date":
        return values.date(day, date_form)
    if type_ == "period":
        end = day.fromordinal(day.toordinal() + rng.randint(1, 90))
        dash = rng.choice((" - ", " - ", " to ", "-"))
        return values.date(day, date_form) + dash + values.date(end, date_form)
    if type_ == "amount":
        return written(values.money(rng, 1, 20000))  # type: ignore[operator]
    return _PLAIN[type_](rng) if type_ in _PLAIN else _named(kind, rng)


def _named(kind: str, rng: Random) -> str:
    if kind in ("applicant", "cashier", "executive", "sender", "recipient", "birth"):
        return values.person(rng)
    if kind in ("registrant", "principal", "customer", "advertiser", "agency", "company"):
        return values.company(rng) if rng.random() < 0.8 else values.person(rng)
    return rng.choice((values.person, values.company, values.coined))(rng)


_TEXTS = (
    "Net 30 days", "Cash on delivery", "30 days from invoice date", "Credit card", "Bank transfer", "Monthly", "Cash", "Weekly",
    "EOM/EOC", "Broadcast",
)  # fmt: skip
_PLAIN = {
    "time": values.clock,
    "code": values.code,
    "count": lambda rng: str(rng.randint(1, 60)),
    "contact": values.phone,
    "mail": lambda rng: values.mail(rng) if rng.random() < 0.7 else values.site(rng),
    "place": lambda rng: ", ".join(line.rstrip(",.") for line in values.address(rng)[:2]),
    "word": lambda rng: rng.choice(
        (values.coined(rng), rng.choice(values.COUNTRIES), rng.choice(values.TRADE))
    ),
    "text": lambda rng: rng.choice(
        (
            rng.choice(_TEXTS),
            rng.choice(values.ROLES),
            values.goods(rng).title(),
            f"{values.coined(rng)} {rng.choice(values.TRADE)}",
        )
    ),
    "measure": lambda rng: f"{rng.randint(1, 900)}{rng.choice((' kg', ' g', 'kg', ' lb'))}",
    "percent": lambda rng: f"{rng.randint(1, 25)}.{rng.randint(0, 99):02}%",
}
