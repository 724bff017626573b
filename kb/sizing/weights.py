"""Bytes of the weights.

`parameters × bits / 8`. All experts of a mixture count, whichever of them a token uses. Quantised weights have scales,
and only the matrices of the layers are quantised (of an MXFP4 mixture only the experts): embeddings, the output matrix,
norms and routers stay in 16 bits. The lower bound leaves both out, as a rule of thumb does; the upper one counts them.
"""

from __future__ import annotations

from typing import Final

from kb.sizing.bounds import Bounds
from kb.sizing.line import Basis, Input, Line, Note
from kb.sizing.workload import Workload

SIXTEEN_BIT_BYTES: Final = 2.0


def estimate_weights(workload: Workload) -> Line:
    """The weights of a workload's model."""
    format_ = workload.format
    count = workload.shape.count
    notes = [Note("all_experts", {"active": round(count.active / 1e9, 2)})] if workload.shape.moe else []
    parameters = Input("parameters", Bounds.exactly(workload.parameters), basis=_basis(workload), ref=_ref(workload))
    plain = Input("bytes", Bounds.exactly(format_.bytes), "bytes", "format")
    if not format_.quantises:
        value = Bounds.exactly(workload.parameters * format_.bytes)
        return Line("weights", value, "bytes", "{parameters} × {bytes}", (parameters, plain), tuple(notes))
    quantised = quantised_parameters(workload)
    kept = workload.parameters - quantised
    high = quantised * format_.bytes_with_scales + kept * SIXTEEN_BIT_BYTES
    stored = (
        Input("quantised", Bounds.exactly(quantised), basis="derived"),
        Input("stored_bytes", Bounds.exactly(format_.bytes_with_scales), "bytes", "format"),
        Input("kept", Bounds.exactly(kept), basis="derived"),
        Input("kept_bytes", Bounds.exactly(SIXTEEN_BIT_BYTES), "bytes", "format"),
    )
    if format_.name == "nf4":
        notes.append(Note("kept_in_16_bits_exactly"))
        formula = "{quantised} × {stored_bytes} + {kept} × {kept_bytes}"
        return Line("weights", Bounds.exactly(high), "bytes", formula, stored, tuple(notes))
    notes.append(Note("kept_in_16_bits"))
    formula = "{parameters} × {bytes} … {quantised} × {stored_bytes} + {kept} × {kept_bytes}"
    low = workload.parameters * format_.bytes
    return Line("weights", Bounds(low, high), "bytes", formula, (parameters, plain, *stored), tuple(notes))


def quantised_parameters(workload: Workload) -> float:
    """Parameters that the workload's format stores in fewer than 16 bits."""
    count = workload.shape.count
    experts_only = workload.precision == "mxfp4" and workload.shape.moe is not None
    return (count.experts if experts_only else count.linear) * workload.scale


def _basis(workload: Workload) -> Basis:
    return "model" if workload.shape_basis == "named" else "given"


def _ref(workload: Workload) -> str:
    return workload.shape.source if workload.shape_basis == "named" else ""
