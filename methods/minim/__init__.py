"""MINIM: what leaves the machine of a user interface, element by element."""

from methods.core.declaration import Action, Checkpoint, Input, Kind, Method, Paper, Sample
from methods.minim.params import BatchParams, EvaluateParams, MinimizeParams, ScoreParams, TrainParams

_WORK = "methods.minim.actions:"
_OBSERVATION = Input("observation", "observation", "what an agent would see")
_WEIGHTS = "minim"


def _sample(id: str, title: str, summary: str) -> Sample:
    return Sample(id, title, summary, f"minim/{id}.json", "observation")


METHOD = Method(
    id="minim",
    title="Privacy of what an agent sees",
    short="Privacy",
    summary="Decide what leaves the machine of a user interface, element by element.",
    icon="mdi6.shield-half-full",
    paper=Paper(
        title="MINIM: Privacy-Aware Minimal View for Agents via Trusted Local Sanitization",
        venue="ICML",
        year=2026,
        link="https://arxiv.org/abs/2606.13949",
        authors="Hexuan Yu, Chaoyu Zhang, Heng Jin, Shanghao Shi, Ning Zhang, Y. Thomas Hou, Wenjing Lou",
        theirs="Two scores for each element of an accessibility tree, sensitivity and necessity for the task, from a "
        "small graph attention network; remove, abstract or keep by two thresholds; the weighted loss; "
        "TCNP, TCNP-I and TISL. The paper reports TCNP 0.949, TCNP-I 0.993 and TISL 0.101 with 12 % kept, on its own "
        "data.",
        ours="Everything that runs here was written anew: readers and in-place writers of a dozen formats, the rules, "
        "features, weights trained on other data, the floor that no score overrides, the operators, the checks "
        "of what leaves, the picture and the panel. Figures of this network are not those of the paper. The "
        "conference page gives other figures than the paper itself; those above are the paper's.",
        limits="Nothing is proven: the checks find what rules or scores called private, not what both missed. Labels "
        "and rules are English. What a page gives away over several steps, or by what is left out, is not "
        "measured, nor is whether an agent still completes its task; TCNP and TISL stand for that. Text inside "
        "pictures is not read. An agent or page that acts against the person is outside of what this guards.",
    ),
    kinds=(
        Kind(
            "observation",
            "observation",
            (".json", ".txt", ".yaml", ".yml", ".html", ".htm", ".xml", ".gz"),
            load="methods.minim.formats:load",
            sniff="methods.minim.sniff:is_observation",
        ),
        Kind("screenshot", "screenshot", (".png", ".webp", ".jpg", ".jpeg")),
        Kind("minimised", "minimised observation", folder=True, save="methods.minim.actions:save_export"),
        Kind("trace", "trace", folder=True),
        Kind("labelled", "labelled screens", folder=True),
        Kind("weights", "weights", (".safetensors",)),
    ),
    actions=(
        Action(
            "minimize",
            "Minimise",
            "Write what leaves: the file with private texts replaced, its picture, a manifest.",
            _WORK + "minimize",
            inputs=(
                _OBSERVATION,
                Input("screenshot", "screenshot", "its picture", option=True, required=False),
            ),
            output="minimised",
            params=MinimizeParams,
            checkpoint=_WEIGHTS,
        ),
        Action(
            "score",
            "Score",
            "Sensitivity, necessity and decision of every element.",
            _WORK + "score",
            inputs=(_OBSERVATION,),
            params=ScoreParams,
            checkpoint=_WEIGHTS,
        ),
        Action(
            "evaluate",
            "Evaluate",
            "TCNP, TCNP-I, TISL and leaks of the policy and of its baselines on hand-labelled screens.",
            _WORK + "evaluate",
            inputs=(
                Input("labelled", "labelled", "folder with screens/, sensitivity.jsonl and gold.jsonl"),
                Input(
                    "graphless",
                    "weights",
                    "weights of the same network without the graph, as a baseline",
                    option=True,
                    required=False,
                ),
            ),
            params=EvaluateParams,
            checkpoint=_WEIGHTS,
        ),
        Action(
            "batch",
            "Minimise a trace",
            "Write what leaves of every observation of a folder, with a report; can be taken up again.",
            _WORK + "batch",
            inputs=(Input("folder", "trace", "folder with the steps of a trace"),),
            output="minimised",
            params=BatchParams,
            writes=True,
            checkpoint=_WEIGHTS,
        ),
        Action(
            "train",
            "Train",
            "Train the network on labelled screens, with whole apps left out.",
            _WORK + "train",
            inputs=(
                Input(
                    "data", "labelled", "folder with screens/, sensitivity.jsonl and tasks.jsonl", option=True
                ),
                Input("extra", "labelled", "one more such folder", option=True, required=False),
            ),
            output="weights",
            params=TrainParams,
            torch=True,
            writes=True,
        ),
        Action("formats", "Formats", "The file formats that are read and written.", _WORK + "list_formats"),
    ),
    samples=(
        _sample("mail", "Mail", "A mailbox: a one-time code that only one of three tasks needs."),
        _sample("checkout", "Checkout", "A filled card form, a saved card number, a gift card."),
        _sample("clinic", "Clinic", "Health data of one patient, and of others in the list."),
        _sample(
            "orders", "Orders", "A table of customers where the task concerns one row, and an access key."
        ),
    ),
    checkpoints=(Checkpoint("minim", "Scorer of MINIM", "minim.safetensors", "minim.md"),),
)
