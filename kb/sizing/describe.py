"""From what a caller says of a workload to a `Workload`: a model by name, by its figures or by its size alone."""

from __future__ import annotations

import difflib
import unicodedata
from dataclasses import replace

from kb.errors import NotFoundError, RequestError
from kb.sizing.workload import Workload, shape_like
from kb.specs.model_shapes import ModelShape, ModelShapes


def describe_workload(
    models: ModelShapes,
    *,
    model: str | None = None,
    parameters_b: float | None = None,
    shape: ModelShape | None = None,
    like: str = "",
) -> Workload:
    """A workload with its defaults, to be refined with `dataclasses.replace`.

    Args:
        models: the recorded models.
        model: name of a recorded one, or a size such as `70B`.
        parameters_b: billions of parameters, where no model is named.
        shape: the figures of a model that is not recorded.
        like: a name whose family is taken first where the shape has to be assumed from a size.

    Raises:
        NotFoundError: no such model is recorded; the hint names the nearest.
        RequestError: nothing, or more than one thing, says what the model is.
    """
    given = [value for value in (model, parameters_b, shape) if value is not None]
    if len(given) != 1:
        raise RequestError(
            "A workload needs one of model, parameters_b and shape.",
            "Give exactly one of them.",
            zh="负载要给 model、parameters_b、shape 之一，且只给一个。",
        )
    if shape is not None:
        return Workload(shape, shape.count.total, shape.name, "given")
    if model is not None:
        size = parameters_in(model)
        if size is None:
            found = _named(models, model)
            return Workload(found, found.count.total, found.name, "named").with_defaults()
        parameters_b = size
    parameters = (parameters_b or 0.0) * 1e9
    assumed, basis = shape_like(parameters, models.shapes.values(), family=_bare(like))
    return Workload(assumed, parameters, size_text(parameters), basis).with_defaults()


def refined(workload: Workload, **changes: object) -> Workload:
    """A workload with what is stated of it, and the defaults that follow from that."""
    stated = {key: value for key, value in changes.items() if value is not None}
    if "precision" in stated:
        stated["precision_basis"] = "given"
    return replace(workload, **stated).with_defaults()  # type: ignore[arg-type]


def size_text(parameters: float) -> str:
    """A size as people write it: `70B`, `1T`."""
    return f"{parameters / 1e12:g}T" if parameters >= 1e12 else f"{parameters / 1e9:g}B"


def parameters_in(name: str) -> float | None:
    """Billions of parameters, if a name is nothing but a size: `70B`, `1.5 T`."""
    text = unicodedata.normalize("NFKC", name).strip().lower().removesuffix("parameters").strip()
    scale = {"b": 1.0, "t": 1000.0}.get(text[-1:], 0.0)
    try:
        return float(text[:-1]) * scale if scale else None
    except ValueError:
        return None


def nearest_models(models: ModelShapes, name: str) -> tuple[ModelShape, ...]:
    """The recorded models with the most similar names, at most three."""
    by_name = {_bare(shape.name): shape for shape in models.shapes.values()}
    found = difflib.get_close_matches(_bare(name), list(by_name), n=3, cutoff=0.6)
    return tuple(by_name[key] for key in found)


def _named(models: ModelShapes, name: str) -> ModelShape:
    try:
        return models.find(name)
    except NotFoundError:
        near = ", ".join(shape.name for shape in nearest_models(models, name))
        hint = f"Nearest: {near}. Or give its size or shape." if near else "Give its size or shape instead."
        zh = f"最接近的是 {near}。也可以给出规模或结构。" if near else "请改为给出规模（如 70B）或结构。"
        raise NotFoundError(f"No model {name!r} is recorded.", hint, zh=f"没有收录模型“{name}”。{zh}") from None


def _bare(name: str) -> str:
    return "".join(character for character in name.lower() if character.isalnum())
