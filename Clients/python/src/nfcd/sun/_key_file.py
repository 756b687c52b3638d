"""The key file of nfcd: `[[key]]` and `[[profile]]`."""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
from typing import AbstractSet, Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from ..errors import Error
from ._keys import Key, Keys, Profile
from ._template import Template, TemplateError

_LONGEST = 1024 * 1024
_MOST_LINKS = 40
_NAME = re.compile(r"[A-Za-z0-9._-]{1,64}")
_PRODUCTS = ("ntag424", "desfire", "ultralight-aes", "ultralight-c")
# The keys that each kind of tag has.
_ROLES = {
    "ntag424": ("master", "meta", "file", "tag"),
    "desfire": ("master", "tag", "write"),
    "ultralight-aes": ("tag",),
    "ultralight-c": ("tag",),
}


class KeyFileError(Error, ValueError):
    """The key file cannot be used. The text has the file and what to do, and never a key."""


def load_keys(path: Union[str, os.PathLike[str]] = "/etc/nfcd/keys.toml") -> Keys:
    """Reads the key file that nfcd and `nfcctl` use.

    Only its owner may read it (`chmod 600`), and no other user may be able to replace it. A key with `credential` is read from
    the folder in `CREDENTIALS_DIRECTORY`, as systemd's `LoadCredential=` makes it. Before Python 3.11, this needs the package
    `tomli`, which `pip install "nfcd[sun]"` brings.

    Raises:
        KeyFileError: if the file cannot be read, can be read by others, or has an error.
    """
    file = os.fspath(path)
    document = _parsed(_read(file), file)
    _Table(document, file, "").refuse_others(("key", "profile"))
    keys = _keys(document, file)
    return Keys(keys, _profiles(document, file, {key.name for key in keys}))


# Reading


def _read(file: str, is_credential: bool = False) -> bytes:
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY | (0 if is_credential else os.O_NOFOLLOW)
    try:
        descriptor = os.open(file, flags)
    except (OSError, ValueError) as error:
        is_link = isinstance(error, OSError) and error.errno == errno.ELOOP
        reason = "it is a symbolic link; name the file itself" if is_link else getattr(error, "strerror", None) or "invalid path"
        raise KeyFileError(f"{file}: cannot be read: {reason}") from None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise KeyFileError(f"{file}: is not a file")
        if not is_credential:
            if status.st_mode & 0o077:
                raise KeyFileError(f"{file}: other users could read or write it; run chmod 600 {file}")
            _check_way(file)
        if status.st_size > _LONGEST:
            raise KeyFileError(f"{file}: is longer than 1 MiB")
        with os.fdopen(descriptor, "rb", closefd=False) as stream:
            return stream.read(_LONGEST)
    except OSError as error:
        raise KeyFileError(f"{file}: cannot be read: {error.strerror}") from None
    finally:
        os.close(descriptor)


def _check_way(file: str) -> None:
    """Refuses a file that users other than root and this one can write or replace: every folder and link on the way to it."""
    pending = [part for part in os.path.join(os.getcwd(), file).split("/") if part not in ("", ".")]
    current: List[str] = []
    links = 0
    _check_step("/", file)
    while pending:
        name = pending.pop(0)
        if name == "..":
            del current[-1:]
            continue
        path = "/" + "/".join([*current, name])
        status = _check_step(path, file)
        if stat.S_ISLNK(status.st_mode):
            links += 1
            if links > _MOST_LINKS:
                raise KeyFileError(f"{file}: has too many symbolic links on its way")
            target = os.readlink(path)
            current = [] if target.startswith("/") else current
            pending = [part for part in target.split("/") if part not in ("", ".")] + pending
        else:
            current.append(name)


def _check_step(path: str, file: str) -> os.stat_result:
    status = os.lstat(path)
    if status.st_uid not in (0, os.geteuid()):
        raise KeyFileError(f"{file}: {path} belongs to user {status.st_uid}, who can change it; run chown -h root {path}")
    # In a folder with the sticky bit, such as /tmp, a user cannot replace the files of others.
    is_protected = stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX
    if status.st_mode & 0o022 and not is_protected and not stat.S_ISLNK(status.st_mode):
        raise KeyFileError(f"{file}: {path} can be written by other users; run chmod go-w {path}")
    return status


