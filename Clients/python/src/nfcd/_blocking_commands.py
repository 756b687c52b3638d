"""The blocking form. Generated from _asyncio_commands.py by tools/generate.py with unasync. Do not edit."""

# b203e128fa8325dc 2ebe187a990c045e
# ---
from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, Sequence, TypeVar

from . import methods
from ._request import Bytes, ProgressCallback, Request, octets

T = TypeVar("T")


class _Commands:
    """What carries out commands on a tag."""

    def __init__(self, at: Dict[str, str]) -> None:
        self._at = at

    def _perform(self, request: Request[T], progress: Optional[ProgressCallback] = None) -> T:
        raise NotImplementedError


class _Group(_Commands):
    """The commands of a group."""

    def __init__(self, tag: _Commands) -> None:
        super().__init__(tag._at)
        self._tag = tag

    def _perform(self, request: Request[T], progress: Optional[ProgressCallback] = None) -> T:
        return self._tag._perform(request, progress)


class Iso7816Commands(_Group):
    """The commands of the group `iso7816`."""

    def send_command(
        self,
        apdu: Bytes,
        *,
        timeout: Optional[float] = None,
    ) -> methods.Iso7816SendCommand:
        """Sends a command APDU. Needs `raw`.

        Args:
            apdu: The command APDU, 4 to 65,544 bytes.
            timeout: The time limit for the whole command in seconds, more than 0 and at most 60. The default is the
                reader's own limit for each exchange. After a timeout (error 102) the tag has to be detected again.
        """
        return self._perform(methods.iso7816_send_command(**self._at, apdu=apdu, timeout=timeout))


class MiFareCommands(_Group):
    """The commands of the group `miFare`."""

    def send_command(self, command: Bytes, *, timeout: Optional[float] = None) -> bytes:
        """Sends a command of a MIFARE tag's own command set. Needs `raw`.

        MIFARE Plus and DESFire cards that are delivered as `miFare` take their native commands, one frame at a time;
        the answer begins with the status byte. A frame to MIFARE Plus is sent unchanged; some readers pass only
        command APDUs. An ACK of an NTAG or Ultralight is the byte 0A; where the reader hides it, a WRITE is verified
        by reading the page back.

        Args:
            command: The frame, at least one byte. The reader appends the CRC.
            timeout: The time limit for the whole command in seconds, more than 0 and at most 60. The default is the
                reader's own limit for each exchange. After a timeout (error 102) the tag has to be detected again.
        """
        return octets((self._perform(methods.mifare_send_command(**self._at, command=command, timeout=timeout)))["data"])

    def send_iso7816_command(
        self,
        apdu: Bytes,
        *,
        timeout: Optional[float] = None,
    ) -> methods.Iso7816SendCommand:
        """Sends a command APDU to a MIFARE tag. Needs `raw`.

        CoreNFC has two names for this command; the other one is `iso7816.sendCommand`.

        Args:
            apdu: The command APDU, 4 to 65,544 bytes.
            timeout: The time limit for the whole command in seconds, more than 0 and at most 60. The default is the
                reader's own limit for each exchange. After a timeout (error 102) the tag has to be detected again.
        """
        return self._perform(methods.mifare_send_iso7816_command(**self._at, apdu=apdu, timeout=timeout))


class FeliCaCommands(_Group):
    """The commands of the group `feliCa`."""

    def send_command(self, packet: Bytes, *, timeout: Optional[float] = None) -> bytes:
        """Sends a FeliCa command. Needs `raw`.

        Args:
            packet: The packet from the command code on, 1 to 254 bytes. As in CoreNFC, the length byte and the CRC
                are added.
            timeout: The time limit for the whole command in seconds, more than 0 and at most 60. The default is the
                reader's own limit for each exchange. After a timeout (error 102) the tag has to be detected again.
        """
        return octets((self._perform(methods.felica_send_command(**self._at, packet=packet, timeout=timeout)))["data"])


class Iso15693Commands(_Group):
    """The commands of the group `iso15693`."""

    def send_request(
        self,
        request_flags: int,
        command_code: int,
        *,
        data: Optional[Bytes] = None,
        timeout: Optional[float] = None,
    ) -> methods.Iso15693SendRequest:
        """Sends a request of ISO/IEC 15693. Needs `raw`.

        If the address flag is set, `data` begins with the UID.

        Args:
            request_flags: The flags byte.
            command_code: The command code.
            data: The bytes after the command code; by default there are none.
            timeout: The time limit for the whole command in seconds, more than 0 and at most 60. The default is the
                reader's own limit for each exchange. After a timeout (error 102) the tag has to be detected again.
        """
        return self._perform(
            methods.iso15693_send_request(
                **self._at,
                request_flags=request_flags,
                command_code=command_code,
                data=data,
                timeout=timeout,
            ),
        )


