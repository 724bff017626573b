"""What goes over HTTP, as pydantic models: requests refuse unknown fields, responses only ever grow."""
