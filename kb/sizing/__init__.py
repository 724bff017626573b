"""What a language model needs, and how fast it can run: memory, cards, layout, roofline bounds, energy and price.

The front is small: `describe_workload` (and `refined`) say what is run, `estimate` sizes it on cards, `estimate_memory`
without any; `Sizer` finds cards by name; `estimate_on` is the step for one card, for callers that try many. All else is
what these give back.
"""

from kb.sizing.accelerator import Accelerator, accelerators_of
from kb.sizing.bounds import Bounds
from kb.sizing.describe import describe_workload, nearest_models, refined
from kb.sizing.estimate import CardEstimate, Estimate, estimate, estimate_on
from kb.sizing.line import Input, Line, Note
from kb.sizing.longest import longest_context
from kb.sizing.memory import MemoryEstimate, estimate_memory
from kb.sizing.placement import Layout, Placement
from kb.sizing.replicas import replicas_for
from kb.sizing.sizer import Sizer
from kb.sizing.stated import require_fitting
from kb.sizing.workload import Workload

__all__ = [
    "Accelerator",
    "Bounds",
    "CardEstimate",
    "Estimate",
    "Input",
    "Layout",
    "Line",
    "MemoryEstimate",
    "Note",
    "Placement",
    "Sizer",
    "Workload",
    "accelerators_of",
    "describe_workload",
    "estimate",
    "estimate_memory",
    "estimate_on",
    "longest_context",
    "nearest_models",
    "refined",
    "replicas_for",
    "require_fitting",
]