class MiFareClassicCommands(_Group):
    """The commands of the group `miFareClassic`."""

    def authenticate(self, block: int, key_type: Literal["a", "b"], key: Bytes) -> None:
        """Authenticates to the sector of a block with one of its keys. Needs `raw`.

        The sector stays authenticated until another one is, or until the card receives a command other than those of
        `miFareClassic`. A wrong key halts the card.

        Args:
            block: The number of any block of the sector.
            key_type: Which of the two keys of the sector: A or B.
            key: The key, 6 bytes.
        """
        self._perform(
            methods.mifare_classic_authenticate(**self._at, block=block, key_type=key_type, key=key),
        )

    def read_block(self, block: int) -> bytes:
        """Reads a block of the authenticated sector. Needs `raw`.

        Key A in a sector trailer reads as zeros.

        Args:
            block: The number of the block.
        """
        return octets((self._perform(methods.mifare_classic_read_block(**self._at, block=block)))["data"])

    def write_block(self, block: int, data: Bytes, *, allow_trailer: Optional[bool] = None) -> None:
        """Writes a block of the authenticated sector. Needs `raw`.

        Block 0 is refused, and a sector trailer unless `allow_trailer` is set.

        Args:
            block: The number of the block.
            data: The new content, 16 bytes.
            allow_trailer: Whether a sector trailer may be written; the default is false. A wrong trailer makes its
                sector permanently unusable.
        """
        self._perform(
            methods.mifare_classic_write_block(
                **self._at,
                block=block,
                data=data,
                allow_trailer=allow_trailer,
            ),
        )

    def increment(self, block: int, amount: int) -> None:
        """Increases the value in a value block of the authenticated sector. Needs `raw`.

        Sends INCREMENT and TRANSFER.

        Args:
            block: The number of the value block.
            amount: The amount to change the value by, not negative.
        """
        self._perform(methods.mifare_classic_increment(**self._at, block=block, amount=amount))

    def decrement(self, block: int, amount: int) -> None:
        """Decreases the value in a value block of the authenticated sector. Needs `raw`.

        Sends DECREMENT and TRANSFER.

        Args:
            block: The number of the value block.
            amount: The amount to change the value by, not negative.
        """
        self._perform(methods.mifare_classic_decrement(**self._at, block=block, amount=amount))

    def restore(self, block: int, destination: int) -> None:
        """Copies a value block of the authenticated sector to another block of the sector. Needs `raw`.

        Sends RESTORE and TRANSFER, which readers offer as one command only.

        Args:
            block: The number of the block to copy.
            destination: The number of the block to copy it to.
        """
        self._perform(methods.mifare_classic_restore(**self._at, block=block, destination=destination))


