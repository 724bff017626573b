"""Chat models through LangChain."""
