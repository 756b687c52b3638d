"""Verifies the URLs of NTAG 424 DNA tags (SUN messages) without a reader: for servers that receive them.

    from nfcd import sun

    verifier = sun.Verifier(sun.load_keys("keys.toml"))
    proof = verifier.verify(url, sun.CounterFile("door.counters"))
    print(proof.is_proven)

The rules, the key file and the file of counters are those of `nfcctl secure check`. `pip install "nfcd[sun]"` installs what it
needs: the package `cryptography`, since Python's standard library has no AES. Keys are in the memory of the program, which may be
swapped; nothing shows them.
"""

from ._counters import CounterBook, CounterFile, CounterFileError, CounterLine
from ._key_file import KeyFileError, load_keys
from ._keys import Key, Keys, Profile
from ._template import TemplateError
from ._verifier import Counters, Proof, Status, Tamper, Verifier

__all__ = [
    "Verifier",
    "Proof",
    "Status",
    "Tamper",
    "load_keys",
    "Keys",
    "Key",
    "Profile",
    "CounterFile",
    "CounterBook",
    "CounterLine",
    "Counters",
    "KeyFileError",
    "CounterFileError",
    "TemplateError",
]
