"""`/v1/size`: a workload, and the cards to run it on."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from api.schemas.common import Count, Flag, Number, RequestModel, ShortText, wrong
from kb.errors import RequestError
from kb.sizing import Sizer, Workload, describe_workload, refined, require_fitting
from kb.sizing.formats import number_format
from kb.sizing.sizer import MOST_CARDS
from kb.specs.model_shapes import Experts, LatentAttention, ModelShape, SlidingWindow

Precision = Literal[
    "fp32", "fp16", "bf16", "fp8", "int8", "int4", "fp4", "nvfp4", "mxfp4", "nf4"
]  # fmt: skip
Optimizer = Literal["adamw", "adamw8bit", "muon", "sgd_momentum", "adafactor", "sgd"]
_MOST_TOKENS = 100_000_000
_MOST_SEQUENCES = 1_000_000


class ShapeIn(RequestModel):
    """The figures of a model that is not recorded, as its config.json has them."""

    layers: Annotated[Count, Field(ge=1, le=10_000)]
    hidden: Annotated[Count, Field(ge=1, le=1_000_000)]
    heads: Annotated[Count, Field(ge=1, le=10_000)]
    kv_heads: Annotated[Count, Field(ge=1, le=10_000)] | None = None
    head_dim: Annotated[Count, Field(ge=1, le=10_000)] | None = None
    intermediate: Annotated[Count, Field(ge=1, le=10_000_000)]
    vocab: Annotated[Count, Field(ge=1, le=10_000_000)]
    tied_embeddings: Flag = False
    gated: Flag = True
    sliding_window: SlidingWindow | None = None
    moe: Experts | None = None
    mla: LatentAttention | None = None

    @model_validator(mode="after")
    def _heads_share_evenly(self) -> ShapeIn:
        if self.kv_heads is not None and self.heads % self.kv_heads:
            raise wrong("kv_heads has to divide heads", "kv_heads 要能整除 heads")
        return self

    def to_shape(self) -> ModelShape:
        """The library's shape; its parameter count follows from it."""
        kv_heads = self.kv_heads or self.heads
        kind = "mla" if self.mla else "mha" if kv_heads == self.heads else "mqa" if kv_heads == 1 else "gqa"
        figures = self.model_dump(exclude={"sliding_window", "moe", "mla", "kv_heads", "head_dim"})
        return ModelShape.model_construct(
            **figures,
            id="given",
            name="given shape",
            attention=kind,
            kv_heads=kv_heads,
            head_dim=self.head_dim or max(1, self.hidden // self.heads),
            parameters_b=1.0,
            max_context=_MOST_TOKENS,
            source="",
            sliding_window=self.sliding_window,
            moe=self.moe,
            mla=self.mla,
        )


class WorkloadIn(RequestModel):
    """What is run: a model by name, by its shape, or by its size alone."""

    model: (
        Annotated[ShortText, Field(description="`Llama 3.1 70B`, `DeepSeek-V3`, or a size such as `70B`.")] | None
    ) = None
    parameters_b: Annotated[Number, Field(gt=0, le=100_000, description="Billions.")] | None = None
    shape: ShapeIn | None = None
    task: Literal["inference", "finetune", "pretrain"] = "inference"
    method: Annotated[Literal["full", "lora", "qlora"], Field(description="Of training.")] = "full"
    precision: Annotated[Precision | None, Field(description="Of the weights.")] = None
    kv_precision: Precision = "fp16"
    context_tokens: Annotated[Count, Field(ge=1, le=_MOST_TOKENS)] | None = None
    concurrency: Annotated[Count, Field(ge=1, le=_MOST_SEQUENCES, description="Sequences at once.")] | None = None
    batch: (
        Annotated[
            Count, Field(ge=1, le=_MOST_SEQUENCES, description="The same; in training the micro-batch of a card.")
        ]
        | None
    ) = None
    target_tpot_ms: Annotated[Number, Field(gt=0, le=1e6, description="Longest time between two tokens.")] | None = None
    target_tokens_s: (
        Annotated[Number, Field(gt=0, le=1e9, description="Speed wanted of all sequences together: cards for it.")]
        | None
    ) = None
    optimizer: Optimizer = "adamw"
    zero_stage: Annotated[Count, Field(ge=0, le=3)] = 3
    recompute: Literal["none", "full"] = "full"
    lora_rank: Annotated[Count, Field(ge=1, le=100_000)] = 16
    training_tokens: Annotated[Number, Field(gt=0, le=1e18)] | None = None

    @model_validator(mode="after")
    def _fits_the_task(self) -> Self:
        try:
            require_fitting(self.model_fields_set, task=self.task, method=self.method)
        except RequestError as error:
            raise wrong(str(error), error.zh or str(error)) from None
        return self

    def to_workload(self, sizer: Sizer) -> Workload:
        """The library's workload."""
        shape = self.shape.to_shape() if self.shape else None
        found = describe_workload(sizer.models, model=self.model, parameters_b=self.parameters_b, shape=shape)
        return refined(
            found,
            task=self.task,
            method=self.method,
            precision=number_format(self.precision).name if self.precision else None,
            kv_precision=number_format(self.kv_precision).name,
            context_tokens=self.context_tokens,
            sequences=self.concurrency or self.batch or 1,
            target_tpot_ms=self.target_tpot_ms,
            target_tokens_s=self.target_tokens_s,
            optimizer=self.optimizer,
            zero_stage=self.zero_stage,
            recompute=self.recompute,
            lora_rank=self.lora_rank,
            training_tokens=self.training_tokens,
        )


class SizeIn(WorkloadIn):
    """A workload and the cards to run it on; the workload's fields stand here or under `workload`."""

    workload: WorkloadIn | None = None
    language: Literal["auto", "zh", "en"] = "auto"
    gpu: Annotated[
        ShortText | tuple[ShortText, ...], Field(description="Ids or names; a name of several cards gives each.")
    ] = ()
    cards: (
        Annotated[Count, Field(ge=1, le=MOST_CARDS, description="How many there are; left out, how many it takes.")]
        | None
    ) = None

    @property
    def asked(self) -> WorkloadIn:
        """The workload, wherever it stands."""
        return self.workload or self

    @property
    def gpus(self) -> tuple[str, ...]:
        """The names of cards."""
        return (self.gpu,) if isinstance(self.gpu, str) else self.gpu

    @model_validator(mode="after")
    def _says_one_thing(self) -> SizeIn:
        if self.workload is not None and self.model_fields_set & set(WorkloadIn.model_fields):
            raise wrong(
                "Put the workload's fields either under `workload` or beside it, not both",
                "负载的字段要么放在 workload 里，要么放在外面，不能两处都有",
            )
        asked = self.asked
        if sum(value is not None for value in (asked.model, asked.parameters_b, asked.shape)) != 1:
            raise wrong(
                "Give exactly one of model, parameters_b and shape", "model、parameters_b、shape 要给且只给一个"
            )
        if asked.concurrency and asked.batch and asked.concurrency != asked.batch:
            raise wrong(
                "concurrency and batch mean the same here; give one of them", "concurrency 与 batch 是一回事，只给一个"
            )
        return self
