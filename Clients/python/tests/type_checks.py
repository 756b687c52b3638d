"""What a type checker has to know, for mypy. It is not run."""

from typing import List, Literal, Optional

import nfcd
import nfcd.aio
from nfcd import sun


def words(record: nfcd.Record) -> List[str]:
    """The members of a content follow from its `kind`."""
    content = record.content
    if content is None:
        return []
    if content["kind"] == "uri":
        telephone = content.get("tel")
        return [content["uri"], telephone["dialable"] if telephone else ""]
    if content["kind"] == "text":
        return [content["text"], content["language"]]
    if content["kind"] == "smartPoster":
        return [title["text"] for title in content["titles"]]
    if content["kind"] == "wifi":
        return [network.get("ssid", "") for network in content["credentials"]]
    return [content["kind"]]


def commands(tag: nfcd.Tag) -> None:
    """The commands of a tag have types."""
    acknowledge: bytes = tag.authenticate(b"\0" * 4)
    written: int = tag.write_memory([{"number": 4, "bytes": b"\0" * 4}], progress=lambda done, total: None)
    first: int = tag.set_password("00000000", protects="write")["firstPage"]
    product: Optional[str] = tag.describe().get("product")
    block: bytes = tag.mifare_classic.read_block(4)
    status: int = tag.iso7816.send_command("00A4", timeout=2.0)["sw1"]
    tag.write_ndef({"records": [{"typeNameFormat": "media", "type": b"a/b", "payload": "00"}, {"decoded": {"kind": "text", "text": "a"}}]})
    print(acknowledge, written, first, product, block, status)
    tag.configure(mirror="both")  # type: ignore[arg-type]
    tag.set_password()  # type: ignore[call-arg]
    tag.mifare_classic.authenticate(4, b"")  # type: ignore[arg-type, call-arg]


async def asynchronous(tag: nfcd.aio.Tag, key_type: Literal["a", "b"]) -> bytes:
    """And with asyncio."""
    await tag.mifare_classic.authenticate(4, key_type, b"\xff" * 6)
    return await tag.mifare_classic.read_block(4)


def urls(verifier: sun.Verifier, file: sun.CounterFile, book: sun.CounterBook) -> List[bool]:
    """Files and books keep counters, and a status is one of those that are known."""
    proofs = [verifier.verify("https://ex.am/"), verifier.verify("https://ex.am/", file), verifier.verify("https://ex.am/", book)]
    verifier.verify("https://ex.am/", {})  # type: ignore[arg-type]
    status: Literal["proven"] = proofs[0].status  # type: ignore[assignment]
    return [proof.is_proven and proof.status == status for proof in proofs]
