"""What may be said of a workload: a setting of training means nothing for one that is only run, and the other way."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from kb.errors import RequestError

_OF_TRAINING: Final = ("method", "optimizer", "zero_stage", "recompute", "lora_rank", "training_tokens")
_OF_INFERENCE: Final = ("kv_precision", "target_tpot_ms", "target_tokens_s")


def require_fitting(stated: Collection[str], *, task: str, method: str = "full") -> None:
    """Refuse settings that the task has no use for, instead of leaving them out unsaid.

    Args:
        stated: names of what is said of the workload.
        task: `inference`, `finetune` or `pretrain`.
        method: how it is trained.

    Raises:
        RequestError: names the settings and what they go with.
    """
    trains = task != "inference"
    idle = [name for name in (_OF_INFERENCE if trains else _OF_TRAINING) if name in stated]
    if idle:
        names, zh_names = ", ".join(idle), "、".join(idle)
        if trains:
            raise RequestError(
                f"{names}: of inference only, and the task is {task}.",
                "Leave out, or set task to inference.",
                zh=f"{zh_names} 只用于推理，而任务是 {task}；请去掉，或把 task 改为 inference。",
            )
        raise RequestError(
            f"{names}: of training only, and the task is inference.",
            "Leave out, or set task to finetune or pretrain.",
            zh=f"{zh_names} 只用于训练，而任务是推理；请去掉，或把 task 改为 finetune 或 pretrain。",
        )
    if "lora_rank" in stated and method == "full":
        raise RequestError(
            "lora_rank: of adapters only, and all weights are trained.",
            "Leave it out, or set method to lora or qlora.",
            zh="lora_rank 只用于 LoRA 和 QLoRA，而训练方式是全参数；请去掉，或把 method 改为 lora 或 qlora。",
        )
