"""Starting the program loads no SDK: only a request does."""

from __future__ import annotations

import subprocess
import sys

LOOK = """
import sys
import loomapp.providers, loomapp.providers.engine, loomapp.providers.model_files, loomapp.providers.run
import loomapp.providers.registry, loomapp.providers.local, loomapp.providers.model_rules
sdks = "openai", "anthropic", "httpx2", "httpcore2", "xllamacpp"
print([name for name in sdks if name in sys.modules])
"""


def test_what_the_window_needs_of_the_providers_imports_no_sdk() -> None:
    looked = subprocess.run([sys.executable, "-c", LOOK], capture_output=True, text=True, check=True)

    assert looked.stdout.strip() == "[]"
