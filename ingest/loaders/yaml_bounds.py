"""What a few lines of YAML may stand for, counted before it is built."""

from __future__ import annotations

import yaml


def refuse_unbounded(text: str, *, max_values: int, max_depth: int) -> None:
    """Refuse aliases that stand for billions of values, and nesting that only a parser's stack would end.

    Raises:
        ValueError: there are more values, or they are nested deeper.
        yaml.YAMLError: it is no YAML.
    """
    weights: dict[str, int] = {}
    open_nodes: list[tuple[str | None, int]] = []
    total = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.AliasEvent):
            total += weights.get(event.anchor or "", 1)
        elif isinstance(event, yaml.ScalarEvent):
            total += 1
            if event.anchor:
                weights[event.anchor] = 1
        elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            open_nodes.append((event.anchor, total))
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            anchor, before = open_nodes.pop()
            if anchor:
                weights[anchor] = total - before + 1
        if total > max_values:
            raise ValueError(f"more than {max_values} values")
        if len(open_nodes) > max_depth:
            raise ValueError(f"its values are nested more than {max_depth} deep")
