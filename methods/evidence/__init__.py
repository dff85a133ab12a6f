"""Evidence for a document answer: mass flows step by step to the words that hold it."""

from methods.core.declaration import Action, Checkpoint, Input, Kind, Method, Paper, Sample
from methods.evidence.params import (
    AskParams,
    BatchParams,
    EvaluateParams,
    ReadParams,
    SynthesizeParams,
    TrainParams,
)

_WORK = "methods.evidence.actions:"
_DOCUMENT = Input("document", "document", "the page, a picture or a PDF")
_TOKENS = Input(
    "tokens", "tokens", "words with boxes, instead of reading the page", option=True, required=False
)

METHOD = Method(
    id="evidence",
    title="Evidence for an answer",
    short="Evidence",
    summary="Ask a page, and watch probability flow step by step to the words that answer.",
    icon="mdi6.text-box-search-outline",
    paper=Paper(
        title="A Progressive Evidence Localization Framework Based on Wasserstein Gradient Flows for Document "
        "Visual Question Answering",
        venue="ICML",
        year=2026,
        link="https://icml.cc/virtual/2026/poster/61307",
        theirs="The idea, from the abstract, the only part public to us: locating evidence as a Wasserstein gradient "
        "flow, discretised by the JKO scheme, coarse to fine and trainable end to end.",
        ours="An independent implementation from the abstract: the energy, the entropic closed-form steps after Peyre "
        "(2015), the NULL place for 'no evidence', the network, the made training pages and all figures are ours.",
        limits="Trained on made English pages alone. It extracts words that stand on the page and neither counts nor "
        "reasons; handwriting, other scripts and vertical text are read badly or not at all. The model card gives the "
        "measured accuracy on real pages, and what the flow adds to a single step.",
    ),
    kinds=(
        Kind(
            "document", "document", (".pdf", ".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".bmp"),
            load="methods.evidence.documents.document:check",
        ),
        Kind("tokens", "words", (".json",)),
        Kind("answer", "answer", (".json", ".png"), save="methods.evidence.export:save_answer"),
        Kind("reading", "words", (".json",), save="methods.evidence.export:save_reading"),
        Kind("pages", "sample pages", folder=True),
        Kind("questions", "questions", (".txt",)),
        Kind("table", "table", (".csv",), save="methods.evidence.export:save_table"),
        Kind("weights", "weights", (".safetensors",)),
    ),
    actions=(
        Action(
            "ask", "Ask", "Answer a question about a page, with its evidence step by step.", _WORK + "ask",
            inputs=(_DOCUMENT, _TOKENS), output="answer", params=AskParams, torch=True, default_suffix=".json",
            checkpoint="evidence",
        ),
        Action(
            "evaluate", "Evaluate", "Every method on pages with known evidence: pointing, IoU, ANLS.",
            _WORK + "evaluate", inputs=(Input("pages", "pages", "folder with samples.json and its pictures"),),
            params=EvaluateParams, torch=True, checkpoint="evidence",
        ),
        Action(
            "batch", "Batch", "Ask every question of a file about every page of a document.", _WORK + "batch",
            inputs=(_DOCUMENT, Input("questions", "questions", "one question per line")), output="table",
            params=BatchParams, torch=True, default_suffix=".csv", checkpoint="evidence",
        ),
        Action(
            "synthesize", "Make pages", "Make pages with questions and known evidence.", _WORK + "synthesize",
            output="pages", params=SynthesizeParams, writes=True,
        ),
        Action(
            "train", "Train", "Train the localiser on made pages.", _WORK + "train", output="weights",
            params=TrainParams, torch=True, writes=True, default_suffix=".safetensors",
        ),
        Action(
            "read", "Read", "The words of a page with their boxes.", _WORK + "read", inputs=(_DOCUMENT,),
            output="reading", params=ReadParams, default_suffix=".json",
        ),
    ),
    samples=(
        Sample("invoice", "Invoice", "An invoice of ours, badly scanned.", "evidence/invoice.jpg", "document"),
        Sample("receipt", "Receipt", "A receipt of ours, cash beside the total.", "evidence/receipt.png", "document"),
        Sample("form", "Form", "A form with a stamp of receipt.", "evidence/form.pdf", "document"),
    ),
    checkpoints=(Checkpoint("evidence", "Localiser", "evidence.safetensors", "evidence.md"),),
)  # fmt: skip
