"""nfcd for Python: what is tapped, what is on it, and writing to it.

    import nfcd

    with nfcd.Client() as client:
        with client.read_session() as session:
            for tap in session:
                print(tap.identifier, tap.uri)

`nfcd.aio` is the same for asyncio. A client is used by one thread at a time; use one for each thread. It logs lost
connections with `logging.getLogger("nfcd")`.
"""

from ._blocking import (
    Background,
    Client,
    Event,
    Events,
    Journal,
    ReadSession,
    ResponseAPDU,
    Tag,
    TagSession,
    VirtualTag,
)
from ._connection import Backoff, default_path
from .errors import CannotConnect, ConnectionLost, Error, NFCError, NoAnswer, NoTag, ProtocolError, SessionEnded
from .methods import ErrorCode
from .ndef import (
    Message,
    Record,
    android_application,
    external,
    json_data,
    media,
    record,
    text,
    uri,
)
from .taps import JournalTap, Tap

__version__ = "0.1.0"

__all__ = [
    "Client",
    "ReadSession",
    "TagSession",
    "Tag",
    "ResponseAPDU",
    "Background",
    "Journal",
    "Events",
    "Event",
    "VirtualTag",
    "Tap",
    "JournalTap",
    "Message",
    "Record",
    "uri",
    "text",
    "media",
    "json_data",
    "external",
    "android_application",
    "record",
    "Error",
    "NFCError",
    "SessionEnded",
    "NoTag",
    "CannotConnect",
    "ConnectionLost",
    "NoAnswer",
    "ProtocolError",
    "ErrorCode",
    "Backoff",
    "default_path",
]
