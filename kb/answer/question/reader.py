"""Reading a question: cards, fields, figures, intent. Words are data (`vocabulary.yaml`), rules are few and general."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from kb.answer.question.chips import ChipNames
from kb.answer.question.claims import read_claims
from kb.answer.question.conversion import read_conversion
from kb.answer.question.fields_asked import MAIN_COMPUTE, MAIN_QUOTIENT, Clause, read_fields
from kb.answer.question.figures import (
    YEAR,
    Stated,
    bound_conditions,
    is_figure_of_a_card,
    operator_of,
    presence_conditions,
    year_conditions,
)
from kb.answer.question.intents import decide
from kb.answer.question.model import Chip, Condition, Direction, Group, Question, Superlative, Workload
from kb.answer.question.reading import Reading, unexplained_weight
from kb.answer.question.relative import read_relative
from kb.answer.question.scanner import BLANK, Hit, Tag, blank, fold_in_place, is_latin, one_slip_apart
from kb.answer.question.vocabulary import Vocabulary, load_vocabulary
from kb.answer.question.workloads import read_workload
from kb.answer.question.wrappers import unwrap
from kb.quantity import parse_quantities
from kb.specs.catalog import Catalog
from kb.specs.names import Mention, NameResolver
from kb.text import CJK, language_of
from kb.types import Language, Turn

_CLAUSE_END = re.compile(
    r"(?<=[吗呢啊])[ ]+|[，,；;。？?！!\n]|\.(?=\s|$)|\b(?:and then|as well as)\b|以及|并且|然后|顺便|另外"
)
_PCIE_GENERATION = re.compile(r"(?:pcie|pci express|pci-e)\s*(?:gen\s*|第?)?([3-6])(?:\.0)?(?!\d|\.\d)")
_JOINED_VERSIONS = re.compile(
    r"(?<![a-z])(sxm\d?|pcie|nvl|oam|\d{2,3}\s?gb?)\s*(?:版本|版)?\s*(?:和|与|跟|、|/|vs\.?|and|or|还是|对比|相比)\s*(?:the\s+)?"
    r"(?:sxm|pcie|nvl|oam|\d{2,3}\s?gb?)"
)
_OTHER_VERSION = re.compile(
    r"\s*(?:版本|版)?\s*(?:和|与|跟|、|/|vs\.?|and|or|还是|对比|相比)\s*(?:the\s+)?(sxm\d?|pcie|nvl|oam|\d{2,3}\s?gb?)(?![a-z0-9/])"
)
_CJK_RUN = re.compile(f"[{CJK}]+")
_LATIN_RUN = re.compile(r"[a-z][a-z0-9'’]*|\d[a-z0-9.]*")
_LATIN_WORD = re.compile(r"[a-z]{2,}")
_WHICH = {"哪些", "哪几种", "哪几个", "哪种", "which", "which ones", "list"}
_WORD = re.compile(f"\\s*[{CJK}]")
_SIGNS = re.compile(r"['’]s\b")
_MEANINGFUL = (
    "field",
    "precision",
    "superlative",
    "compute",
    "bandwidth",
    "modifier",
    "memory_type",
    "direction",
    "link",
)
_WHICH_OF_THEM = re.compile(r"哪[个张款块]|谁|更|\bwhich\b|\bboth\b")
_HISTORY_TURNS = 3
_MOST_OF_A_TURN = 2000
"""Characters of an earlier turn that are read, its last ones: a question comes after what was pasted with it."""
_MOST_IGNORED = 2.0
"""Words without an explanation, from which on documents are searched besides."""


class QuestionReader:
    """Reads questions against one catalogue."""

    def __init__(self, catalog: Catalog, resolver: NameResolver) -> None:
        self._catalog = catalog
        self._resolver = resolver
        self._words: Vocabulary = load_vocabulary(catalog)
        self._chips = ChipNames(catalog)
        self._slip_words = [
            word
            for word, tags in self._words.scanner.latin_words.items()
            if len(word) >= 5 and any(tag.kind in _MEANINGFUL for tag in tags)
        ]

    def read(self, question: str, history: Sequence[Turn] = (), language: Language | None = None) -> Question:
        """Understand a question, with what it needs of earlier turns."""
        reading = self._read_text(question)
        standalone, from_history = question, False
        if history:
            reading, standalone, from_history = self._complete(reading, history)
        return self._question(reading, standalone, language, from_history=from_history)

    # ------------------------------------------------------------ words

    def _read_text(self, text: str) -> Reading:
        asked, injected = unwrap(text)
        mentions = self._mentions(asked)
        if injected and not mentions:
            asked, mentions = text, self._mentions(text)
        folded = fold_in_place(asked)
        chips = self._chips.find(asked, mentions)
        mentions = tuple(mention for mention in mentions if not _is_chip(mention, chips))
        cards, excluded, unknown = _sort_mentions(mentions)
        masked = folded
        for start, end in (*((m.start, m.end) for m in mentions), *((c.start, c.end) for c in chips)):
            masked = blank(masked, start, end)
        masked, marks = _mask_pcie(masked)
        marks += [Hit(c.start, c.end, c.text, (Tag("chip", c.name),)) for c in chips if c.field == "chip"]
        marks += [Hit(m.start(), m.end(), m.group(), (Tag("year"),)) for m in YEAR.finditer(masked)]
        marks += self._vendors_in_names(asked, cards)
        parsed = parse_quantities(masked)
        quantities = [quantity for quantity in parsed if is_figure_of_a_card(quantity)]
        for quantity in parsed:
            ours = quantity in quantities
            masked = blank(masked, quantity.start, quantity.end) if ours else masked
            tag = Tag("quantity" if ours else "other_quantity")
            marks.append(Hit(quantity.start, quantity.end, quantity.text, (tag,)))
        masked = self._mend(_SIGNS.sub(lambda m: " " * len(m.group()), masked))
        hits = sorted([*self._words.scanner.scan(masked), *marks], key=lambda hit: hit.start)
        hits = self._mend_latin(masked, [self._resolve_slip(hit) for hit in hits])
        hits = _without_things(masked, hits)
        clauses = _clauses(masked, hits)
        asking = [clause for clause in clauses if not _explains(clause)]
        reading = read_fields(asking, has_cuda_word="cuda" in folded)
        stated = []
        for quantity in quantities:
            clause = next(c for c in clauses if c.start <= quantity.start < c.end)
            stated.append(Stated(quantity, clause, operator_of(quantity, clause)))
        return Reading(
            text=text,
            asked_text=asked,
            folded=masked,
            clauses=clauses,
            cards=cards,
            excluded=excluded,
            unknown=unknown,
            stated=stated,
            asked=reading,
            unexplained=() if injected else _unexplained(masked, hits),
            injected=injected,
            years=year_conditions(masked),
            chips=chips,
        )

    def _mentions(self, text: str) -> tuple[Mention, ...]:
        """The names in a text; "A100 PCIe 和 SXM" names two versions, "RTX 5070 Ti Super" no known card."""
        folded = fold_in_place(text)
        found: list[Mention] = []
        for whole in self._resolver.resolve(text):
            mention = self._first_version(text, folded, whole)
            suffix = self._words.suffix.match(folded, mention.end)
            if suffix is not None and mention.status != "unknown":
                end = suffix.end()
                nearest = mention.gpu_ids
                found.append(Mention(mention.start, end, text[mention.start : end], "unknown", (), nearest))
                continue
            found.append(mention)
            found += self._other_versions(text, folded, mention)
        for match in self._words.announced.finditer(folded):
            if not any(mention.start < match.end() and match.start() < mention.end for mention in found):
                found.append(Mention(match.start(), match.end(), text[match.start() : match.end()], "unknown"))
        return tuple(sorted(found, key=lambda mention: mention.start))

    def _first_version(self, text: str, folded: str, mention: Mention) -> Mention:
        """The first of two versions that one mention takes in ("A100 PCIe 和 SXM 版")."""
        joined = _JOINED_VERSIONS.search(folded, mention.start, mention.end)
        if joined is None:
            return mention
        first = self._resolver.resolve(text[mention.start : joined.end(1)])
        if len(first) != 1 or first[0].status == "unknown" or set(first[0].gpu_ids) == set(mention.gpu_ids):
            return mention
        start, end = mention.start, joined.end(1)
        return replace(first[0], start=start, end=end, text=text[start:end], negated=mention.negated)

    def _other_versions(self, text: str, folded: str, mention: Mention) -> list[Mention]:
        match = _OTHER_VERSION.match(folded, mention.end) if mention.gpu_ids else None
        if match is None:
            return []
        family = self._catalog.get(mention.gpu_ids[0]).family
        others = self._resolver.resolve(f"{family} {match.group(1)}") if family else ()
        others = tuple(self._of_same_memory(mention, other) for other in others)
        if len(others) != 1 or others[0].status == "unknown" or set(others[0].gpu_ids) == set(mention.gpu_ids):
            return []
        start, end = match.span(1)
        return [replace(others[0], start=start, end=end, text=text[start:end], negated=False)]

    def _vendors_in_names(self, asked: str, cards: Sequence[Mention]) -> list[Hit]:
        """Vendors that stand inside a card's mention: right or wrong, the name takes them in."""
        if not cards:
            return []
        return [
            Hit(vendor.start, vendor.end, vendor.text, (Tag("vendor", vendor.vendor_id), Tag("of_name")))
            for vendor in self._resolver.vendors(asked)
            if any(card.start <= vendor.start < card.end for card in cards)
        ]

    def _of_same_memory(self, mention: Mention, other: Mention) -> Mention:
        """The other version with the memory that the first was named with ("A100 80G PCIe 跟 SXM")."""
        sizes = {size for gpu_id in mention.gpu_ids for size in self._catalog.memory_sizes_gb(gpu_id)}
        if len(sizes) != 1:
            return other
        ids = tuple(i for i in other.gpu_ids if sizes & set(self._catalog.memory_sizes_gb(i)))
        return replace(other, gpu_ids=ids, status="one" if len(ids) == 1 else "several") if ids else other

    def _mend(self, masked: str) -> str:
        for wrong, right in self._words.slips.items():
            if wrong in masked:
                masked = masked.replace(wrong, right)
        return masked

    def _resolve_slip(self, hit: Hit) -> Hit:
        right = hit.value("slip")
        return replace(hit, tags=self._words.scanner.tags_of(right)) if right else hit

    def _mend_latin(self, masked: str, hits: list[Hit]) -> list[Hit]:
        """Latin words that no entry explains, read as the vocabulary's word one slip away."""
        mended: list[Hit] = []
        for match in re.finditer(r"(?<![a-z0-9])[a-z]{5,}(?![a-z0-9])", masked):
            if any(hit.start <= match.start() < hit.end for hit in hits):
                continue
            word = match.group()
            right = next((known for known in self._slip_words if one_slip_apart(word, known)), None)
            if right is not None:
                mended.append(Hit(match.start(), match.end(), word, self._words.scanner.tags_of(right)))
        return sorted([*hits, *mended], key=lambda hit: hit.start) if mended else hits

    # ------------------------------------------------------------ conversation

    def _complete(self, reading: Reading, history: Sequence[Turn]) -> tuple[Reading, str, bool]:
        """Cards or fields that a follow-up leaves out, from the last turns that had them."""
        patterns = self._words.patterns
        asked = [turn.content[-_MOST_OF_A_TURN:] for turn in reversed(history) if turn.role == "user"]
        earlier = asked[:_HISTORY_TURNS]
        short = len(reading.text) <= 60
        refers = bool(patterns.anaphora.search(reading.folded))
        follows = short and bool(patterns.follow_up.search(fold_in_place(reading.text)))
        whole = reading.has("vendor", "group", "all_cards") or (
            reading.has("role") and reading.has("superlative", "filter")
        )
        needs_cards = (
            not reading.cards
            and not reading.unknown
            and (refers or (not whole and (bool(reading.asked.keys) or reading.has("compare", "superlative"))))
        )
        without_field = not reading.asked.keys or (reading.asked.generic and reading.has("convert"))
        needs_fields = without_field and (needs_cards or (bool(reading.cards) and (follows or refers)))
        if not (needs_cards or needs_fields):
            return reading, reading.text, False
        if needs_cards and (reading.has("compare", "superlative", "same") or _WHICH_OF_THEM.search(reading.folded)):
            several = self._cards_of(earlier)
            if len(several) > 1:
                return replace(reading, cards=several), f"{' '.join(reversed(earlier))} {reading.text}", True
        for text in earlier:
            before = self._read_text(text)
            if (needs_cards and before.cards) or (needs_fields and before.asked.keys):
                merged = replace(reading, cards=before.cards) if needs_cards else reading
                if needs_fields and before.asked.keys:
                    merged = replace(merged, asked=before.asked)
                return merged, f"{text} {reading.text}", True
        return reading, reading.text, False

    def _cards_of(self, earlier: Sequence[str]) -> tuple[Mention, ...]:
        """Cards to compare: of the last turn, or of the last two where each names one."""
        found: list[Mention] = []
        for text in earlier:
            cards = self._read_text(text).cards
            found = [*(card for card in cards if not any(card.gpu_ids == other.gpu_ids for other in found)), *found]
            if len(found) > 1:
                return tuple(found)
        return tuple(found)

    # ------------------------------------------------------------ the whole

    def _question(
        self, reading: Reading, standalone: str, language: Language | None, *, from_history: bool
    ) -> Question:
        patterns = self._words.patterns
        plain = fold_in_place(reading.text).strip(" 。！!?？~～.、,，")
        bare = not reading.cards and not reading.unknown
        greeting = bare and bool(patterns.greeting.match(plain))
        capability = bare and not reading.asked.keys and bool(patterns.capability.search(plain))
        off_topic = bare and not reading.asked.keys and bool(patterns.off_topic.search(plain))
        if not from_history:
            _set_apart_reference(reading)
            reading.workload = _inference_only(read_workload(reading.text, reading.folded, _stated_gb(reading)))
        self._add_what_was_cut(reading)
        superlative = self._superlative(reading)
        reading.conditions = [*reading.conditions, *_conditions(reading)]
        conversion = read_conversion(reading, self._words.numerals)
        intent = decide(reading, superlative, conversion, greeting=greeting, capability=capability)
        claims = read_claims(reading, intent)
        return Question(
            text=reading.text,
            asked=reading.asked_text,
            standalone=standalone,
            language=language or _language(reading, self._words.technical),
            intent=intent,
            cards=reading.cards,
            excluded=reading.excluded,
            unknown=reading.unknown,
            reference=reading.reference,
            chips=reading.chips,
            fields=_fields(reading, superlative, intent) if intent != "sizing" else (),
            conditions=tuple(reading.conditions),
            groups=_groups(reading),
            claims=claims,
            superlative=superlative,
            conversion=conversion,
            direction=_direction(reading),
            sparsity=reading.asked.sparsity,
            generic_compute=reading.asked.generic,
            asks_same=reading.has("same") and reading.asks_yes_no,
            uses=tuple(dict.fromkeys(hit.text for hit in reading.hits("use"))),
            purpose=_purpose(reading),
            about_list_price=reading.has("list_price") and reading.asks_yes_no,
            doubts=reading.has("reliable"),
            workload=reading.workload,
            yes_no=reading.asks_yes_no,
            suitability="rendering" if _is_for_graphics(reading) else "",
            injected=reading.injected,
            unexplained=reading.unexplained,
            wants_passages=_wants_passages(reading, intent),
            names_document=reading.has("document"),
            is_smalltalk=greeting or capability,
            is_clearly_out_of_scope=off_topic,
            from_history=from_history,
        )

    def _add_what_was_cut(self, reading: Reading) -> None:
        """Name the parent that a question leaves out: what was cut in the A800 shows against the A100."""
        if not reading.has("cut") or len(reading.cards) != 1 or reading.unknown:
            return
        card = reading.cards[0]
        spec = self._catalog.get(card.gpu_ids[0])
        parent = self._words.cut_from.get(spec.name) or self._words.cut_from.get(spec.family)
        named = self._resolver.resolve(parent) if parent else ()
        if len(named) == 1 and named[0].gpu_ids:
            reading.cards = (replace(card, start=0), replace(named[0], start=0, end=0))

    def _superlative(self, reading: Reading) -> Superlative | None:
        hits = reading.hits("superlative")
        if not hits:
            return _quotient(reading)
        per = "tdp_w" if reading.has("per_watt") else "price_usd" if reading.has("per_dollar") else ""
        ranked = sorted(hits, key=lambda hit: self._words.superlatives[hit.value("superlative")].weak)
        for hit in ranked:
            word = self._words.superlatives[hit.value("superlative")]
            named = [key for key in reading.asked.keys if not (per and key == per)]
            key = word.field
            if not key or (word.weak and named):
                key = _field_near(reading, named, hit) or key
            key = key or (MAIN_QUOTIENT if per else "")
            if key:
                direction: Direction = "lowest" if word.direction == "lowest" else "highest"
                return Superlative(key, direction, hit.text, per)
        vague = not reading.unexplained and reading.has("role", "group", "vendor") and not reading.cards
        return Superlative(MAIN_COMPUTE[1], "highest", hits[0].text, assumed=True) if vague else None


