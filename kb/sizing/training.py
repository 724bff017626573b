"""How fast a training runs: operations for a token against what the cards compute.

A token costs 6 operations for each parameter, two forward and four backward (Kaplan et al., 2020); 8 where every layer
is computed anew for the backward pass. Frozen weights need no gradients of their own: 4, or 6. Causal attention comes
on top. The upper bound of the speed is the peak; the lower one a model FLOPs utilisation of 30 %, which large runs
exceed (38 to 43 % for Llama 3 405B: The Llama 3 Herd of Models, 2024, table 4).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kb.sizing.bounds import Bounds
from kb.sizing.line import Input, Line, Note
from kb.sizing.operations import causal_operations, used_parameters
from kb.sizing.roofline import Roof
from kb.sizing.workload import Workload

MODEL_FLOPS_UTILISATION: Final = 0.30


@dataclass(frozen=True, slots=True)
class Training:
    """A training run.

    Attributes:
        lines: `training` (tokens/s) and, where the tokens are stated, `training_time` (seconds).
    """

    lines: tuple[Line, ...]
    tokens_s: Bounds
    seconds: Bounds | None


def operations_per_token(workload: Workload) -> float:
    """Operations to train on one token, those of recomputation included."""
    again = 1 if workload.recompute == "full" else 0
    own_gradients = 1 if workload.method == "full" else 0
    # Each pass costs 2 operations a parameter: forward, backward through activations, backward to the weights, anew.
    of_weights = 2 * (2 + own_gradients + again) * used_parameters(workload)
    of_attention = (3 + again) * causal_operations(workload.shape, workload.tokens) / workload.tokens
    return of_weights + of_attention


def estimate_training(workload: Workload, roof: Roof) -> Training | None:
    """The speed of a training; `None` where the card publishes no rate."""
    if roof.compute is None or not roof.compute.is_bounded:
        return None
    cards = roof.layout.cards
    each = operations_per_token(workload)
    rate = roof.compute.rate * (1e12 * cards)
    tokens_s = Bounds(rate.low * MODEL_FLOPS_UTILISATION / each, rate.high / each)
    inputs = (
        Input("cards", Bounds.exactly(cards), basis="derived"),
        Input("rate", roof.compute.rate, "TFLOPS", "derived"),
        Input("utilisation", Bounds(MODEL_FLOPS_UTILISATION, 1.0), basis="assumed"),
        Input("operations_per_token", Bounds.exactly(each), "FLOP", "derived"),
        *roof.inputs[-1:],
    )
    formula = "{cards} × {rate} × {utilisation} / {operations_per_token}"
    lines = [Line("training", tokens_s, "tokens/s", formula, inputs, (Note("utilisation"), *roof.compute.notes))]
    seconds = None
    if workload.training_tokens:
        seconds = Bounds(workload.training_tokens / tokens_s.high, workload.training_tokens / tokens_s.low)
        total = Input("training_tokens", Bounds.exactly(workload.training_tokens), basis="given")
        speed = Input("tokens_s", tokens_s, "tokens/s", "derived")
        lines.append(Line("training_time", seconds, "s", "{training_tokens} / {tokens_s}", (total, speed)))
    return Training(tuple(lines), tokens_s, seconds)
