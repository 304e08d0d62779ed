"""The embedded engine of a server: begun when a local model is asked first, kept until the server ends."""

from __future__ import annotations

from loomapp.core.generation.events import Provider
from loomapp.mcp.errors import ToolError
from loomapp.preflight import apt_get, missing_engine_libraries
from loomapp.providers.engine.engine import Engine
from loomapp.providers.registry import loads_model, provider_for


class LocalEngine:
    """The engine for local models, begun when the first is asked, kept until the server ends."""

    def __init__(self) -> None:
        self._engine: Engine | None = None

    def provider(self, model_ref: str) -> Provider:
        """The provider that answers for a model. Raises: ToolError, ProviderError."""
        if loads_model(model_ref) and (missing := missing_engine_libraries()):
            raise ToolError(f"The embedded engine needs system libraries. Install them: {apt_get(missing)}")
        if self._engine is None:
            self._engine = Engine()
        return provider_for(model_ref, self._engine)

    def close(self) -> None:
        """End the engine, if it was begun."""
        engine, self._engine = self._engine, None
        if engine is not None:
            engine.close()