def _quotient(reading: Reading) -> Superlative | None:
    """A figure per watt or per dollar, asked without a superlative."""
    per = "tdp_w" if reading.has("per_watt") else "price_usd" if reading.has("per_dollar") else ""
    if not per or not reading.cards:
        return None
    field = next((key for key in reading.asked.keys if key != per), MAIN_QUOTIENT)
    word = reading.hits("per_watt") or reading.hits("per_dollar")
    return Superlative(field, "highest", word[0].text, per)


def _fields(reading: Reading, superlative: Superlative | None, intent: str) -> tuple[str, ...]:
    if intent == "lookup" and not reading.asked.keys and superlative is not None:
        return (superlative.field,)
    return tuple(reading.asked.keys)


def _field_near(reading: Reading, named: Sequence[str], hit: Hit) -> str:
    if not named:
        return ""
    return min(named, key=lambda key: abs(reading.asked.at[key] - hit.start))


def _sort_mentions(
    mentions: Sequence[Mention],
) -> tuple[tuple[Mention, ...], tuple[Mention, ...], tuple[Mention, ...]]:
    cards: list[Mention] = []
    excluded: list[Mention] = []
    unknown: list[Mention] = []
    for mention in mentions:
        if mention.status == "unknown":
            unknown.append(mention)
        elif mention.negated and len(mentions) > 1:
            excluded.append(mention)
        elif not any(set(mention.gpu_ids) == set(card.gpu_ids) for card in cards):
            cards.append(mention)
    if not cards and excluded:
        cards, excluded = excluded, []
    cards = [card for card in cards if not any(_is_kind_of(card, other) for other in cards)]
    return tuple(cards), tuple(excluded), tuple(unknown)


