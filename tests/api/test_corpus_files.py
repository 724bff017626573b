"""Documents put into the corpus folder by several at once."""

from __future__ import annotations

import io
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from api.corpus_files import CorpusFiles


def test_the_same_name_from_several_at_once(tmp_path) -> None:
    files = CorpusFiles(tmp_path)
    together = Barrier(8)

    def put(number: int) -> None:
        for name in range(12):
            together.wait(10)
            files.put(f"{name}.md", io.BytesIO(b"# %d" % number), lambda doc_id: False)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(put, range(8)))
    assert {path.name for path in tmp_path.iterdir()} == {f"{name}.md" for name in range(12)}
