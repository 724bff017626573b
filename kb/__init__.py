"""The gpukb library: documents, index, cards and answers; knows no web server."""
