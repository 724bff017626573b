"""The sample of specification questions kept outside the repository, scored by its own script."""

from __future__ import annotations

import importlib.util
import json

from kb.answer.structured import refusal


def test_all_samples_pass(answerer, shared):
    folder = shared / "eval"
    spec = importlib.util.spec_from_file_location("spec_score", folder / "score.py")
    score = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(score)
    failed = []
    for line in (folder / "spec_questions.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        question, draft, _ = answerer.ask(row["question"])
        if draft is None:
            reason = "out_of_scope" if question.is_clearly_out_of_scope else "no_evidence"
            draft = refusal(reason, question.language)
        answer = answerer.written(draft, question.language)
        result = score.score_spec(row, {"answer": answer, "status": draft.status})
        if not result["passed"]:
            failed.append((row["id"], answer, result))
    assert failed == []
