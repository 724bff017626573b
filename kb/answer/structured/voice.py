"""How the catalogue speaks: an entry as words in one language, with every number traced to the card's sheet."""

from __future__ import annotations

from collections.abc import Sequence

from kb.answer.draft import DraftFact, Evidence, Sentence, Support
from kb.answer.phrases import feature_of, in_parentheses, label_of, say, tidy
from kb.answer.structured.said import Said, combine, join, number_text, numbers_in, phrase, sentence
from kb.answer.structured.totals import total
from kb.specs.catalog import Catalog
from kb.specs.fields import FIELDS, sparse_key
from kb.specs.schema import QUALIFIERS, Entry, Figure, GpuSpec
from kb.specs.sheet import Sheet, sheet
from kb.types import Language, Span

_IN_LABEL = {"dense", "sparse", "vector", "fp16_accumulate", "tdp", "per_card"}
"""Qualifiers that the field's label says already, or that go without saying."""
_WHOLE_TEMPLATES = {
    "released_on": "one.released",
    "vendor": "one.vendor",
    "architecture": "one.architecture",
    "memory_type": "one.memory_type",
}
COUNTS = ("rt_cores", "tensor_cores", "mig_slices", "video_decode_1080p30")
"""Counts of which 0 means that the card has none."""
HAD = {*COUNTS, "interconnect", "interconnect_gb_s"}
"""What a card has or has not, rather than supports or not."""
_MOST_NOTE_CHARS = 160
_MOST_REPEATED_CHARS = 60
_MOST_SOURCES = 3
_LIST_SIGN = "- "


class SheetCache:
    """Sheets by card and language; a sheet never changes within a catalogue."""

    def __init__(self) -> None:
        self._sheets: dict[tuple[str, Language], Sheet] = {}

    def sheet_of(self, catalog: Catalog, gpu_id: str, language: Language) -> Sheet:
        """The sheet of a card."""
        found = self._sheets.get((gpu_id, language))
        if found is None:
            found = self._sheets[gpu_id, language] = sheet(catalog.get(gpu_id), language)
        return found


