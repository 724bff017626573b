"""How the chat page opens and what it looks like."""
