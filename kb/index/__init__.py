"""An index generation on disk: chunks, vectors, lexical index, catalogue, manifest."""