def _is_kind_of(wide: Mention, narrow: Mention) -> bool:
    """Whether a name only says what kind the name right after it is of ("昇腾 310P 的 Atlas 300I Pro")."""
    adjacent = 0 <= narrow.start - wide.end <= 2
    return adjacent and set(narrow.gpu_ids) < set(wide.gpu_ids)


def _is_chip(mention: Mention, chips: Sequence[Chip]) -> bool:
    return mention.status == "unknown" and any(c.start < mention.end and mention.start < c.end for c in chips)


def _without_things(masked: str, hits: Sequence[Hit]) -> list[Hit]:
    """Hits in which "which" and "哪些" ask for cards only where no other noun follows ("哪些格式", "which formats")."""
    kept: list[Hit] = []
    for position, hit in enumerate(hits):
        if hit.is_a("filter") and hit.text in _WHICH:
            # A vendor may stand between: "which AMD generation", "哪种英伟达架构".
            following = next((later for later in hits[position + 1 :] if not later.is_a("vendor")), None)
            gap = masked[hit.end : following.start if following else len(masked)]
            names_a_thing = following is not None and following.is_a("thing") and not following.is_a("role")
            vendors = any(later.is_a("vendor") for later in hits[position + 1 : position + 2])
            if (_WORD.match(gap) and not vendors) or (names_a_thing and (vendors or not gap.strip())):
                kinds = tuple(tag for tag in hit.tags if tag.kind != "filter")
                hit = replace(hit, tags=(*kinds, Tag("which_thing")))
        kept.append(hit)
    return kept


