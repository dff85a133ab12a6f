"""MONICA: watch sycophancy drift in step by step while a model reasons, and hold it back."""

from methods.core.declaration import Action, Checkpoint, Input, Kind, Method, Paper
from methods.monica.params import EvaluateParams, GenerateParams, TrainMonitorParams, TrainToyParams

_WORK = "methods.monica.actions:"
_PROBE = Input("probe", "probe", "monitor to use instead of the model's own", option=True, required=False)
_QUESTIONS = Input(
    "questions", "questions", "file with question, answer and wrong per row", option=True, required=False
)

METHOD = Method(
    id="monica",
    title="Sycophancy drift",
    short="Drift",
    summary="Watch a model give in to a wrong hint step by step, and hold it back.",
    icon="mdi6.chart-line-variant",
    paper=Paper(
        title="Real-Time Monitoring and Calibration of Chain-of-Thought Sycophancy in Large Reasoning Models",
        venue="ICML",
        year=2026,
        link="https://arxiv.org/abs/2511.06419",
        authors="Jingyu Hu, Shu Yang, Xilin Gong, Hongming Wang, Weiru Liu, Di Wang",
        theirs="The idea: a monitor that scores reasoning steps for sycophantic drift while the model generates, "
        "trained on induced runs, and a calibrator that subtracts an intervention vector whose strength follows "
        "the score.",
        ours="All formulas, because the paper's are not public to us: steps, features, probe, vectors, ramp, gate, "
        "cue wordings and metrics; the built-in reasoner; rollback, which draws a drifting step again.",
        limits="A score is a probability under one probe of one model, never truth. The built-in reasoner adds "
        "five digits and is sycophantic by its training; what helps there need not help elsewhere. A high strength "
        "destroys text, which can look like less sycophancy: the garbled share and a random vector stand beside.",
    ),
    kinds=(
        Kind("run", "run", (".json",), save="methods.monica.actions:save_trace"),
        Kind("probe", "drift monitor", (".safetensors",)),
        Kind("questions", "questions", (".jsonl", ".json", ".csv")),
        Kind("weights", "weights", (".safetensors",)),
    ),
    actions=(
        Action(
            "generate",
            "Generate",
            "One run, step by step with its drift scores, calibrated or not.",
            _WORK + "generate",
            inputs=(_PROBE,),
            output="run",
            params=GenerateParams,
            torch=True,
            default_suffix=".json",
        ),
        Action(
            "train-monitor",
            "Train a monitor",
            "Run questions with and without a push and train a probe on the steps.",
            _WORK + "train_monitor",
            inputs=(_QUESTIONS,),
            output="probe",
            params=TrainMonitorParams,
            torch=True,
            writes=True,
        ),
        Action(
            "evaluate",
            "Evaluate",
            "Accuracy, hint-following, over-correction and cost of every calibrator.",
            _WORK + "evaluate",
            inputs=(_PROBE, _QUESTIONS),
            params=EvaluateParams,
            torch=True,
        ),
        Action(
            "train-toy",
            "Train the built-in reasoner",
            "Train the small sycophantic reasoner from scratch.",
            _WORK + "train_toy",
            output="weights",
            params=TrainToyParams,
            torch=True,
            writes=True,
        ),
        Action(
            "models", "Models", "The models with a name and whether they are here.", _WORK + "list_models"
        ),
    ),
    checkpoints=(
        Checkpoint("toy", "Built-in reasoner", "monica-toy.safetensors", "monica-toy.md"),
        Checkpoint("toy-probe", "Its drift monitor", "monica-toy-probe.safetensors", "monica-toy.md"),
    ),
)
