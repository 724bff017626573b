"""Documents to chunks, structure first."""