def _set_apart_reference(reading: Reading) -> None:
    """Take a card that only bounds others out of the cards asked about."""
    relative = read_relative(reading)
    if relative is not None:
        reading.cards = ()
        reading.reference = relative.reference
        reading.conditions = list(relative.conditions)


def _is_for_graphics(reading: Reading) -> bool:
    return reading.has("rendering") or any(hit.value("workload") == "graphics" for hit in reading.hits("workload"))


def _stated_gb(reading: Reading) -> float | None:
    return next((stated.quantity.value for stated in reading.stated if stated.quantity.unit in {"GB", "GiB"}), None)


def _inference_only(workload: Workload | None) -> Workload | None:
    """A workload whose memory is certain arithmetic; training takes more than a formula."""
    return None if workload is not None and workload.trains else workload


def _purpose(reading: Reading) -> str:
    """What a choice between named cards is for."""
    if len(reading.cards) < 2 or not reading.has("advice", "compare", "alternative"):
        return ""
    hits = reading.hits("workload")
    return hits[0].value("workload") if hits else ""


def _mask_pcie(masked: str) -> tuple[str, list[Hit]]:
    marks: list[Hit] = []
    for match in _PCIE_GENERATION.finditer(masked):
        tags = (Tag("pcie_generation", f"{match.group(1)}.0"), Tag("field", "pcie"))
        marks.append(Hit(match.start(), match.end(), match.group(), tags))
    for mark in marks:
        masked = blank(masked, mark.start, mark.end)
    return masked, marks


