"""Make the sample documents of the evidence panel; run it again after a change to the made pages."""

from pathlib import Path
from random import Random

from methods.evidence.synthesis import pdf, picture
from methods.evidence.synthesis.pages import fill

FOLDER = Path(__file__).resolve().parents[1] / "assets" / "samples" / "evidence"


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, family, seed in (("invoice.jpg", "invoice", 4), ("receipt.png", "receipt", 7)):
        sheet = fill(family, 6, Random(f"{family} {seed}"))
        picture.degrade(picture.draw(sheet), Random(seed)).save(FOLDER / name)
    pdf.write([fill("form", 6, Random("form 2"))], FOLDER / "form.pdf")


if __name__ == "__main__":
    main()