class _TagCommands(_Commands):
    """The commands of a tag."""

    def query_ndef_status(self, *, content: Optional[bool] = None) -> methods.NDEFStatus:
        """Returns whether a tag holds NDEF, and how much fits. Needs `read`.

        Args:
            content: Whether to look for content that is recognized besides a message, which takes further reads;
                the default is false.
        """
        return self._perform(methods.tag_query_ndef_status(**self._at, content=content))

    def read_ndef(self, *, content: Optional[bool] = None) -> methods.NDEFContent:
        """Reads the message on a tag. Needs `read`.

        Args:
            content: Whether to look for content that is recognized besides the message, which takes further reads;
                the default is false.
        """
        return self._perform(methods.tag_read_ndef(**self._at, content=content))

    def write_ndef(
        self,
        message: methods.WritableMessage,
        *,
        verify: Optional[bool] = None,
        overwrite: Optional[bool] = None,
        progress: Optional[ProgressCallback] = None,
    ) -> None:
        """Writes a message to a tag and replaces the one on it. Needs `write`.

        A message without records erases the tag. One that would reach into content of a known format behind the
        message, such as that of a filament tag, is refused, unless `overwrite` is true.

        Args:
            message: The message to write.
            verify: Whether to read the message back and compare it; the default is false.
            overwrite: Whether content behind the message may be overwritten; the default is false.
            progress: Called with what is done and the total.
        """
        self._perform(
            methods.tag_write_ndef(
                **self._at,
                message=message,
                verify=verify,
                overwrite=overwrite,
                progress=progress is not None or None,
            ),
            progress,
        )

    def update_record(
        self,
        record: int,
        offset: int,
        old: Bytes,
        new: Bytes,
        *,
        stop: Optional[methods.TagUpdateRecordStop] = None,
        steps: Optional[Sequence[Bytes]] = None,
        verify: Optional[bool] = None,
        progress: Optional[ProgressCallback] = None,
    ) -> None:
        """Changes bytes inside the payload of a record, which keeps its length. Needs `write`.

        Only the blocks that differ are written; the header of the message is not, and only the locks of those blocks
        count. If other bytes than `old` are there, nothing is written. Wherever it is interrupted, the bytes in front
        of the change stay; what the changed bytes may be is in the error.

        Args:
            record: The index of the record in the message, from 0.
            offset: Where the first byte is in the record's payload, from 0.
            old: The bytes that have to be there.
            new: The bytes that replace them, as many.
            stop: A byte that hides what is behind it while several blocks are written.
            steps: What the bytes are between `old` and `new`, step by step: each has the same length. Not with
                `stop`.
            verify: Whether to read the blocks back and compare them; the default is false.
            progress: Called with what is done and the total.
        """
        self._perform(
            methods.tag_update_record(
                **self._at,
                record=record,
                offset=offset,
                old=old,
                new=new,
                stop=stop,
                steps=steps,
                verify=verify,
                progress=progress is not None or None,
            ),
            progress,
        )

    def format(self, *, overwrite: Optional[bool] = None) -> None:
        """Formats a tag without NDEF, so that it holds an empty message. Needs `format`.

        A tag whose memory holds other data is refused, unless `overwrite` is true.

        Args:
            overwrite: Whether other data in the tag's memory may be overwritten; the default is false.
        """
        self._perform(methods.tag_format(**self._at, overwrite=overwrite))

    def write_lock(self) -> None:
        """Makes a tag permanently read-only. Needs `lock`."""
        self._perform(methods.tag_write_lock(**self._at))

    def authenticate(
        self,
        password: Bytes,
        *,
        kind: Optional[Literal["read", "write", "privacy", "destroy", "easAFI"]] = None,
    ) -> bytes:
        """Authenticates to a tag with its password. Needs `raw`.

        The authentication lasts until the tag leaves the field, or until a raw command is sent to it. An ICODE SLIX2
        answers nothing after a wrong password until it is reset, which the command does: then no password is in
        force.

        Args:
            password: The password, 4 bytes for Type 2 and ICODE SLIX2; 16 bytes are the AES key (DataProtKey) of
                MIFARE Ultralight AES.
            kind: Which password of an ICODE SLIX2; the default is `read` where reading needs one, else `write`.
        """
        return octets((self._perform(methods.tag_authenticate(**self._at, password=password, kind=kind)))["acknowledge"])

    def cancel_commands(self) -> int:
        """Cancels the commands to a tag that have not started.

        Each of them is answered with error -32800.
        """
        return (self._perform(methods.tag_cancel_commands(**self._at)))["cancelled"]

    def describe(self) -> methods.TagDescription:
        """Returns the product, the memory and the lock state of a tag, as far as the tag reports them. Needs `read`."""
        return self._perform(methods.tag_describe(**self._at))

    def dump(self, *, progress: Optional[ProgressCallback] = None) -> methods.TagDump:
        """Reads all readable memory of a tag. Needs `read`.

        Args:
            progress: Called with what is done and the total.
        """
        return self._perform(methods.tag_dump(**self._at, progress=progress is not None or None), progress)

    def write_memory(
        self,
        blocks: Sequence[methods.TagWriteMemoryBlocks],
        *,
        overwrite: Optional[bool] = None,
        progress: Optional[ProgressCallback] = None,
    ) -> int:
        """Replaces blocks of a tag's memory that hold data, and verifies them. Needs `write`.

        Supported by Type 2 Tags whose product is recognized (the user pages from page 4 on) and by Type 5 Tags (all
        blocks). Lock bits, one-time bits, configuration and keys are never written. Blocks that have their content
        already are left. Content of a known format, that of a spool or of an item of a library, is not overwritten
        unless `overwrite` is true; what changes with the use of a spool, the remaining amount of a TigerTag, always
        may be. Wherever it is interrupted, the tag holds the old message, none, or the new content.

        Args:
            blocks: The pages or blocks, each once.
            overwrite: Whether content of a known format may be overwritten: a TigerTag, an OpenPrintTag, the data
                of a maker of filament or a library; the default is false.
            progress: Called with what is done and the total.
        """
        return (self._perform(
            methods.tag_write_memory(
                **self._at,
                blocks=blocks,
                overwrite=overwrite,
                progress=progress is not None or None,
            ),
            progress,
        ))["written"]

    def set_password(
        self,
        password: Bytes,
        *,
        pack: Optional[Bytes] = None,
        first_page: Optional[int] = None,
        protects: Optional[Literal["write", "readWrite"]] = None,
        attempts: Optional[int] = None,
        end_page: Optional[int] = None,
        kind: Optional[Literal["read", "write", "privacy", "destroy", "easAFI"]] = None,
    ) -> methods.TagSetPassword:
        """Protects a tag with a password, or changes its password. Needs `lock`.

        Supported by NTAG21x and MIFARE Ultralight EV1, and by MIFARE Ultralight AES with an AES key instead of the
        password, on a reader that sends raw commands; and by ICODE SLIX2, whose pages are blocks, on a reader that
        sends ISO 15693 requests. Where the tag has a password already, give it first with `tag.authenticate`. The tag
        has to accept the new password before it is in force; wherever the command is interrupted, the tag has the old
        password, none, or the new one. A tag whose password is lost stays unchanged. An ICODE SLIX2 takes its read
        and its write password for a change of what they protect; those that were not given are tried as delivered,
        00000000, where no page needs them.

        Args:
            password: The new password, 4 bytes; 16 for the AES key of MIFARE Ultralight AES.
            pack: PACK, the 2 bytes with which the tag answers the right password; the default is 0000. A tag with a
                key has none.
            first_page: The first page that needs the password. The default is that of the password on the tag;
                without one, 4, and 0 for ICODE SLIX2.
            protects: Whether the password is needed to write, or to read as well. The default is as it is on the
                tag; without a password, to write.
            attempts: How many wrong passwords close the protected pages permanently, 1 to 7, of keys 1 to 1023; 0
                for no limit. The default is as it is on the tag.
            end_page: ICODE SLIX2: the first page that does not need the password, with `first_page` 0. The default
                is as it is on the tag; without a password, every page needs it.
            kind: ICODE SLIX2: which password. The default is `write`, and `read` where reading needs the password
                as well.
        """
        return self._perform(
            methods.tag_set_password(
                **self._at,
                password=password,
                pack=pack,
                first_page=first_page,
                protects=protects,
                attempts=attempts,
                end_page=end_page,
                kind=kind,
            ),
        )

    def remove_password(self) -> None:
        """Removes the password of a tag. Needs `lock`.

        Give the password first with `tag.authenticate`. Afterwards the tag has the password FFFFFFFF, or the key of
        zeros, that it was delivered with, and no page needs it. Those of an ICODE SLIX2 that were given become
        00000000.
        """
        self._perform(methods.tag_remove_password(**self._at))

    def configure(
        self,
        *,
        counter: Optional[Literal["off", "on", "password"]] = None,
        mirror: Optional[Literal["none", "uid", "counter", "uidAndCounter"]] = None,
        mirror_page: Optional[int] = None,
        mirror_byte: Optional[int] = None,
        counter_value: Optional[int] = None,
        afi: Optional[Bytes] = None,
        eas: Optional[bool] = None,
        locks: Optional[Sequence[Literal["afi", "eas", "afiPassword", "easPassword", "protection", "bothPasswords", "readPassword", "writePassword"]]] = None,
        privacy: Optional[bool] = None,
    ) -> methods.TagConfigure:
        """Changes settings of an NTAG21x or an ICODE SLIX2. Needs `lock`.

        What is not given stays unchanged. An NTAG21x has the NFC counter and the ASCII mirror, an ICODE SLIX2 the
        counter, AFI, EAS, permanent locks and privacy mode. The NTAG's counter and its mirror are supported by
        NTAG213, 215 and 216, the mirror of the UID by NTAG210 and 212 too. The tag shows the mirror instead of the
        stored bytes whenever it is read. Locks cannot be undone. In privacy mode no reader finds the tag: nfcd cannot
        see it any more, and only a device that sends the privacy password without looking for a tag ends it.

        Args:
            counter: Whether the tag counts the times it is read, and who can read the counter.
            mirror: What the tag shows instead of its memory.
            mirror_page: The page in which the mirror begins; required with a mirror.
            mirror_byte: The byte of that page, 0 to 3; the default is 0.
            counter_value: ICODE SLIX2: the value to which the counter is set, 0 to 65535.
            afi: ICODE SLIX2: the application family identifier, 1 byte.
            eas: ICODE SLIX2: whether gates against theft notice the tag (EAS).
            locks: ICODE SLIX2: what is locked permanently.
            privacy: ICODE SLIX2: true turns privacy mode on, in which the tag shows no UID and readers do not find
                it; nfcd cannot turn it off. Its password has to be given with `tag.authenticate` first.
        """
        return self._perform(
            methods.tag_configure(
                **self._at,
                counter=counter,
                mirror=mirror,
                mirror_page=mirror_page,
                mirror_byte=mirror_byte,
                counter_value=counter_value,
                afi=afi,
                eas=eas,
                locks=locks,
                privacy=privacy,
            ),
        )

    def personalise(
        self,
        task: Literal["setUp", "rotate", "reset", "resume", "verify"],
        *,
        profile: Optional[str] = None,
        dry_run: Optional[bool] = None,
        permanent: Optional[Sequence[Literal["randomIdentifier", "tamper", "lrp", "lockKeys"]]] = None,
        overwrite_message: Optional[bool] = None,
        require_signature: Optional[bool] = None,
        identifier: Optional[Bytes] = None,
        credential: Optional[Bytes] = None,
        keep_card_key: Optional[bool] = None,
        forget_record: Optional[bool] = None,
        progress: Optional[ProgressCallback] = None,
    ) -> methods.TagPersonalise:
        """Makes a tag one of a profile, with keys by which it proves itself; changes or undoes that. Needs
        `personalise`.

        The profiles and keys are those of nfcd's key file. The tag has to rest on the reader. Before the first change
        nfcd stores a record, from which `resume` finishes a tag that left early: no interruption loses a key. It is
        finished with any profile of the same keys. A tag with keys as delivered whose UID is that of one with other
        keys may be an imitation, and is refused. No key is in a request or in an answer. A permanent setting needs
        the capability `personalise-permanently` as well. Afterwards, the tag is as newly activated: select again what
        you need.

        Args:
            task: What is done.
            profile: The name of the profile; the default is the only one for tags of this product.
            dry_run: Whether nothing is changed: the tag is asked, and the steps are returned. The default is false.
            permanent: What the tag gets permanently; the default is nothing.
            overwrite_message: Whether a message that is on the tag may be lost; the default is false.
            require_signature: Whether a tag without the right signature of its maker is refused; the default is
                false.
            identifier: The UID, 7 bytes, of a tag that hides it.
            credential: What the protected file of a MIFARE DESFire says of its holder, at most 23 bytes; the
                default is what is in it, or its UID.
            keep_card_key: Whether the master key of a MIFARE DESFire card is left alone; that of a card with other
                applications always is. The default is false.
            forget_record: Whether `reset` has nfcd forget which keys it gave to a tag with this UID, although this
                one has keys as delivered. Whoever holds an imitation of that tag could then have its keys written
                to it: ask a person who knows that the tag was reset elsewhere. Without it, nfcd refuses such a tag.
                The default is false.
            progress: Called with what is done and the total.
        """
        return self._perform(
            methods.tag_personalise(
                **self._at,
                task=task,
                profile=profile,
                dry_run=dry_run,
                permanent=permanent,
                overwrite_message=overwrite_message,
                require_signature=require_signature,
                identifier=identifier,
                credential=credential,
                keep_card_key=keep_card_key,
                forget_record=forget_record,
                progress=progress is not None or None,
            ),
            progress,
        )

    def query_personalisation(
        self,
        *,
        profile: Optional[str] = None,
        identifier: Optional[Bytes] = None,
    ) -> methods.TagQueryPersonalisation:
        """Returns how far a tag is one of a profile, as it claims. Nothing on the tag changes. Needs `personalise`.

        No key of the profile is tried. A UID that was given for a tag that hides its own is not compared with the
        tag's; `tag.personalise` with the task `verify` proves it.

        Args:
            profile: The name of the profile; the default is the only one for tags of this product.
            identifier: The UID, 7 bytes, of a tag that hides it.
        """
        return self._perform(
            methods.tag_query_personalisation(**self._at, profile=profile, identifier=identifier),
        )

    @property
    def iso7816(self) -> Iso7816Commands:
        """The commands of the group `iso7816`."""
        return Iso7816Commands(self)

    @property
    def mifare(self) -> MiFareCommands:
        """The commands of the group `miFare`."""
        return MiFareCommands(self)

    @property
    def felica(self) -> FeliCaCommands:
        """The commands of the group `feliCa`."""
        return FeliCaCommands(self)

    @property
    def iso15693(self) -> Iso15693Commands:
        """The commands of the group `iso15693`."""
        return Iso15693Commands(self)

    @property
    def mifare_classic(self) -> MiFareClassicCommands:
        """The commands of the group `miFareClassic`."""
        return MiFareClassicCommands(self)