def _clauses(masked: str, hits: Sequence[Hit]) -> list[Clause]:
    clauses: list[Clause] = []
    start = 0
    bounds = [(match.start(), match.end()) for match in _CLAUSE_END.finditer(masked)] + [(len(masked), len(masked) + 1)]
    for stop, following in bounds:
        if stop > start:
            clause = Clause(start, following, masked[start:stop])
            clause.hits = [hit for hit in hits if start <= hit.start < following]
            clauses.append(clause)
        start = following
    return clauses or [Clause(0, len(masked) + 1, masked)]


def _explains(clause: Clause) -> bool:
    """Whether a clause asks why, how or what something is: documents answer, the catalogue does not."""
    if clause.has("why", "explain", "sizing"):
        return True
    return clause.has("how") and not clause.has("compare", "overview", "convert")


def _unexplained(masked: str, hits: Sequence[Hit]) -> tuple[str, ...]:
    chars = list(masked)
    for hit in hits:
        for i in range(hit.start, hit.end):
            chars[i] = BLANK
    rest = "".join(chars)
    found = [(match.start(), match.group()) for match in _CJK_RUN.finditer(rest)]
    found += [
        (match.start(), match.group())
        for match in _LATIN_RUN.finditer(rest)
        if not (match.start() and is_latin(rest[match.start() - 1])) and len(match.group()) > 1
    ]
    return tuple(word for _, word in sorted(found))


