"""Which cards meet requirements: held against every record of the catalogue, three-valued, ranked, with reasons.

Nothing here reads a question but `kb.selection.interpretation`; nothing here words an answer.
"""
