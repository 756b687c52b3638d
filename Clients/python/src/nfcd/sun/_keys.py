"""The keys of a site, and how its tags prove themselves by them."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import Any, Iterable, List, Mapping, NamedTuple, Optional, Tuple

from . import _aes

# Keys that everyone knows: those printed in application notes and examples. They prove nothing.
_PUBLISHED = tuple(
    bytes.fromhex(digits)
    for digits in (
        # AN12196 Rev 1.8, AN12321.
        "5ACE7E50AB65D5D51FD5BF5A16B8205B", "F3847D627727ED3BC9C4CC050489B966", "5004BF991F408672B1EF00F08F9E8647",
        "66A8CB93269DC9BC2885B7A91B9C697B",
        # AN10922 and many examples; in both directions.
        "00112233445566778899AABBCCDDEEFF", "FFEEDDCCBBAA99887766554433221100", "0102030405060708090A0B0C0D0E0F10",
        "000102030405060708090A0B0C0D0E0F", "0F0E0D0C0B0A09080706050403020100", "101112131415161718191A1B1C1D1E1F",
        "0123456789ABCDEF0123456789ABCDEF", "0123456789ABCDEFFEDCBA9876543210", "F3F9377698707B688EAF84ABE39E3791",
        "00000000000000000000000000000001",
        # Ultralight C as delivered.
        "49454D4B41455242214E4143554F5946", "425245414B4D454946594F5543414E21", "214E4143554F594649454D4B41455242",
        "46594F5543414E21425245414B4D4549",
        # NIST SP 800-38A, and the tests of open source programs.
        "2B7E151628AED2A6ABF7158809CF4F3C", "C9EB67DF090AFF47C3B19A2516680B9D", "B95F4C27E3D0BC333792EA968545217F",
        "0C3B25D92B38AE443229DD59AD34B85D", "B45775776CB224C75BCDE7CA3704E933",
    )
)  # fmt: skip


def is_published(secret: bytes) -> bool:
    """Whether a key of 16 bytes is published, or one byte repeated. All published keys are compared, whether or not one fits."""
    found = hmac.compare_digest(secret, secret[:1] * len(secret))
    for published in _PUBLISHED:
        found |= hmac.compare_digest(secret, published)
    return found


class Key:
    """One version of a key. Nothing shows its bytes, and it cannot be copied or pickled.

    Attributes:
        name: what profiles call it.
        version: 1 to 255; the tag has it beside the key.
        state: `current`, `previous` or `next`.
    """

    STATES = ("current", "previous", "next")
    LENGTH = 16

    __slots__ = ("name", "version", "state", "_secret")

    def __init__(self, name: str, secret: bytes, version: int = 1, state: str = "current") -> None:
        """Makes a version of a key of 16 bytes. Raises `ValueError`."""
        if len(secret) != self.LENGTH:
            raise ValueError(f"key {name}: a key has {self.LENGTH} bytes")
        if not 0 <= version <= 255 or state not in self.STATES:
            raise ValueError(f"key {name}: the version is 0 to 255, and the state current, previous or next")
        self.name, self.version, self.state = name, version, state
        self._secret = bytes(secret)

    def __repr__(self) -> str:
        return f"Key(name={self.name!r}, version={self.version}, state={self.state!r})"

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("a key is not copied or pickled")

    @property
    def is_published(self) -> bool:
        """Whether everyone knows it; then it proves nothing."""
        return is_published(self._secret)


class TagKey(NamedTuple):
    """A key of a tag; `repr` leaves out its bytes."""

    secret: bytes
    version: int
    is_published: bool

    def __repr__(self) -> str:
        return f"TagKey(version={self.version})"


# The name of the application of an NTAG 424, and the number of the key for the code.
_APPLICATION = bytes.fromhex("D2760000850101")
_FILE_KEY = b"\x02"


@dataclass(frozen=True)
class Profile:
    """How tags of a site prove themselves.

    Attributes:
        name: the name, which proofs have.
        keys: the names of the keys by their use, such as `{"meta": "door-meta", "file": "door"}`.
        url: the template of the URL; `None` for tags that are not verified by their URL.
        tag: the kind of tag: `ntag424`, `desfire`, `ultralight-aes` or `ultralight-c`.
        method: `sun`, by the URL; profiles with `mutual` need a reader, and `Verifier` ignores them.
        derivation: how keys of tags follow from those of the site: `an10922`, `cmac` or `none`.
        system_id: at most 16 bytes that separate this system's keys from those of others.
        lrp: whether the tag is in LRP mode.
        tamper: whether the tag has to have a tamper loop.
    """

    name: str
    keys: Mapping[str, str]
    url: Optional[str] = None
    tag: str = "ntag424"
    method: str = "sun"
    derivation: str = "an10922"
    system_id: bytes = b""
    lrp: bool = False
    tamper: bool = False


def diversified(profile: Profile, uid: bytes, key: Key) -> TagKey:
    """The key of a tag for the code of its message: AN10922 over UID, application, number of the key, and system."""
    if profile.derivation == "none":
        return shared(key)
    secret = _aes.diversified(
        key._secret, uid + _APPLICATION + _FILE_KEY + profile.system_id, is_padded_to_two_blocks=profile.derivation != "cmac"
    )
    return TagKey(secret, key.version, key.is_published or is_published(secret))


def shared(key: Key) -> TagKey:
    """A key that all tags have."""
    return TagKey(key._secret, key.version, key.is_published)


class Keys:
    """The keys and the profiles of a site.

    Attributes:
        profiles: the profiles, in the order of the file.
    """

    def __init__(self, keys: Iterable[Key], profiles: Iterable[Profile]) -> None:
        self._keys = tuple(keys)
        self.profiles: Tuple[Profile, ...] = tuple(profiles)

    def __repr__(self) -> str:
        return f"Keys({len(self._keys)} keys, profiles={[profile.name for profile in self.profiles]})"

    def versions(self, name: Optional[str]) -> List[Key]:
        """The versions of a key: the current one, then previous and next ones."""
        found = [key for key in self._keys if key.name == name]
        return [key for state in Key.STATES for key in found if key.state == state]