def _conditions(reading: Reading) -> list[Condition]:
    exact = not reading.cards and reading.has("filter", "superlative")
    years = [year for year in reading.years if year.operator != "eq" or len(reading.cards) != 1]
    bounds = [*bound_conditions(reading.stated, reading.asked, exact=exact), *years]
    used = {condition.field for condition in bounds}
    return [*bounds, *presence_conditions(reading.clauses, reading.asked, used)]


def _groups(reading: Reading) -> tuple[Group, ...]:
    groups: list[Group] = []
    for clause in reading.clauses:
        for hit in clause.hits:
            text = reading.text[hit.start : hit.end].strip()
            if hit.is_a("group"):
                kind = hit.value("group")
                if kind in {"domestic", "consumer", "datacentre", "foreign"}:
                    groups.append(Group(kind, kind, text))  # type: ignore[arg-type]
            elif hit.is_a("vendor") and not hit.is_a("of_name"):
                groups.append(Group("vendor", hit.value("vendor"), text))
            elif hit.is_a("architecture"):
                groups.append(Group("architecture", hit.value("architecture"), text))
    return tuple(dict.fromkeys(groups))


def _direction(reading: Reading) -> Literal["", "one", "both"]:
    values = {hit.value("direction") for hit in reading.hits("direction")}
    return "one" if "one" in values else "both" if values else ""


def _wants_passages(reading: Reading, intent: str) -> bool:
    if intent in {"passages", "other"}:
        return True
    if reading.injected or intent == "sizing":
        return False
    explains = any(_explains(clause) for clause in reading.clauses)
    return (
        explains
        or reading.has("rendering", "advice", "sizing", "other_field")
        or unexplained_weight(reading.unexplained) >= 2
    )


def _language(reading: Reading, technical: frozenset[str]) -> Language:
    """The language of the words around the cards' names; of all of it where nothing stands around them."""
    around = reading.folded.replace(BLANK, " ")
    chinese = sum(len(run) for run in _CJK_RUN.findall(around))
    latin = sum(word not in technical for word in _LATIN_WORD.findall(around))
    if not chinese and not latin:
        return language_of(reading.text)
    return "zh" if chinese and chinese >= latin / 2 else "en"