def _parsed(octets: bytes, file: str) -> Dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        try:
            import tomli as tomllib
        except ImportError as error:
            raise ImportError('before Python 3.11, key files need the package "tomli"; run: pip install "nfcd[sun]"') from error
    reason = "is not UTF-8"
    try:
        document: Dict[str, Any] = tomllib.loads(octets.decode())
        return document
    except UnicodeDecodeError:
        pass
    except tomllib.TOMLDecodeError as error:
        # The parser's words may quote the file; only the place is taken from them.
        place = re.search(r"\(at (line \d+, column \d+|end of document)\)", str(error))
        reason = f"is not TOML{f': at {place[1]}' if place else ''}"
    # Outside of the handler: the parser's exception holds the text of the file.
    raise KeyFileError(f"{file}: {reason}")


class _Table:
    """A table of the file, whose values are checked as they are taken."""

    def __init__(self, values: Mapping[str, Any], file: str, place: str) -> None:
        self._values = values
        self._known: List[str] = []
        self._file, self._place = file, place

    def wrong(self, key: str, what: str) -> KeyFileError:
        place = ".".join(part for part in (self._place, key) if part)
        return KeyFileError(f"{self._file}: {place}: {what}" if place else f"{self._file}: {what}")

    def _take(self, key: str) -> Any:
        self._known.append(key)
        return self._values.get(key)

    def text(self, key: str) -> Optional[str]:
        value = self._take(key)
        if value is not None and (not isinstance(value, str) or not value):
            raise self.wrong(key, "expected a text in quotes")
        return value

    def choice(self, key: str, words: Sequence[str]) -> Optional[str]:
        value = self._take(key)
        if value is not None and value not in words:
            raise self.wrong(key, "expected one of " + ", ".join(f'"{word}"' for word in words))
        return value if isinstance(value, str) else None

    def number(self, key: str, least: int, most: int) -> Optional[int]:
        value = self._take(key)
        if value is not None and (type(value) is not int or not least <= value <= most):
            raise self.wrong(key, f"expected a whole number from {least} to {most}")
        return value if isinstance(value, int) else None

    def boolean(self, key: str) -> bool:
        value = self._take(key)
        if value is not None and not isinstance(value, bool):
            raise self.wrong(key, "expected true or false")
        return bool(value)

    def octets(self, key: str, least: int, most: int) -> bytes:
        value = self.text(key)
        if value is None:
            return b""
        if not re.fullmatch(rf"(?:[0-9A-Fa-f]{{2}}){{{least},{most}}}", value):
            limits = str(2 * least) if least == most else f"{2 * least} to {2 * most}"
            raise self.wrong(key, f"expected {limits} hexadecimal digits")
        return bytes.fromhex(value)

    def name(self) -> str:
        value = self.text("name")
        if value is None:
            raise self.wrong("", "name is missing")
        if not _NAME.fullmatch(value):
            raise self.wrong("name", "expected at most 64 letters, digits, and - _ .")
        return value

    def refuse_others(self, more: Sequence[str] = ()) -> None:
        """Refuses a key that was not taken. A long name may be a key on the wrong side of `=`, and is not shown."""
        for key in self._values:
            if key not in self._known and key not in more:
                shown = key if len(key) < 16 and _NAME.fullmatch(key) else ""
                raise self.wrong(shown, "unknown key; there are " + ", ".join(sorted({*self._known, *more})))


def _tables(document: Mapping[str, Any], name: str, file: str) -> List[_Table]:
    found = document.get(name, [])
    if not isinstance(found, list) or not all(isinstance(values, dict) for values in found):
        raise KeyFileError(f"{file}: {name}: expected [[{name}]]")
    return [_Table(values, file, f"{name}[{index}]") for index, values in enumerate(found)]


# Keys


def _keys(document: Mapping[str, Any], file: str) -> List[Key]:
    keys: List[Key] = []
    for table in _tables(document, "key", file):
        name = table.name()
        version = table.number("version", 1, 255) or 1
        state = table.choice("state", Key.STATES) or "current"
        secret = _secret(table)
        table.refuse_others()
        if any((key.name, key.version) == (name, version) for key in keys):
            raise table.wrong("version", f"key {name} has version {version} twice")
        if state == "current" and any((key.name, key.state) == (name, state) for key in keys):
            raise table.wrong("state", f'key {name} has two current versions; set one to "previous" or "next"')
        keys.append(Key(name, secret, version, state))
    return keys


