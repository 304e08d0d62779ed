"""Why a grove could not be opened, or only in part: a title, a sentence, and what can be done about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, TypeAlias

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import LoomError
from loomapp.ui.strings import told, tr

Remedy: TypeAlias = Literal[
    "cleanCopy",
    "openReadOnly",
    "tryAgain",
    "restoreBackup",
    "newGrove",
    "newElsewhere",
    "openAnother",
    "showFolder",
]


@dataclass(frozen=True, slots=True)
class OpeningState:
    """State of a grove that did not open. `remedies` in the order of the buttons, the likeliest first."""

    code: str
    title: str
    sentence: str
    icon: str
    path: str
    remedies: tuple[Remedy, ...]


def opening_state(error: LoomError) -> OpeningState:
    """The state for what the store said; a code that is not known here is told in the store's own words."""
    path = str(error.details.get("path", ""))
    make = STATES.get(error.code)
    if make is None:
        title = tr("This grove could not be opened")
        return OpeningState(
            error.code, title, told(error.message), "circle-alert", path, ("tryAgain", "openAnother")
        )
    title, sentence, icon, remedies = make(error)
    said = {name: error.details.get(name, "") for name in ("pid", "host", "what")}
    sentence = sentence.format(name=Path(path).name, **said)
    return OpeningState(error.code, title, sentence, icon, path, remedies)


def remedy_words(remedy: Remedy) -> str:
    return {
        "cleanCopy": tr("Make a clean copy and open it"),
        "openReadOnly": tr("Open read only"),
        "tryAgain": tr("Try again"),
        "restoreBackup": tr("Restore a backup to a new file…"),
        "newGrove": tr("Start a new grove here"),
        "newElsewhere": tr("Start a new grove…"),
        "openAnother": tr("Open another…"),
        "showFolder": tr("Show the folder"),
    }[remedy]


Words: TypeAlias = tuple[str, str, str, tuple[Remedy, ...]]


def _missing(_: LoomError) -> Words:
    sentence = tr("{name} was moved, renamed, or never made.")
    return tr("There is no file here"), sentence, "search", ("openAnother", "newGrove", "tryAgain")


def _wal_alone(_: LoomError) -> Words:
    sentence = tr(
        "{name} is gone from its folder, but {what} still lies there, and holds what was saved in it last. "
        "Put {name} back beside it under this name, and try again: then all of it is there."
    )
    remedies: tuple[Remedy, ...] = ("tryAgain", "showFolder", "restoreBackup", "openAnother")
    return tr("This grove was moved while it was open"), sentence, "search", remedies


def _foreign_wal(_: LoomError) -> Words:
    sentence = tr(
        "{what} lies beside {name} and belongs to another file, which had this name before. Opened together, "
        "the two would be mixed. Move {what} away, or put its own file back, and try again."
    )
    remedies: tuple[Remedy, ...] = ("tryAgain", "showFolder", "restoreBackup", "openAnother")
    return tr("Another file was put in the place of this grove"), sentence, "triangle-alert", remedies


def _not_a_file_beside(_: LoomError) -> Words:
    sentence = tr(
        "{what} lies beside {name} and is a pipe, a device or a folder. SQLite would take it for a file of "
        "its own and might wait for ever. Move {what} away, and try again."
    )
    remedies: tuple[Remedy, ...] = ("tryAgain", "showFolder", "openAnother")
    return tr("Something that is not a file lies beside this grove"), sentence, "triangle-alert", remedies


def _foreign_journal(_: LoomError) -> Words:
    sentence = tr(
        "{what} lies beside {name}, was not made by Loomapp, and names another file of yours: SQLite would "
        "delete that. Move {what} away, and try again."
    )
    remedies: tuple[Remedy, ...] = ("tryAgain", "showFolder", "openAnother")
    return tr("A journal that does harm lies beside this grove"), sentence, "triangle-alert", remedies


def _empty(_: LoomError) -> Words:
    sentence = tr("{name} holds not a single byte. It is left as it is; a backup may hold what was in it.")
    return tr("This file is empty"), sentence, "file-text", ("restoreBackup", "openAnother", "showFolder")


def _not_a_grove(_: LoomError) -> Words:
    sentence = tr("{name} is some other kind of file. It is left as it is.")
    return tr("This is not a grove"), sentence, "file-text", ("openAnother", "showFolder")