class Voice:
    """Says what a catalogue holds, in one language."""

    def __init__(self, catalog: Catalog, language: Language, sheets: SheetCache) -> None:
        self.catalog = catalog
        self.language: Language = language
        self._sheets = sheets

    # ------------------------------------------------------------ names

    def spec(self, gpu_id: str) -> GpuSpec:
        """The card of that id."""
        return self.catalog.get(gpu_id)

    def entry(self, gpu_id: str, key: str) -> Entry:
        """What is known of one field of a card."""
        return self.catalog.entry(gpu_id, key)

    def name(self, gpu_id: str) -> str:
        """What answers call a card."""
        return tidy(self.spec(gpu_id).label(self.language), self.language)

    def label(self, key: str, gpu_id: str = "") -> str:
        """How a sentence names a field; a link by the card's own name for it."""
        if key == "interconnect_gb_s" and gpu_id:
            value = self.entry(gpu_id, "interconnect").value
            if isinstance(value, str) and value.startswith("NVLink"):
                return "NVLink 带宽" if self.language == "zh" else "NVLink bandwidth"
        return label_of(key, self.language, self.spec(gpu_id).vendor_id if gpu_id else "")

    def feature(self, key: str, gpu_ids: Sequence[str] = ()) -> str:
        """How a sentence names what a card has or lacks."""
        if key in {"interconnect", "interconnect_gb_s"} and gpu_ids:
            vendors = {self.spec(gpu_id).vendor_id for gpu_id in gpu_ids}
            if vendors == {"nvidia"}:
                return "NVLink"
        return feature_of(key, self.language)

    # ------------------------------------------------------------ evidence

    def support(self, gpu_id: str, key: str) -> Support | None:
        """The line of the card's sheet that bears out an entry, or another line by its key."""
        page = self._sheets.sheet_of(self.catalog, gpu_id, self.language)
        line = page.spans.get(key)
        if line is None:
            return None
        start = line.start + len(_LIST_SIGN) if page.text.startswith(_LIST_SIGN, line.start) else line.start
        evidence = Evidence(
            key=f"{page.doc_id}#{key}",
            doc_id=page.doc_id,
            title=say("names.sheet", self.language, card=self.name(gpu_id)),
            kind="spec",
            text=page.text[start : line.end],
            start=start,
            end=line.end,
            published=_as_of(self.entry(gpu_id, key)) if key in FIELDS else None,
        )
        return Support(evidence, Span(start, line.end))

    def remark(self, text: str, gpu_id: str, key: str) -> Said:
        """Words of the catalogue (a reason, a note) with their numbers as facts."""
        support = self.support(gpu_id, key)
        facts = tuple(DraftFact(gpu_id, key, number, None, None, "supported", support) for number in numbers_in(text))
        return Said(text, facts, (support,) if support else ())

    # ------------------------------------------------------------ figures

    def figure(self, gpu_id: str, key: str, figure: Figure, *, qualified: bool = True) -> Said:
        """One figure with its unit and, where they matter, its qualifiers."""
        support = self.support(gpu_id, key)
        qualifier = " ".join(figure.qualifiers) or None
        bounds = [figure.low, figure.high] if figure.value is None else [figure.value]
        facts = tuple(
            DraftFact(gpu_id, key, bound, figure.unit or None, qualifier, "supported", support)
            for bound in bounds
            if bound is not None
        )
        text = self.spec(gpu_id).vendor_label(self.language) if key == "vendor" else figure.shown(self.language)
        if qualified:
            text += in_parentheses(self.qualifier_text(gpu_id, key, figure), self.language)
        return Said(text, facts, (support,) if support else ())

    def qualifier_text(self, gpu_id: str, key: str, figure: Figure, *, every: bool = False) -> str:
        """The qualifiers of a figure that its label does not say; `every` one of them where figures differ by it."""
        index = 0 if self.language == "zh" else 1
        hidden = (
            {"dense", "sparse", "vector"}
            if every
            else _IN_LABEL | ({"community"} if figure.note(self.language) else set())
        )
        words = [QUALIFIERS[q][index] for q in figure.qualifiers if q in QUALIFIERS and q not in hidden]
        if "per_card" in figure.qualifiers and not every and self.spec(gpu_id).per != "card":
            words.append(QUALIFIERS["per_card"][index])
        if key == "price_usd" and figure.as_of:
            words.append(figure.as_of)
        return ("，" if self.language == "zh" else ", ").join(words)

    def value(self, gpu_id: str, key: str, *, qualified: bool = False) -> Said:
        """An entry in a few words, for cells, comparisons and lists."""
        entry = self.entry(gpu_id, key)
        support = self.support(gpu_id, key)
        supports = (support,) if support else ()
        if entry.state == "not_published":
            return Said(say("states.cell_not_published", self.language), (), supports)
        if entry.state == "not_supported":
            words = "states.cell_not_had" if key in HAD else "states.cell_not_supported"
            return Said(say(words, self.language), (), supports)
        if key in COUNTS and entry.value == 0:
            return self.figure(gpu_id, key, entry.figures[0]).with_text(say("states.cell_none", self.language))
        if entry.state in {"known", "range"} and entry.preferred is not None:
            return self.figure(gpu_id, key, entry.preferred, qualified=qualified)
        if not entry.figures:
            return Said(say("states.cell_unresolved", self.language), (), supports)
        said = [self.figure(gpu_id, key, figure) for figure in entry.figures]
        text = " / ".join(part.text for part in said)
        if entry.state == "unresolved":
            text += in_parentheses(say("states.cell_unresolved", self.language), self.language)
        return combine(text, said)

    def is_stated(self, gpu_id: str, key: str) -> bool:
        """Whether the entry has any figure to show."""
        entry = self.entry(gpu_id, key)
        return bool(entry.figures)

    # ------------------------------------------------------------ sentences

    def sentences(self, gpu_id: str, key: str, *, card: str = "") -> list[Sentence]:
        """All that must be said when one field of one card is asked for."""
        entry = self.entry(gpu_id, key)
        name = card or self.name(gpu_id)
        label = self.label(key, gpu_id)
        language = self.language
        if entry.state == "not_published":
            return [self._with_reason("states.not_published", gpu_id, key, name), *self._reason(gpu_id, key)]
        if entry.state == "not_supported":
            return self._not_supported(gpu_id, key, name)
        if entry.state in {"variants", "conflicting", "unresolved"}:
            return self._several_figures(gpu_id, key, name)
        figure = entry.figures[0]
        said = self.figure(gpu_id, key, figure)
        if key in COUNTS and figure.value == 0:
            plain = said.with_text(number_text(float(figure.value)))
            first = sentence("one.none", language, card=name, feature=self.feature(key, [gpu_id]), value=plain)
        elif entry.state == "range":
            first = sentence("states.range", language, card=name, label=label, value=said)
        elif key in _WHOLE_TEMPLATES:
            first = sentence(_WHOLE_TEMPLATES[key], language, card=name, value=said)
        else:
            first = sentence("one.value", language, card=name, label=label, value=said)
        return [first, *self._reason(gpu_id, key), *self.caveats(gpu_id, key)]

    def part(self, gpu_id: str, key: str) -> Said:
        """One field inside a sentence about several fields of a card."""
        said = self.value(gpu_id, key, qualified=True)
        if key == "released_on":
            return phrase("one.released_part", self.language, value=said)
        return phrase("one.part", self.language, label=self.label(key, gpu_id), value=said)

    def caveats(self, gpu_id: str, key: str, *, notes: bool = True) -> list[Sentence]:
        """What a careful reader must know with the figure; without `notes` only what makes it doubtful."""
        entry = self.entry(gpu_id, key)
        figure = entry.preferred
        if figure is None:
            return []
        found: list[Sentence] = []
        note = figure.note(self.language)
        wrong = {figure.value for figure in entry.rejected}
        about_errors = bool(wrong & set(numbers_in(note))) or any(str(value) in note for value in wrong)
        shown = note and len(note) <= _MOST_NOTE_CHARS and note != entry.reason(self.language)
        if notes and shown and not about_errors:
            found.append(self._note(note, gpu_id, key))
        spec = self.spec(gpu_id)
        if spec.per == "gpu_of_board" and "per_gpu" in figure.qualifiers:
            board = DraftFact(gpu_id, None, float(spec.board_count), None, None, "supported", self.support(gpu_id, key))
            count = Said(str(spec.board_count), (board,))
            amount = total(figure.value, key, spec.board_count)
            template = "states.per_gpu" if amount is None else "states.per_gpu_total"
            card = self.name(gpu_id)
            found.append(sentence(template, self.language, card=card, count=count, total=amount or ""))
        if figure.confidence == "low" and figure.source.authority != "vendor":
            source = self.remark(figure.source.label(self.language), gpu_id, key)
            found.append(sentence("states.low_confidence", self.language, source=source))
        return found

    def doubtful(self, gpu_ids: Sequence[str], keys: Sequence[str]) -> list[Sentence]:
        """Where the doubtful figures of a table come from, in one sentence; nothing if all are well founded."""
        sources: dict[str, Said] = {}
        for gpu_id in gpu_ids:
            for key in keys:
                for figure in self.entry(gpu_id, key).figures:
                    if figure.confidence == "low" and figure.source.authority != "vendor":
                        label = figure.source.label(self.language)
                        sources.setdefault(label, self.remark(label, gpu_id, key))
        if not sources:
            return []
        named = join(list(sources.values())[:_MOST_SOURCES], "、" if self.language == "zh" else ", ")
        return [sentence("states.not_vendor", self.language, source=named)]

    def _note(self, text: str, gpu_id: str, key: str) -> Sentence:
        words = text.rstrip("。.")
        if self.language == "en":
            words = words[:1].upper() + words[1:]
        return sentence("states.note", self.language, text=self.remark(words, gpu_id, key))

    def _reason(self, gpu_id: str, key: str) -> list[Sentence]:
        reason = self.entry(gpu_id, key).reason(self.language)
        return [self._note(reason, gpu_id, key)] if reason else []

    def _with_reason(self, template: str, gpu_id: str, key: str, name: str) -> Sentence:
        support = self.support(gpu_id, key)
        label = Said(self.label(key, gpu_id), (), (support,) if support else ())
        return sentence(template, self.language, card=name, label=label)

    def _several_figures(self, gpu_id: str, key: str, name: str) -> list[Sentence]:
        entry = self.entry(gpu_id, key)
        if not entry.figures:
            return [self._with_reason("states.unresolved_empty", gpu_id, key, name), *self._reason(gpu_id, key)]
        said = [self._figure_by(gpu_id, key, figure, entry.state) for figure in entry.figures]
        template = "doubtful" if entry.state == "unresolved" and len(said) == 1 else entry.state
        value = join(said, "、" if self.language == "zh" else "; " if len(said) > 2 else " or ")
        first = sentence(f"states.{template}", self.language, card=name, label=self.label(key, gpu_id), value=value)
        reason = entry.reason(self.language)
        says_no_more = (
            entry.state == "variants"
            and len(reason) <= _MOST_REPEATED_CHARS
            and all(figure.qualifiers for figure in entry.figures)
            and set(numbers_in(reason)) <= set(numbers_in(first.text))
        )
        return [first] if says_no_more else [first, *self._reason(gpu_id, key)]

    def _figure_by(self, gpu_id: str, key: str, figure: Figure, state: str) -> Said:
        said = self.figure(gpu_id, key, figure, qualified=False)
        words = [self.qualifier_text(gpu_id, key, figure, every=True)]
        if state in {"conflicting", "unresolved"}:
            words.append(figure.source.label(self.language))
        elif not words[0]:
            words.append(figure.note(self.language))
        who = self.remark(("，" if self.language == "zh" else ", ").join(filter(None, words)), gpu_id, key)
        if not who.text:
            return said
        return phrase("states.said_by", self.language, value=said, who=who)

    # ------------------------------------------------------------ what it lacks

    def _not_supported(self, gpu_id: str, key: str, name: str) -> list[Sentence]:
        support = self.support(gpu_id, key) or self.support(gpu_id, "architecture")
        dense = FIELDS[key].sparse_of
        lacking = dense if dense and self.entry(gpu_id, dense).state == "not_supported" else key
        feature = Said(self.feature(lacking, [gpu_id]), (), (support,) if support else ())
        template = "states.not_had" if key in HAD else "states.not_supported"
        first = sentence(template, self.language, card=name, feature=feature)
        return [first, *self._reason(gpu_id, key), *self.instead(gpu_id, key)]

    def instead(self, gpu_id: str, key: str) -> list[Sentence]:
        """What the card has in place of a number format or sparsity it lacks, each figure labelled."""
        alternatives = _INSTEAD.get(key) or ((key.removesuffix("_sparse"),) if key.endswith("_sparse") else ())
        stated = [other for other in alternatives if self.entry(gpu_id, other).preferred is not None][:2]
        parts = [
            phrase(
                "states.instead_part",
                self.language,
                label=self.label(other, gpu_id),
                value=self.value(gpu_id, other),
            )
            for other in stated
        ]
        if not parts:
            return []
        return [sentence("states.instead", self.language, parts=join(parts, "，" if self.language == "zh" else ", "))]


