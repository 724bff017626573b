"""Pure ASGI middlewares: nothing here collects a body, so that streams stay streams."""
