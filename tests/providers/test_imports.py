"""Starting the program loads no SDK: only a request does.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

LOOK = """
import sys
import loomapp.providers, loomapp.providers.engine.engine, loomapp.providers.engine.model_files
import loomapp.providers.run.run, loomapp.providers.registry
import loomapp.providers.engine.local_model
import loomapp.providers.protocols.model_rules
sdks = "openai", "anthropic", "httpx2", "httpcore2", "xllamacpp"
print([name for name in sdks if name in sys.modules])
"""


def test_what_the_window_needs_of_the_providers_imports_no_sdk() -> None:
    looked = subprocess.run([sys.executable, "-c", LOOK], capture_output=True, text=True, check=True)

    assert looked.stdout.strip() == "[]"


LOADED_BY_MANY = """
import sys, threading, time
from loomapp.providers.protocols.endpoint import Endpoint
from loomapp.providers.protocols.model_rules import ModelRules
from loomapp.providers.protocols.protocols import PROTOCOLS

turns = []

class Looked:
    def find_spec(self, name, path=None, target=None):
        if not turns or turns[-1] != threading.get_ident():
            turns.append(threading.get_ident())
        time.sleep(0.0005)  # the others' turn, if it were theirs

sys.meta_path.insert(0, Looked())
together = threading.Barrier(len(PROTOCOLS))

def load(protocol):
    together.wait()
    protocol.adapter(Endpoint("Fake", "http://127.0.0.1:9/v1", "k"), ModelRules())

threads = [threading.Thread(target=load, args=(protocol,)) for protocol in PROTOCOLS.values()]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(turns) == len(set(turns)) > 1)
"""


@pytest.mark.slow
def test_several_threads_load_the_sdks_one_after_the_other() -> None:
    looked = subprocess.run(
        [sys.executable, "-c", LOADED_BY_MANY], capture_output=True, text=True, check=True
    )

    assert looked.stdout.strip() == "True"
