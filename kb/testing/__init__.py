"""Suites that every implementation of an interface must pass; they need pytest.

Subclass one in a test module and give it the fixture it names:

    class TestMyEmbedder(EmbedderContract):
        @pytest.fixture(scope="class")
        def embedder(self) -> Embedder:
            return MyEmbedder()
"""