def _newer(_: LoomError) -> Words:
    sentence = tr("{name} was written by a newer Loomapp. Update Loomapp to open it; it is left as it is.")
    return tr("This grove is newer than this program"), sentence, "download", ("openAnother", "showFolder")


def _foreign(_: LoomError) -> Words:
    sentence = tr(
        "{name} holds what Loomapp did not make: {what}. That could change or hide words, so nothing is "
        "written to it. A clean copy in a new file holds all its trees and their history, and nothing else."
    )
    remedies: tuple[Remedy, ...] = ("cleanCopy", "openReadOnly", "openAnother", "showFolder")
    return tr("This grove holds more than a grove should"), sentence, "triangle-alert", remedies


def _damaged(error: LoomError) -> Words:
    if error.details.get("nothing"):
        sentence = tr("Nothing in {name} can be read. It is left as it is; a backup may hold what was in it.")
        title = tr("This grove is damaged")
        return title, sentence, "triangle-alert", ("restoreBackup", "openAnother", "showFolder")
    sentence = tr(
        "{name} cannot be read as a whole. What can be read of it can be opened, without changing it; a "
        "backup may hold more."
    )
    remedies: tuple[Remedy, ...] = ("openReadOnly", "restoreBackup", "openAnother", "showFolder")
    return tr("This grove is damaged"), sentence, "triangle-alert", remedies


def _locked(_: LoomError) -> Words:
    sentence = tr("Another program is in the middle of writing {name}. It can be opened when that is done.")
    return tr("This grove is being written"), sentence, "pencil", ("tryAgain", "openReadOnly", "openAnother")


def _open_elsewhere(error: LoomError) -> Words:
    if error.details.get("host"):
        sentence = tr(
            "{name} is open in process {pid} on {host}, which does not answer. Go on there, or end it."
        )
    else:
        sentence = tr("{name} is open in process {pid}, which does not answer. Go on there, or end it.")
    title = tr("This grove is open in another window")
    return title, sentence, "key-round", ("tryAgain", "openReadOnly", "openAnother")


def _read_only(error: LoomError) -> Words:
    if error.details.get("new"):
        sentence = tr("The folder for {name} is protected against writing. Choose another folder.")
        title = tr("No grove can be made here")
        return title, sentence, "folder-open", ("newElsewhere", "openAnother", "tryAgain")
    sentence = tr(
        "{name} or its folder is protected against writing. All of it can be read; nothing new can be saved."
    )
    remedies: tuple[Remedy, ...] = ("openReadOnly", "tryAgain", "showFolder", "openAnother")
    return tr("This grove can only be read"), sentence, "eye", remedies


def _cannot_open(_: LoomError) -> Words:
    sentence = tr("You may not read {name}. Look at the permissions of the file and its folder.")
    return tr("This file cannot be read"), sentence, "eye-off", ("tryAgain", "showFolder", "openAnother")


def _disk_fault(_: LoomError) -> Words:
    sentence = tr("The disk reports a fault while {name} is read, or it is full. A backup may lie elsewhere.")
    remedies: tuple[Remedy, ...] = ("tryAgain", "openReadOnly", "restoreBackup", "openAnother")
    return tr("The disk does not answer as it should"), sentence, "circle-alert", remedies


def _full(_: LoomError) -> Words:
    sentence = tr("There is no room to open {name} for writing. Make room and try again, or only read it.")
    return tr("The disk is full"), sentence, "circle-alert", ("tryAgain", "openReadOnly", "showFolder")


STATES: Mapping[str, Callable[[LoomError], Words]] = {
    "missing": _missing,
    "walAlone": _wal_alone,
    "foreignWal": _foreign_wal,
    "notAFileBeside": _not_a_file_beside,
    "foreignJournal": _foreign_journal,
    "empty": _empty,
    "notAGrove": _not_a_grove,
    "newerSchema": _newer,
    "foreignSchema": _foreign,
    "damaged": _damaged,
    "locked": _locked,
    "openElsewhere": _open_elsewhere,
    "readOnly": _read_only,
    "cannotOpen": _cannot_open,
    "ioError": _disk_fault,
    "full": _full,
}
