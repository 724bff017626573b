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
_PLAIN: Final = "{parameters} × {bytes}"
_STORED: Final = "{quantised} × {stored_bytes} + {kept} × {kept_bytes}"


def weights_bytes(workload: Workload) -> Bounds:
    """Bytes of the weights of a workload's model."""
    format_ = workload.format
    plain = workload.parameters * format_.bytes
    if not format_.quantises:
        return Bounds.exactly(plain)
    quantised = quantised_parameters(workload)
    kept = workload.parameters - quantised
    stored = quantised * format_.bytes_with_scales + kept * SIXTEEN_BIT_BYTES
    return Bounds.exactly(stored) if format_.name == "nf4" else Bounds(plain, stored)


def estimate_weights(workload: Workload) -> Line:
    """The weights of a workload's model."""
    format_, count = workload.format, workload.shape.count
    value = weights_bytes(workload)
    notes = (
        [Note("all_experts", {"active": round(count.multiplied * workload.scale / 1e9, 1)})]
        if workload.shape.moe
        else []
    )
    parameters = Input("parameters", Bounds.exactly(workload.parameters), basis=_basis(workload), ref=_ref(workload))
    plain = (parameters, Input("bytes", Bounds.exactly(format_.bytes), "bytes", "format"))
    if not format_.quantises:
        return Line("weights", value, "bytes", _PLAIN, plain, tuple(notes))
    quantised = quantised_parameters(workload)
    stored = (
        Input("quantised", Bounds.exactly(quantised), basis="derived"),
        Input("stored_bytes", Bounds.exactly(format_.bytes_with_scales), "bytes", "format"),
        Input("kept", Bounds.exactly(workload.parameters - quantised), basis="derived"),
        Input("kept_bytes", Bounds.exactly(SIXTEEN_BIT_BYTES), "bytes", "format"),
    )
    if value.is_exact:
        return Line("weights", value, "bytes", _STORED, stored, (*notes, Note("kept_in_16_bits_exactly")))
    formula = f"{_PLAIN} … {_STORED}"
    return Line("weights", value, "bytes", formula, (*plain, *stored), (*notes, Note("kept_in_16_bits")))


def quantised_parameters(workload: Workload) -> float:
    """Parameters that the workload's format stores in fewer than 16 bits."""
    count = workload.shape.count
    experts_only = workload.precision == "mxfp4" and workload.shape.moe is not None
    return (count.experts if experts_only else count.linear) * workload.scale


def _basis(workload: Workload) -> Basis:
    return "model" if workload.shape_basis == "named" else "given"


def _ref(workload: Workload) -> str:
    return workload.shape.source if workload.shape_basis == "named" else ""
