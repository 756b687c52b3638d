"""Verifies messages of NTAG 424 DNA tags."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Dict, List, Literal, NamedTuple, Optional, Protocol, Tuple

from . import _aes
from ._counters import CounterLine
from ._keys import Key, Keys, Profile, TagKey, diversified, shared
from ._message import PICCData, Session, decrypted
from ._template import Parameters, Template

Status = Literal["proven", "replayed", "failed", "unknownKey", "tamperOpen", "weak", "notProven", "delayed", "incomplete"]


class Tamper(NamedTuple):
    """The tamper loop of an NTAG 424 DNA TagTamper: `C` closed, `O` open, `I` not enabled, `?` unknown.

    Attributes:
        permanent: `O` if it was opened at least once.
        current: what it is now.
    """

    permanent: str
    current: str


@dataclass(frozen=True)
class Proof:
    """What the URL of a tag has proven: that the tag made it after the one with the counter before, not that the tag is here now.

    The members are those of `proof` in nfcd's taps; `file_data` is in addition.

    Attributes:
        status: `proven`; or `replayed`, `failed`, `unknownKey`, `tamperOpen` or `notProven`. Programs decide by `is_proven` alone.
        profile: the profile that fits the URL; empty if there is none.
        method: `sun`; `None` if nothing was tried.
        key: the name of the key.
        key_version: the version of the key; `None` unless the code is right.
        identifier: the UID in hexadecimal digits; only as good as the status.
        counter: the counter of the URL.
        previous_counter: the highest counter before; `None` if there was none.
        credential: always `None`; taps of other tags have it.
        tamper: the tamper loop; `None` unless the code is right.
        scope: `thisMachine` if the counter was compared and recorded; `None` without counters: then a copy of the URL looks
            the same.
        reason: why the tag is not proven, in words; not for the one who sent the URL.
        file_data: the decrypted file data of `{enc:N}`; `None` unless the code is right.
    """

    status: Status
    profile: str
    method: Optional[Literal["mutual", "sun"]] = None
    key: Optional[str] = None
    key_version: Optional[int] = None
    identifier: Optional[str] = None
    counter: Optional[int] = None
    previous_counter: Optional[int] = None
    credential: Optional[str] = None
    tamper: Optional[Tamper] = None
    scope: Optional[Literal["everywhere", "thisMachine", "limited"]] = None
    reason: Optional[str] = None
    file_data: Optional[bytes] = field(default=None, repr=False)

    @property
    def is_proven(self) -> bool:
        """True for `proven` only."""
        return self.status == "proven"

    def to_json(self) -> Dict[str, Any]:
        """Returns the form of nfcd's protocol and of `nfcctl secure check --json`."""
        values = {
            "status": self.status,
            "method": self.method,
            "profile": self.profile,
            "key": self.key,
            "keyVersion": self.key_version,
            "identifier": self.identifier,
            "counter": self.counter,
            "previousCounter": self.previous_counter,
            "credential": self.credential,
            "tamper": self.tamper and {"permanent": self.tamper.permanent, "current": self.tamper.current},
            "scope": self.scope,
            "reason": self.reason,
        }
        return {name: value for name, value in values.items() if value is not None}


class Counters(Protocol):
    """What knows the highest counters: `CounterFile`, `CounterBook`, or a class over a database."""

    def highest(self, line: CounterLine) -> Optional[int]:
        """Returns the highest counter that was recorded; `None` for a new line."""

    def record(self, line: CounterLine, counter: int) -> bool:
        """Stores a counter durably. Returns false if one at least as high was stored meanwhile."""


class Verifier:
    """Verifies URLs of NTAG 424 DNA tags by the profiles of a site, without a reader: for servers that receive them.

    Any number of threads may use it.
    """

    def __init__(self, keys: Keys) -> None:
        """Takes the profiles with the method `sun`.

        Raises `TemplateError` for the `url` of a profile, and `ImportError` if the package `cryptography` is missing.
        """
        _aes.require()
        self._checks = [_Check(profile, keys) for profile in keys.profiles if profile.method == "sun" and profile.url]

    def __repr__(self) -> str:
        return f"Verifier(profiles={[check.profile.name for check in self._checks]})"

    def verify(self, url: str, counters: Optional[Counters] = None, observed_uid: Optional[bytes] = None) -> Proof:
        """Verifies a URL, and records its counter. Whatever the text is, there is a result.

        An unknown tag and a wrong code take the same work; answer both in the same words.

        Args:
            url: the URL as a browser or a telephone sent it, or the path and query of a request. Nothing may have decoded it.
            counters: what was seen; the counter is recorded before a success is returned. `None`: a copy of the URL is proven, too.
            observed_uid: the UID that a reader saw, if there was one.

        Raises:
            CounterFileError: or what else `counters` raises; nothing is proven then.
        """
        found: Optional[Proof] = None
        for check in self._checks:
            proof = check.proof(url, counters, observed_uid)
            if proof.status != "notProven":
                return proof
            found = found or proof
        return found or Proof("notProven", "", reason="the URL does not have the form of any profile")


