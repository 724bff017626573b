"""From found passages to the words in them that answer a question, without a chat model."""
