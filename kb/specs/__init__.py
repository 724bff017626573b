"""The typed catalogue of cards and what people call them."""
