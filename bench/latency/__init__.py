"""How long answers take, against what their parts take alone."""
