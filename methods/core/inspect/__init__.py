"""The checkpoint inspector: what is inside a weights file or a model folder, without trusting or running it."""

from methods.core.inspect.found import Inspection, TensorInfo
from methods.core.inspect.histogram import TensorStatistics, statistics
from methods.core.inspect.look import describe, head, inspect, lines

__all__ = [
    "Inspection",
    "TensorInfo",
    "TensorStatistics",
    "describe",
    "head",
    "inspect",
    "lines",
    "statistics",
]
