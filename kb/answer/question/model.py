"""What a question asks, as the catalogue's answers need it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kb.specs.names import Mention
from kb.types import Language

Intent = Literal[
    "lookup",  # figures of named cards
    "overview",  # a named card as a whole
    "compare",  # named cards against each other
    "filter",  # which cards meet conditions
    "superlative",  # the most or least of something
    "convert",  # one figure in another unit, direction or number of cards
    "conflict",  # "is it A or B"
    "check",  # "is it true that"
    "source",  # who says so
    "chip",  # a chip rather than a card: which cards have it
    "sizing",  # what a model needs, and how many cards that is
    "passages",  # why, how, what is: documents answer
    "greeting",
    "capability",  # "what can you do"
    "other",  # nothing recognised
]
Operator = Literal["gte", "gt", "lte", "lt", "eq", "has", "lacks"]
Direction = Literal["highest", "lowest"]


@dataclass(frozen=True, slots=True)
class Condition:
    """One requirement of a filter, or one side of a yes/no question.

    Attributes:
        field: key of the catalogue.
        operator: `has` and `lacks` ask for presence (RT cores, FP8); `eq` on text compares folded prefixes (`HBM`
            holds for HBM2e).
        value: in the field's own unit, or text; `None` for `has` and `lacks`.
        text: the words of the question it was read from.
        assumed: the field was inferred from the unit alone.
        than: the bound is the figure of `Question.reference`, and `value` is `None`.
    """

    field: str
    operator: Operator
    value: float | str | None
    text: str
    assumed: bool = False
    than: bool = False


@dataclass(frozen=True, slots=True)
class Claim:
    """Something the question states of a card, to be held against the catalogue.

    Attributes:
        fields: the fields it may be about, likeliest first.
        value: in the fields' own unit, or text such as `HBM2e`.
        unit: as stated, canonical; empty for text.
        text: the words of the question.
        near: index into `Question.cards` of the mention it belongs to.
        queried: it is what the question asks about ("is it HBM?"), not something it takes for granted.
    """

    fields: tuple[str, ...]
    value: float | str
    unit: str
    text: str
    near: int
    queried: bool = False


@dataclass(frozen=True, slots=True)
class Amount:
    """A quantity of the question to convert: value and unit as stated."""

    value: float
    unit: str
    text: str


@dataclass(frozen=True, slots=True)
class Conversion:
    """What a conversion asks for.

    Attributes:
        amount: the stated figure; `None` where it is a card's own.
        unit: the unit asked for; empty where only the direction, sparsity or number of cards changes.
        direction: `one` or `both` where directions matter, else empty.
        sparsity: `dense` or `sparse` where asked for, else empty.
        cards: over how many cards to total, 1 for a single card.
    """

    amount: Amount | None = None
    unit: str = ""
    direction: Literal["", "one", "both"] = ""
    sparsity: Literal["", "dense", "sparse"] = ""
    cards: int = 1


@dataclass(frozen=True, slots=True)
class Group:
    """A set of cards described rather than named.

    Attributes:
        kind: how `value` selects: vendor id, architecture, name pattern, or a word for a set of them.
        text: the words of the question.
    """

    kind: Literal["vendor", "domestic", "architecture", "series", "consumer", "datacentre", "foreign"]
    value: str
    text: str


@dataclass(frozen=True, slots=True)
class Superlative:
    """The most or least of a field; `per` divides by another field (bandwidth per watt).

    Attributes:
        assumed: no field was named ("the best GPU").
    """

    field: str
    direction: Direction
    text: str
    per: str = ""
    assumed: bool = False


@dataclass(frozen=True, slots=True)
class Chip:
    """A chip named in a question.

    Attributes:
        start, end: its span.
        text: as written.
        name: as the catalogue writes it, or as written if the catalogue does not know it.
        gpu_ids: the cards that have it, first tier first; empty if the catalogue knows none.
        field: the catalogue's field that says so.
    """

    start: int
    end: int
    text: str
    name: str
    gpu_ids: tuple[str, ...]
    field: str = "chip"


MemoryAsk = Literal["memory", "weights", "cards", "fit", "kv", "context", "model"]
SpeedAsk = Literal["speed", "rate", "prefill", "concurrency", "energy", "price", "time"]
WorkloadAsk = MemoryAsk | SpeedAsk
"""What is asked of a workload: `rate` for the cards that reach a speed, `context` for the longest one, `model` for the
largest model that cards hold."""


@dataclass(frozen=True, slots=True)
class Workload:
    """A language model to be run or trained, as a sizing question states it.

    Attributes:
        asks: what is asked of it.
        model: its name as the question writes it; empty where only a size is given.
        unknown: a name of which nothing is recorded, as the question writes it.
        parameters_b: billions of parameters; `None` where the model's own count holds.
        precision: of the weights (`fp16`, `fp8`, `int4`…); empty where none is stated.
        kv_precision: of the KV cache; empty where none is stated.
        context_tokens: tokens per sequence; `None` where not stated.
        sequences: how many at once; `None` where not stated.
        card_gb: memory of the card it is to fit on, where one is stated instead of a name.
        cards: how many cards there are; `None` where not stated.
        nodes: how many machines with so many cards each; `None` where not stated.
        wants_cards: it wants cards named that hold it.
        trains: it is to be trained or fine-tuned, not only run; `finetunes` the latter.
        methods: how it is trained, `full`, `lora` or `qlora`, in order; empty where not stated.
        optimizer: empty where not stated; zero_stage and lora_rank are `None` then.
        keeps_activations: nothing is computed anew in training.
        target_ms: longest time between two tokens.
        target_tokens_s: speed to reach, all sequences together.
        training_tokens: of the whole training.
        decimals: to how many decimals figures are wanted; `None` leaves them as they read best.
    """

    asks: WorkloadAsk = "memory"
    model: str = ""
    unknown: str = ""
    parameters_b: float | None = None
    precision: str = ""
    kv_precision: str = ""
    context_tokens: int | None = None
    sequences: int | None = None
    card_gb: float | None = None
    cards: int | None = None
    nodes: int | None = None
    wants_cards: bool = False
    trains: bool = False
    finetunes: bool = False
    methods: tuple[Literal["full", "lora", "qlora"], ...] = ()
    optimizer: str = ""
    zero_stage: int | None = None
    lora_rank: int | None = None
    keeps_activations: bool = False
    target_ms: float | None = None
    target_tokens_s: float | None = None
    training_tokens: float | None = None
    decimals: int | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question, understood.

    Attributes:
        text: as asked.
        asked: the part that asks: instructions wrapped around it are blanked with spaces, so offsets hold for both.
        standalone: the question with what it needs of earlier turns; equal to `text` without any.
        language: to answer in.
        cards: names of cards in order, those only excluded left out.
        excluded: names the question sets aside ("not the L40S").
        unknown: card-like names the catalogue does not hold.
        reference: the card whose figure bounds a filter ("more memory than the L4"); it is none of `cards`.
        chips: names of chips, which are no cards.
        fields: keys of the fields asked for, in order.
        conditions, groups: of a filter or superlative.
        claims: what it states of the cards named.
        superlative, conversion: what those intents ask for.
        direction: `one` where a figure per direction is asked for.
        sparsity: `both`, `dense` or `sparse` where the question says so.
        generic_compute: it asks for compute without a number format, so that figures a card lacks need no word.
        asks_same: it asks whether things are equal.
        uses: what it says the cards are for; no field holds that.
        purpose: what a choice is for (`video`, `training`…), where it asks to choose.
        about_list_price: it asks whether a price is the vendor's own.
        doubts: it asks whether a figure can be relied on.
        not_held: kinds of what it asks that no field holds, keys of `not_held` in the vocabulary.
        counts: how many of each of `cards` it names; empty where it counts none.
        asks_how_many: it asks how many cards there are.
        slices: MIG profiles it names, such as `1g.10gb`.
        workload: the model of a sizing question.
        yes_no: it wants a yes or a no first.
        suitability: `rendering` and the like, where it asks what the card is fit for.
        injected: it carries instructions to the service, which are not followed.
        unexplained: words of substance that no rule accounts for.
        wants_passages: documents should be searched too, even where the catalogue answers.
        names_document: it asks what a document says.
        is_smalltalk: a greeting, thanks or a question about the service itself.
        is_clearly_out_of_scope: its topic is none of ours, unless a document holds it.
        from_history: cards or fields were taken from earlier turns.
    """

    text: str
    asked: str
    standalone: str
    language: Language
    intent: Intent
    cards: tuple[Mention, ...] = ()
    excluded: tuple[Mention, ...] = ()
    unknown: tuple[Mention, ...] = ()
    reference: Mention | None = None
    chips: tuple[Chip, ...] = ()
    fields: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()
    groups: tuple[Group, ...] = ()
    claims: tuple[Claim, ...] = ()
    superlative: Superlative | None = None
    conversion: Conversion | None = None
    direction: Literal["", "one", "both"] = ""
    sparsity: Literal["", "dense", "sparse", "both"] = ""
    generic_compute: bool = False
    asks_same: bool = False
    uses: tuple[str, ...] = ()
    purpose: str = ""
    about_list_price: bool = False
    doubts: bool = False
    not_held: tuple[str, ...] = ()
    counts: tuple[int, ...] = ()
    asks_how_many: bool = False
    slices: tuple[str, ...] = ()
    workload: Workload | None = None
    yes_no: bool = False
    suitability: str = ""
    injected: bool = False
    unexplained: tuple[str, ...] = ()
    wants_passages: bool = False
    names_document: bool = False
    is_smalltalk: bool = False
    is_clearly_out_of_scope: bool = False
    from_history: bool = False

    @property
    def gpu_ids(self) -> tuple[str, ...]:
        """Every card that the names may mean, each once, in order."""
        return tuple(dict.fromkeys(gpu_id for mention in self.cards for gpu_id in mention.gpu_ids))