_INSTEAD = {
    "fp8_tensor_tflops": ("int8_tops", "fp16_tensor_tflops"),
    "fp4_tensor_tflops": ("fp8_tensor_tflops", "int8_tops", "fp16_tensor_tflops"),
    "int4_tops": ("int8_tops", "fp8_tensor_tflops"),
    "int8_tops": ("fp16_tensor_tflops", "fp16_tflops", "fp32_tflops"),
    "tf32_tensor_tflops": ("fp32_tflops", "fp16_tensor_tflops"),
    "bf16_tensor_tflops": ("fp16_tensor_tflops", "fp32_tflops"),
    "fp16_tensor_tflops": ("bf16_tensor_tflops", "fp16_tflops", "fp32_tflops"),
    "fp64_tensor_tflops": ("fp64_tflops",),
    "tensor_cores": ("fp16_tflops", "fp32_tflops"),
    "interconnect": ("pcie",),
    "interconnect_gb_s": ("pcie",),
}
"""What stands in for something a card lacks, best first."""


def sparse_twin(key: str) -> str | None:
    """The dense field of a sparse one, or the sparse field of a dense one."""
    return FIELDS[key].sparse_of or sparse_key(key)


def _as_of(entry: Entry) -> str | None:
    return entry.preferred.as_of or None if entry.preferred else None
