"""Documents are complete, differ from one another, and hold what their questions ask for."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from datetime import date
from pathlib import Path

import pytest

from kb.text import fold, language_of

FRONT_MATTER = ("title", "language", "doc_type", "as_of", "sources")
DOC_TYPES = {"reference", "guide", "concept", "vendor"}
LONGEST_SHARED_PASSAGE = {"zh": 60, "en": 120}
FEWEST_QUESTIONS = 5


def test_there_are_enough_documents_and_half_are_chinese(documents):
    languages = Counter(document.language for document in documents.values())

    assert languages.total() >= 60
    assert languages["zh"] >= languages.total() / 2


def test_front_matter_is_complete(documents):
    faults = []
    for doc_id, document in documents.items():
        matter = document.metadata
        faults += [
            f"{doc_id}: no {key}"
            for key in ("title", "language", "doc_type", "as_of", "sources")
            if not matter.get(key)
        ]
        faults += [
            f"{doc_id}: a source without title" for source in matter.get("sources", ()) if not source.get("title")
        ]
        if matter.get("doc_type") not in DOC_TYPES:
            faults.append(f"{doc_id}: doc_type {matter.get('doc_type')}")
        if not re.fullmatch(r"20\d\d-(0[1-9]|1[0-2])(-\d\d)?", str(matter.get("as_of"))):
            faults.append(f"{doc_id}: as_of {matter.get('as_of')}")
        if str(matter.get("as_of")) > date.today().isoformat():
            faults.append(f"{doc_id}: as_of lies in the future")

    assert not faults


def test_a_document_is_written_in_its_language_and_stands_in_that_folder(documents):
    for doc_id, document in documents.items():
        assert document.language == document.metadata["language"] == doc_id.split("/")[0], doc_id
        assert language_of(document.text) == document.language, doc_id


def test_documents_load_without_warnings_and_titles_are_unique(documents):
    titles = Counter(document.title for document in documents.values())

    assert not {doc_id: d.warnings for doc_id, d in documents.items() if d.warnings}
    assert not [title for title, count in titles.items() if count > 1]


def test_links_between_documents_lead_somewhere(documents, corpus):
    broken = []
    for doc_id, document in documents.items():
        for target in re.findall(r"\]\(([^)\s]+)\)", document.text):
            if not re.match(r"[a-z]+:|#", target):
                path = (corpus / "docs" / doc_id).parent / target.partition("#")[0]
                broken += [] if path.exists() else [f"{doc_id} -> {target}"]

    assert not broken


@pytest.mark.parametrize("language", ["zh", "en"])
def test_no_two_documents_share_a_long_passage(documents, language):
    length = LONGEST_SHARED_PASSAGE[language]
    places: dict[str, str] = {}
    shared = set()
    for doc_id, document in documents.items():
        if document.language != language:
            continue
        text = re.sub(r"\s+", " ", fold(document.text))
        own = {text[i : i + length] for i in range(len(text) - length + 1)}
        shared |= {(places[passage], doc_id, passage) for passage in own & places.keys()}
        places.update(dict.fromkeys(own, doc_id))

    assert not sorted(shared)[:3]


def test_every_document_answers_questions_of_its_own(documents, questions):
    counts = Counter(question["doc"] for question in questions)

    assert not {doc_id: counts[doc_id] for doc_id in documents if counts[doc_id] < FEWEST_QUESTIONS}
    assert not set(counts) - set(documents)


def test_questions_are_unique_and_in_their_documents_language(questions):
    ids = Counter(question["id"] for question in questions)
    asked = Counter(fold(question["question"]) for question in questions)

    assert not [i for i, count in ids.items() if count > 1]
    assert not [text for text, count in asked.items() if count > 1]
    for question in questions:
        slug = Path(question["doc"]).stem
        assert re.fullmatch(rf"{question['lang']}-{re.escape(slug)}-\d+", question["id"])
        assert language_of(question["question"]) == question["lang"] == question["doc"].split("/")[0], question["id"]


def test_what_an_answer_must_contain_stands_in_its_document(documents, questions):
    missing = defaultdict(list)
    for question in questions:
        text = documents[question["doc"]].text
        assert question["must_contain"], question["id"]
        for alternatives in question["must_contain"]:
            if not any(words in text for words in alternatives):
                missing[question["id"]].append(alternatives)

    assert not missing


def test_numbers_of_a_reference_answer_stand_in_its_document(documents, questions):
    strange = {}
    for question in questions:
        text = documents[question["doc"]].text.replace(",", "")
        numbers = re.findall(r"\d[\d,]*(?:\.\d+)?", question["answer"])
        strange[question["id"]] = [n for n in numbers if n.replace(",", "") not in text]

    assert not {i: numbers for i, numbers in strange.items() if numbers}
