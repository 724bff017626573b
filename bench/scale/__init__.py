"""What a corpus of ten thousand documents costs to index, and to index again after one of them changed."""
