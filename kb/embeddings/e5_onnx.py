"""Writes multilingual-e5-small as an ONNX graph, with its tensors in a file beside it.

The tensors stand in their own file so that onnxruntime maps it: the embedding table, half of the model, then costs
memory only for the rows that are used. The table keeps its 4-bit blocks; matrix products are in 32-bit floats, which
on CPUs without 8-bit dot products are as fast and do not let a vector depend on its batch-mates.
Attention, the two fused normalisations and the block-quantised table are onnxruntime's own operators.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from kb.embeddings.e5_weights import BLOCK, E5Weights

GRAPH_FILE: Final = "model.onnx"
TENSORS_FILE: Final = "model.bin"

_MICROSOFT: Final = "com.microsoft"
_OPSET: Final = 21
_IR_VERSION: Final = 10


def write_onnx(weights: E5Weights, folder: Path) -> None:
    """Write `model.onnx` and `model.bin` into `folder`.

    Input: `input_ids`, int64 (texts, tokens), all texts of the same length: there is no mask, since texts are run
    alone. Output: `embedding`, float32 (texts, hidden), rows of unit length.
    """
    builder = _Builder(weights)
    hidden = builder.embed()
    for layer in range(weights.shape.layers):
        hidden = builder.layer(layer, hidden)
    builder.pool(hidden)
    onnx.save(
        builder.model(),
        folder / GRAPH_FILE,
        save_as_external_data=True,
        all_tensors_to_one_file=True,
        location=TENSORS_FILE,
        size_threshold=1024,
    )


class _Builder:
    """Collects nodes and tensors; each method returns the name of what it adds."""

    def __init__(self, weights: E5Weights) -> None:
        self._weights = weights
        self._shape = weights.shape
        self._nodes: list[onnx.NodeProto] = []
        self._tensors: list[onnx.TensorProto] = []

    def _tensor(self, name: str, values: NDArray[Any]) -> str:
        self._tensors.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def _node(self, operator: str, inputs: list[str], output: str, domain: str = "", **attributes: Any) -> str:
        self._nodes.append(helper.make_node(operator, inputs, [output], domain=domain, **attributes))
        return output

    def _vector(self, name: str, length: int) -> str:
        return self._tensor(name, self._weights.vector(name, length))

    def _matmul(self, values: str, name: str, outputs: int, inputs: int) -> str:
        weight = self._tensor(f"{name}.T", self._weights.matrix(name, outputs, inputs).T)
        return self._node("MatMul", [values, weight], f"{name}.out")

    def embed(self) -> str:
        """Token, position and type embeddings, normalised."""
        shape, weights = self._shape, self._weights
        positions = weights.matrix("emb.pos", shape.positions, shape.hidden)
        first_type = weights.matrix("emb.type", shape.token_types, shape.hidden)[0]
        self._tensor("positions", positions + first_type)
        self._tensor("zero", np.array([0], np.int64))
        self._node("Shape", ["input_ids"], "tokens", start=1, end=2)
        self._node("Slice", ["positions", "zero", "tokens", "zero"], "position_rows")
        self._node("Add", [self._token_rows(), "position_rows"], "embedded")
        gain, bias = self._vector("emb.ln.w", shape.hidden), self._vector("emb.ln.b", shape.hidden)
        return self._node("LayerNormalization", ["embedded", gain, bias], "hidden", axis=-1, epsilon=shape.norm_epsilon)

    def _token_rows(self) -> str:
        rows, columns = self._shape.vocabulary, self._shape.hidden
        values, scales = self._weights.quantised("emb.word", rows, columns)
        packed = (values[:, :, 0::2] | (values[:, :, 1::2] << 4)).astype(np.uint8)
        self._uint4("table", [rows, columns], packed.reshape(-1))
        self._tensor("table.scales", scales)
        zero_points = np.full((rows * columns // BLOCK + 1) // 2, 0x88, np.uint8)
        self._uint4("table.zeros", [rows, columns // BLOCK], zero_points)
        return self._node(
            "GatherBlockQuantized",
            ["table", "input_ids", "table.scales", "table.zeros"],
            "token_rows",
            _MICROSOFT,
            gather_axis=0,
            quantize_axis=1,
            block_size=BLOCK,
        )

    def _uint4(self, name: str, dims: list[int], packed: NDArray[np.uint8]) -> None:
        self._tensors.append(helper.make_tensor(name, TensorProto.UINT4, dims, packed.tobytes(), raw=True))

    def layer(self, index: int, hidden: str) -> str:
        """One transformer layer."""
        prefix, size, wide = f"l{index}.", self._shape.hidden, self._shape.feed_forward
        weights = self._weights
        joined = np.concatenate([weights.matrix(f"{prefix}{part}.w", size, size) for part in "qkv"])
        bias = np.concatenate([weights.vector(f"{prefix}{part}.b", size) for part in "qkv"])
        attended = self._node(
            "Attention",
            [hidden, self._tensor(f"{prefix}qkv.w", joined.T), self._tensor(f"{prefix}qkv.b", bias)],
            f"{prefix}attended",
            _MICROSOFT,
            num_heads=self._shape.heads,
        )
        projected = self._matmul(attended, f"{prefix}ao.w", size, size)
        middle = self._add_and_norm(projected, hidden, f"{prefix}ao.b", f"{prefix}aln")
        widened = self._matmul(middle, f"{prefix}fi.w", wide, size)
        active = self._node("BiasGelu", [widened, self._vector(f"{prefix}fi.b", wide)], f"{prefix}active", _MICROSOFT)
        narrowed = self._matmul(active, f"{prefix}fo.w", size, wide)
        return self._add_and_norm(narrowed, middle, f"{prefix}fo.b", f"{prefix}oln")

    def _add_and_norm(self, values: str, skipped: str, bias: str, norm: str) -> str:
        size = self._shape.hidden
        gain, shift = self._vector(f"{norm}.w", size), self._vector(f"{norm}.b", size)
        return self._node(
            "SkipLayerNormalization",
            [values, skipped, gain, shift, self._vector(bias, size)],
            f"{norm}.out",
            _MICROSOFT,
            epsilon=self._shape.norm_epsilon,
        )

    def pool(self, hidden: str) -> str:
        """The mean over tokens, at unit length; the sum does, since its length is divided out."""
        self._tensor("token_axis", np.array([1], np.int64))
        self._node("ReduceSum", [hidden, "token_axis"], "sum", keepdims=0)
        return self._node("LpNormalization", ["sum"], "embedding", axis=-1, p=2)

    def model(self) -> onnx.ModelProto:
        """The finished graph."""
        inputs = [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["texts", "tokens"])]
        output = helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["texts", self._shape.hidden])
        graph = helper.make_graph(self._nodes, "multilingual-e5-small", inputs, [output], self._tensors)
        opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_MICROSOFT, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=_IR_VERSION)