class _Check:
    """The check of messages of one profile."""

    def __init__(self, profile: Profile, keys: Keys) -> None:
        self.profile = profile
        self._template = Template(profile.url or "", profile.lrp)
        self._meta_keys = [shared(key) for key in keys.versions(profile.keys.get("meta"))]
        self._file_keys: List[Key] = keys.versions(profile.keys.get("file"))

    def proof(self, url: str, counters: Optional[Counters], observed_uid: Optional[bytes]) -> Proof:
        parameters = self._template.cut(url)
        if parameters is None:
            return self._result("notProven", "the text does not have the form of the template")
        if parameters.is_static:
            return self._result("notProven", "the tag wrote nothing into the text: it was read in a session, or mirroring is off")
        candidates = self._candidates(parameters)
        for message in candidates:
            fitting = self._fitting(message, parameters)
            if fitting is not None:
                return self._judged(parameters, message, *fitting, counters, observed_uid)
        if candidates and self._file_keys:
            # Without the right code, UID and counter are what anyone may claim.
            return self._result("failed", "the code of the message is wrong")
        # As much work as for a known tag, so that the time does not show which tags are enrolled.
        self._fitting(PICCData(bytes(7), 0), parameters)
        return self._result("unknownKey", "no key fits the tag")

    def _result(self, status: Status, reason: str, message: Optional[PICCData] = None) -> Proof:
        proof = Proof(status, self.profile.name, "sun", self.profile.keys.get("file"), reason=reason)
        if message is None:
            return proof
        return replace(proof, identifier=message.uid.hex().upper(), counter=message.counter)

    def _candidates(self, parameters: Parameters) -> List[PICCData]:
        """What the message may say: in clear, or decrypted with each key."""
        if parameters.uid is not None and parameters.counter is not None:
            return [PICCData(parameters.uid, parameters.counter)]
        data = parameters.picc_data or b""
        found = [decrypted(data, key.secret, self._template.is_lrp) for key in self._meta_keys]
        return [message for message in found if message is not None]

    def _fitting(self, message: PICCData, parameters: Parameters) -> Optional[Tuple[TagKey, Session]]:
        """The key that made the code."""
        for entry in self._file_keys:
            key = diversified(self.profile, message.uid, entry)
            session = Session(key.secret, message, self._template.is_lrp)
            if session.is_code(parameters.code, parameters.covered):
                return key, session
        return None

    def _judged(
        self,
        parameters: Parameters,
        message: PICCData,
        key: TagKey,
        session: Session,
        counters: Optional[Counters],
        observed_uid: Optional[bytes],
    ) -> Proof:
        """The proof of a message whose code is right."""
        if key.is_published:
            return self._result("unknownKey", "the key of the tag is published: everyone can make such a message", message)
        if observed_uid is not None and len(observed_uid) == 7 and observed_uid != message.uid:
            return self._result("failed", "the message is that of another tag: it was copied", message)
        line = CounterLine(message.uid.hex().upper(), self.profile.name, key.version)
        previous = None if counters is None else counters.highest(line)
        if previous is not None and message.counter <= previous:
            return self._replayed(message, line, previous)
        proof = self._opened(parameters, message, session)
        # Another process may have used it meanwhile.
        if counters is not None and not counters.record(line, message.counter):
            return self._replayed(message, line, counters.highest(line))
        is_new = counters is not None and proof.is_proven
        return replace(proof, key_version=key.version, previous_counter=previous, scope="thisMachine" if is_new else None)

    def _replayed(self, message: PICCData, line: CounterLine, previous: Optional[int]) -> Proof:
        reason = f"counter {message.counter} is not above {previous}, the highest seen"
        return replace(self._result("replayed", reason, message), key_version=line.key_version, previous_counter=previous)

    def _opened(self, parameters: Parameters, message: PICCData, session: Session) -> Proof:
        """What else the message says: file data, and the tamper loop."""
        data = None if parameters.encrypted is None else session.decrypt(parameters.encrypted)
        loop = data[:2] if data and self._template.has_hidden_tamper else parameters.tamper
        tamper = None if loop is None else Tamper(*(letter if letter in "COI" else "?" for letter in loop.decode("latin-1")))
        if tamper not in (None, ("C", "C")):
            proof = self._result("tamperOpen", f"the tamper loop is {''.join(tamper or ())}", message)
        else:
            proof = replace(self._result("proven", "", message), reason=None)
        return replace(proof, tamper=tamper, file_data=data)
