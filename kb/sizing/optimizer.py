"""Bytes of what training keeps for each trained parameter: gradients and optimizer states.

Mixed precision with Adam keeps 2 bytes of weight, 2 of gradient, and 4 each of a master weight and two moments: 16
(Rajbhandari et al., ZeRO, 2020, section 3.1). Gradients summed in FP32 take 4. Adapters are trained in FP32 without a
master copy: 4 + 4 + 8, again 16 (Hu et al., LoRA, 2021; the PEFT library casts them to FP32).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from kb.errors import RequestError
from kb.sizing.adapters import adapter_parameters
from kb.sizing.bounds import Bounds
from kb.sizing.line import Input, Line, Note
from kb.sizing.workload import Workload

_MASTER = 4.0
_BLOCK_SCALES = 2 * 4 / 256
OPTIMIZERS: Mapping[str, float] = MappingProxyType(
    {
        "adamw": 4.0 + 4.0,
        "adamw8bit": 1.0 + 1.0 + _BLOCK_SCALES,
        "muon": 4.0,
        "sgd_momentum": 4.0,
        "adafactor": 0.0,
        "sgd": 0.0,
    }
)
"""Bytes of moments for each trained parameter. 8-bit Adam keeps a 32-bit scale for each block of 256 (Dettmers et al.,
8-bit Optimizers via Block-wise Quantization, 2022); Adafactor keeps rows and columns, which is next to nothing; Muon
keeps one moment for matrices."""


def optimizer_bytes(name: str) -> float:
    """Bytes of moments for each trained parameter.

    Raises:
        RequestError: there is no such optimizer.
    """
    found = OPTIMIZERS.get(name.strip().lower())
    if found is None:
        raise RequestError(f"There is no optimizer {name!r}.", f"Optimizers: {', '.join(OPTIMIZERS)}.")
    return found


def trained_parameters(workload: Workload) -> float:
    """Parameters that have gradients."""
    return workload.parameters if workload.method == "full" else adapter_parameters(workload.shape, workload.lora_rank)


def gradient_bytes(workload: Workload) -> Bounds:
    """Bytes of the gradients."""
    return _gradient_bytes_each(workload) * trained_parameters(workload)


def state_bytes(workload: Workload) -> Bounds:
    """Bytes of master weights and moments."""
    return Bounds.exactly(
        trained_parameters(workload) * (_master_bytes(workload) + optimizer_bytes(workload.optimizer))
    )


def _is_mixed(workload: Workload) -> bool:
    return workload.method == "full" and workload.precision != "fp32"


def _gradient_bytes_each(workload: Workload) -> Bounds:
    return Bounds(2.0, 4.0) if _is_mixed(workload) else Bounds.exactly(4.0)


def _master_bytes(workload: Workload) -> float:
    return _MASTER if _is_mixed(workload) else 0.0


def estimate_gradients(workload: Workload) -> Line:
    """The gradients."""
    trained = trained_parameters(workload)
    each = _gradient_bytes_each(workload)
    notes = () if each.is_exact else (Note("gradients_in_fp32"),)
    return Line("gradients", each * trained, "bytes", "{trained} × {gradient_bytes}", _inputs(
        trained, Input("gradient_bytes", each, "bytes", "format")
    ), notes)  # fmt: skip


def estimate_optimizer(workload: Workload) -> Line:
    """Master weights and moments."""
    trained = trained_parameters(workload)
    master, moments = _master_bytes(workload), optimizer_bytes(workload.optimizer)
    inputs = _inputs(
        trained,
        Input("master_bytes", Bounds.exactly(master), "bytes", "format"),
        Input("moment_bytes", Bounds.exactly(moments), "bytes", "assumed"),
    )
    formula = "{trained} × ({master_bytes} + {moment_bytes})"
    notes = (Note("optimizer", {"name": workload.optimizer}),)
    return Line("optimizer", state_bytes(workload), "bytes", formula, inputs, notes)


def _inputs(trained: float, *more: Input) -> tuple[Input, ...]:
    return (Input("trained", Bounds.exactly(trained), basis="derived"), *more)
