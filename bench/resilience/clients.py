"""Clients that ask all the time: threads of this process, and other processes, each following what is published."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

from bench.resilience.world import DOCUMENTS, HashEmbedder, editions_in
from kb.errors import KbError
from kb.index.generation import Generation
from kb.index.root import IndexRoot
from kb.retrieval.hybrid import HybridRetriever

_POLL_S = 0.02
_PAUSE_S = 0.05


class Clients:
    """Asks from many threads and notes every answer that failed or mixed two editions.

    Attributes:
        answers: how many were given.
        generations: names of those that answers came from.
        faults: what went wrong, in words.
    """

    def __init__(self, data_dir: Path, threads: int) -> None:
        self.answers = 0
        self.generations: set[str] = set()
        self.faults: list[str] = []
        self._root = IndexRoot(data_dir)
        self._retriever = HybridRetriever(HashEmbedder(), None)
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._served = self._opened()
        self._threads = [threading.Thread(target=self._ask, args=(number,)) for number in range(threads)]
        self._threads.append(threading.Thread(target=self._follow))

    def __enter__(self) -> Clients:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _opened(self) -> Generation:
        generation = self._root.open_current(HashEmbedder.info)
        self._retriever.prepare(generation)
        return generation

    def _follow(self) -> None:
        while not self._stop.is_set():
            try:
                if self._root.current_name() != self._served.name:
                    self._served = self._opened()
            except KbError as error:
                self._fault(f"what is published cannot be opened: {error}")
            time.sleep(_POLL_S)

    def _ask(self, number: int) -> None:
        while not self._stop.is_set():
            generation = self._served  # one request, one generation
            try:
                sheet = number % DOCUMENTS
                result = self._retriever.search(generation, f"code word of sheet {sheet:02}", top_k=20)
                texts = [hit.chunk.text for hit in result.hits]
                texts += [generation.documents.get(hit.chunk.doc_id).text for hit in result.hits]
                editions = editions_in("\n".join(texts))
                if len(editions) != 1:
                    self._fault(f"{generation.name} answered from editions {sorted(editions)}")
            except Exception as error:  # whatever a client sees counts
                self._fault(f"{generation.name}: {type(error).__name__}: {error}")
            with self._lock:
                self.answers += 1
                self.generations.add(generation.name)
            number += 1
            time.sleep(_PAUSE_S)

    def _fault(self, text: str) -> None:
        with self._lock:
            self.faults.append(text)


def main() -> int:
    """`python -m bench.resilience.clients DATA THREADS`: ask until standard input ends; one line of JSON at the end."""
    import json

    with Clients(Path(sys.argv[1]), int(sys.argv[2])) as clients:
        print("asking", flush=True)
        sys.stdin.read()
    found = {"answers": clients.answers, "generations": sorted(clients.generations), "faults": clients.faults[:20]}
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
