"""What cards must have or lack: "支持 FP8", "without RT cores"."""

from __future__ import annotations

from collections.abc import Sequence

from kb.selection.interpretation.placed import Placed
from kb.selection.interpretation.tokens import Token
from kb.selection.interpretation.topics import FEATURES, Topic
from kb.selection.note import Note
from kb.selection.requirement import Requirement


def read_features(tokens: Sequence[Token], topics: Sequence[Topic]) -> tuple[list[Placed], list[Note]]:
    """What cards must have or lack; of fields that nothing else was made of."""
    bound = {topic.key for topic in topics if topic.used}
    if any(key.endswith("_sparse") for key in bound):
        bound.add("")  # "supports sparsity" beside a sparse figure says nothing more
    found: list[Placed] = []
    notes: list[Note] = []
    for topic in topics:
        key = topic.feature or topic.key
        if topic.used or tokens[topic.first].used or key not in FEATURES or topic.key in bound:
            continue
        lacking, said = _presence(tokens, topic, topics)
        topic.used = True
        for token in tokens[topic.first : topic.last + 1]:
            token.used = token.used or "topic"
        requirement = Requirement(key, "exists", not lacking)
        found.append(Placed(topic.first, topic.last, (requirement,)))
        if not said and key.startswith(("fp", "int", "bf", "tf")):
            notes.append(_must_support(requirement))
    return found, notes


def _must_support(requirement: Requirement) -> Note:
    key = requirement.field
    return Note(f"{key} 没有给出数值，按“支持”理解。", f"No figure is given for {key}; cards that have it are meant.")


def _presence(tokens: Sequence[Token], topic: Topic, topics: Sequence[Topic]) -> tuple[bool, bool]:
    """Whether a feature is to be lacking, and whether a word says so either way.

    What lacks this or that lacks both; where this or that is wanted, "or" is left to be read as a choice.
    """
    inside = {position for other in topics for position in range(other.first, other.last + 1)}
    parted: list[Token] = []
    for earlier in range(topic.first - 1, -1, -1):
        token = tokens[earlier]
        if token.is_a("lacks") or (token.is_a("not") and not token.used):
            token.used = "not"
            for joint in parted:
                joint.used = "joint"
            return True, True
        if token.is_a("has"):
            return False, True
        if not (token.is_a("and", "or", "filler") or token.kind == "mark" or earlier in inside or token.used == "set"):
            return False, False
        if token.is_a("or") and token.text != "/" and not token.used:
            parted.append(token)
        elif token.is_a("and", "or") and not token.used:
            token.used = "joint"
    return False, False