def _secret(table: _Table) -> bytes:
    value, file, credential = table.text("value"), table.text("file"), table.text("credential")
    if [value, file, credential].count(None) != 2:
        raise table.wrong("", "expected one of value, file and credential")
    if value is not None:
        if not re.fullmatch(r"[0-9A-Fa-f]{32}", value):
            raise table.wrong("value", "expected 32 hexadecimal digits; nfcctl keys generate makes a key")
        return bytes.fromhex(value)
    if file is not None:
        if not file.startswith("/"):
            raise table.wrong("file", "expected the path of a file, from /")
        return _content(file, False, table, "file")
    folder = os.environ.get("CREDENTIALS_DIRECTORY")
    if not folder:
        raise table.wrong("credential", f"systemd passed no credentials; add LoadCredential={credential} to the unit")
    if "/" in str(credential):
        raise table.wrong("credential", "expected a name without /")
    return _content(f"{folder}/{credential}", True, table, "credential")


def _content(file: str, is_credential: bool, table: _Table, key: str) -> bytes:
    """A key of 16 bytes, or of 32 digits with or without an end of the line."""
    try:
        octets = _read(file, is_credential)
    except KeyFileError as error:
        raise table.wrong(key, str(error)) from None
    if len(octets) == Key.LENGTH:
        return octets
    if re.fullmatch(rb"[0-9A-Fa-f]{32}\n?", octets):
        return bytes.fromhex(octets.decode())
    raise table.wrong(key, f"{file} has {len(octets)} bytes; a key has 16, or 32 hexadecimal digits")


# Profiles


def _profiles(document: Mapping[str, Any], file: str, names: AbstractSet[str]) -> List[Profile]:
    profiles: List[Profile] = []
    for table in _tables(document, "profile", file):
        profile = _profile(table, names)
        if any(other.name == profile.name for other in profiles):
            raise table.wrong("name", f"there are two profiles {profile.name}")
        profiles.append(profile)
    return profiles


def _profile(table: _Table, names: AbstractSet[str]) -> Profile:
    name = table.name()
    tag = table.choice("tag", _PRODUCTS)
    if tag is None:
        raise table.wrong("", "tag is missing; one of " + ", ".join(_PRODUCTS))
    method = table.choice("method", ("mutual", "sun")) or "mutual"
    profile = Profile(
        name=name,
        keys=_key_names(table, names),
        url=table.text("url"),
        tag=tag,
        method=method,
        derivation=table.choice("derivation", ("an10922", "cmac", "none")) or "an10922",
        system_id=table.octets("system-id", 1, 16),
        lrp=table.boolean("lrp"),
        tamper=table.boolean("tamper"),
    )
    application = table.octets("application", 3, 3)
    # What only a reader needs.
    table.number("file-number", 0, 31)
    table.choice("messaging", ("ev2", "ev1"))
    table.text("uri-host")
    table.refuse_others()
    if tag == "desfire" and not application:
        raise table.wrong("", "application is missing")
    _check(table, profile)
    return profile


def _key_names(table: _Table, names: AbstractSet[str]) -> Dict[str, str]:
    found: Dict[str, str] = {}
    for role in ("master", "meta", "file", "tag", "write"):
        name = table.text(f"{role}-key")
        if name is None:
            continue
        if name not in names:
            # A key on the place of a name is not shown.
            shown = f' "{name}"' if len(name) < 32 and _NAME.fullmatch(name) else " of that name"
            raise table.wrong(f"{role}-key", f"there is no key{shown}")
        found[role] = name
    return found


def _check(table: _Table, profile: Profile) -> None:
    """What a profile needs, and what it must not have."""
    for role in _needed(profile):
        if role not in profile.keys:
            raise table.wrong("", f"{role}-key is missing")
    for role in profile.keys:
        if role not in _ROLES[profile.tag]:
            raise table.wrong(f"{role}-key", "tags of this kind have no such key")
    if profile.tag != "ntag424" and profile.method != "mutual":
        raise table.wrong("method", "only an NTAG 424 DNA proves itself by its message")
    if profile.tag != "ntag424" and profile.tamper:
        raise table.wrong("tamper", "only an NTAG 424 DNA TagTamper has a tamper loop")
    if profile.url is None and profile.method == "sun":
        raise table.wrong("", 'url is missing, such as "https://ex.am/?p={picc}&c={mac}"')
    if profile.url is not None:
        try:
            Template(profile.url, profile.lrp)
        except TemplateError as error:
            raise table.wrong("url", str(error)) from None
    if profile.keys.get("meta") in [name for role, name in profile.keys.items() if role != "meta"]:
        raise table.wrong("meta-key", "every tag has this key; it must not be used for anything else")


def _needed(profile: Profile) -> Tuple[str, ...]:
    if (profile.tag, profile.method) != ("ntag424", "sun"):
        return ("tag",)
    return ("meta", "file") if "{picc}" in (profile.url or "") else ("file",)
