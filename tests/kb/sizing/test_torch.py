"""What the formulas of training give against what torch really allocates for a small model, to the byte."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from kb.sizing import Workload, estimate_memory, refined
from kb.sizing.activations import layer_bytes_per_token
from kb.specs.model_shapes import ModelShape

torch = pytest.importorskip("torch", reason="torch is not installed")

_PATH = Path(__file__).with_name("reference_model.py")
_SPEC = importlib.util.spec_from_file_location("reference_model", _PATH)
reference = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(reference)

FIGURES = {"hidden": 256, "heads": 8, "kv_heads": 2, "head_dim": 32, "inner": 704, "vocab": 1000}
BATCH, LENGTH = 2, 64


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture
def tokens():
    return torch.randint(0, FIGURES["vocab"], (BATCH, LENGTH), generator=torch.Generator().manual_seed(0))


def model_of(layers, dtype=torch.bfloat16, **options):
    torch.manual_seed(0)
    return reference.Transformer(layers, **FIGURES, **options).to(dtype)


def shape_of(layers):
    figures = {key: value for key, value in FIGURES.items() if key != "inner"}
    return ModelShape.model_construct(
        id="small", name="small", layers=layers, intermediate=FIGURES["inner"], attention="gqa", source="",
        max_context=4096, moe=None, mla=None, sliding_window=None, **figures,
    )  # fmt: skip


def memory_of(layers, **stated):
    shape = shape_of(layers)
    workload = Workload(shape, shape.count.total, "small", "given", task="pretrain")
    return estimate_memory(refined(workload, context_tokens=LENGTH, sequences=BATCH, **stated))


def bytes_of(tensors):
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


@pytest.mark.parametrize("layers", [1, 3])
def test_parameters_gradients_and_adam_states(tokens, layers):
    model, memory = model_of(layers), memory_of(layers)
    assert bytes_of(model.parameters()) == memory.part("weights").low
    model(tokens).float().square().mean().backward()
    assert bytes_of(parameter.grad for parameter in model.parameters()) == memory.part("gradients").low
    masters = [parameter.detach().float().requires_grad_() for parameter in model.parameters()]
    for master, parameter in zip(masters, model.parameters(), strict=True):
        master.grad = parameter.grad.float()
    assert bytes_of(master.grad for master in masters) == memory.part("gradients").high
    adam = torch.optim.AdamW(masters)
    adam.step()
    moments = bytes_of(state[name] for state in adam.state.values() for name in ("exp_avg", "exp_avg_sq"))
    assert bytes_of(masters) + moments == memory.part("optimizer").low == memory.part("optimizer").high


def test_plain_32_bit_training(tokens):
    model, memory = model_of(2, torch.float32), memory_of(2, precision="fp32")
    model(tokens).square().mean().backward()
    adam = torch.optim.AdamW(model.parameters())
    adam.step()
    moments = bytes_of(state[name] for state in adam.state.values() for name in ("exp_avg", "exp_avg_sq"))
    assert bytes_of(model.parameters()) == memory.part("weights").low
    assert bytes_of(parameter.grad for parameter in model.parameters()) == memory.part("gradients").high
    assert moments == memory.part("optimizer").high


@pytest.mark.parametrize(("fused", "bound"), [(False, "high"), (True, "low")])
def test_what_a_layer_keeps(tokens, fused, bound):
    one, _ = reference.kept_bytes(model_of(1, fused=fused), tokens)
    three, _ = reference.kept_bytes(model_of(3, fused=fused), tokens)
    expected = getattr(layer_bytes_per_token(shape_of(1)), bound)
    assert (three - one) / 2 == expected * tokens.numel()


def test_recomputation_keeps_the_input_of_each_layer(tokens):
    one, _ = reference.kept_bytes(model_of(1, recompute=True), tokens)
    three, _ = reference.kept_bytes(model_of(3, recompute=True), tokens)
    kept = (three - one) / 2
    full, least = (memory_of(layers).part("activations").low for layers in (3, 1))
    assert kept == (full - least) / 2 == 2 * FIGURES["hidden"] * tokens.numel()


def test_recomputation_and_fused_kernels_give_the_same_gradients(tokens):
    gradients = []
    for options in ({}, {"recompute": True}, {"fused": True}):
        model = model_of(2, torch.float32, **options)
        model(tokens).square().mean().backward()
        gradients.append(torch.cat([parameter.grad.flatten() for parameter in model.parameters()]))
    for other in gradients[1:]:
        assert torch.allclose(gradients[0], other, rtol=1e-3, atol=1e-6)


def test_the_logits_are_what_the_upper_bound_adds(tokens):
    logits = model_of(1)(tokens)
    copies = (logits, logits.float(), torch.log_softmax(logits.float(), -1))
    shape = shape_of(1)
    allowed = memory_of(1, recompute="none").part("activations").high
    allowed -= layer_bytes_per_token(shape).high * tokens.numel()
    assert bytes_of(copies) == allowed
