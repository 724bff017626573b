"""Asks the corpus's own questions about cards in one process: how many are answered right, by kind.

usage: python -m bench.quality.specs [--data-dir FOLDER] [--show]

Prints a table and, as its last line, one JSON object.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import time
import unicodedata
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from kb.config import load_settings
from kb.engine import KnowledgeBase
from kb.factory import open_knowledge_base
from kb.types import Answer, AskRequest, Turn

EVAL = Path(__file__).resolve().parents[2] / "corpus" / "eval"
_TOKEN = re.compile(r"\d+|[A-Za-z]+|\s+|.")
_LATIN = re.compile(r"[A-Za-z0-9]")


@dataclass(frozen=True, slots=True)
class SpecQuestion:
    """A question about cards, and what its answer must and must not say; see `corpus/eval/README.md`."""

    question_id: str
    kind: str
    question: str
    history: tuple[str, ...]
    must_contain: tuple[tuple[str, ...], ...]
    must_not_contain: tuple[str, ...]
    status: tuple[str, ...]

    @property
    def request(self) -> AskRequest:
        """What to ask; the earlier turns are the user's own."""
        return AskRequest(self.question, history=tuple(Turn("user", text) for text in self.history))

    def problems(self, answer: str, status: str) -> list[str]:
        """What is wrong with an answer; empty if it is right."""
        text = _plain(answer)
        missing = [group for group in self.must_contain if not any(_stands_in(item, text) for item in group)]
        found = [f"lacks {' | '.join(group)}" for group in missing]
        found += [f"says {item}" for item in self.must_not_contain if _stands_in(item, text)]
        if status not in self.status:
            found.append(f"is {status}")
        return found


def read_questions() -> list[SpecQuestion]:
    """All questions about cards."""
    found = []
    for path in sorted(EVAL.glob("specs_*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            found.append(
                SpecQuestion(
                    row["id"],
                    row["kind"],
                    row["question"],
                    tuple(row.get("history", ())),
                    tuple(tuple(group) for group in row["must_contain"]),
                    tuple(row["must_not_contain"]),
                    tuple(row["status"]),
                )
            )
    return found


def _plain(text: str) -> str:
    """Text as it is compared: half width, without thousands commas."""
    return re.sub(r"(?<=\d),(?=\d{3})", "", unicodedata.normalize("NFKC", text))


def _stands_in(item: str, text: str) -> bool:
    """Whether `item` is in `text` as whole words and whole numbers, whatever the spacing and case."""
    item = _plain(item)
    body = r"\s*".join(re.escape(token) for token in _TOKEN.findall(item) if not token.isspace())
    before = r"(?<![0-9A-Za-z.])" if _LATIN.match(item[0]) else ""
    after = r"(?![0-9A-Za-z]|\.\d)" if _LATIN.match(item[-1]) else ""
    if re.search(r"(?:GB|TB|MB|G)$", item):
        after += r"(?!\s*/\s*s)"
    return re.search(before + body + after, text, re.IGNORECASE) is not None


def measure(kb: KnowledgeBase, questions: list[SpecQuestion]) -> list[tuple[SpecQuestion, Answer, list[str], float]]:
    """Every question with its answer, what is wrong with it, and the milliseconds it took."""
    found = []
    for question in questions:
        started = time.perf_counter()
        answer = kb.ask(question.request)
        taken_ms = (time.perf_counter() - started) * 1e3
        found.append((question, answer, question.problems(answer.text, answer.status), taken_ms))
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--show", action="store_true", help="print every question that is not answered right")
    args = parser.parse_args()
    kb = open_knowledge_base(load_settings({"data_dir": args.data_dir}))
    rows = measure(kb, read_questions())
    asked, right = Counter(row[0].kind for row in rows), Counter(row[0].kind for row in rows if not row[2])
    if args.show:
        for question, answer, problems, _ in rows:
            if problems:
                print(question.question_id, question.question, "→", problems, answer.text[:300].replace("\n", " "))
    for kind in sorted(asked):
        print(f"{kind:<16}{right[kind]:4d} of {asked[kind]}")
    lengths = [len(answer.text) for _, answer, _, _ in rows]
    result = {
        "right": sum(right.values()),
        "questions": len(rows),
        "said_what_is_forbidden": sum(any(p.startswith("says ") for p in row[2]) for row in rows),
        "median_chars": round(statistics.median(lengths)),
        "longest_chars": max(lengths),
        "p50_ms": round(statistics.median(row[3] for row in rows), 1),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
