"""gpukb as a chat model: OpenAI's protocol around the same answers."""
