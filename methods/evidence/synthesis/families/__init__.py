"""The families of pages, each a function that fills a page by the habits of a template."""

from methods.evidence.synthesis.families.contracts import form, order
from methods.evidence.synthesis.families.figures import statement, table
from methods.evidence.synthesis.families.sales import invoice, receipt
from methods.evidence.synthesis.families.writing import letter, notice

FAMILIES = {
    "receipt": receipt,
    "invoice": invoice,
    "order": order,
    "form": form,
    "table": table,
    "letter": letter,
    "notice": notice,
    "statement": statement,
}
