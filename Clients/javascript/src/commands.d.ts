// Made from rpc.discover by tools/generate.mjs.
import type { CallOptions } from "./index.js";
import type { Bytes, Methods, WritableMessage, WritableRecord } from "./protocol.js";

/** The optional parameters of a command, with the options of a call that have other names. */
export type CommandOptions<Parameters = {}> = Parameters & Omit<CallOptions, "onProgress" | keyof Parameters>;

/** The commands of the group `iso7816`. */
export interface Iso7816Commands {
  /**
   * Sends a command APDU. Needs `raw`.
   * @param apdu The command APDU, 4 to 65,544 bytes.
   * @param options.timeout The time limit for the whole command in seconds, more than 0 and at most 60. The default is
   * the reader's own limit for each exchange. After a timeout (error 102) the tag has to be detected again.
   */
  sendCommand(apdu: Bytes, options?: CommandOptions<{ "timeout"?: number | null }>): Promise<Methods["iso7816.sendCommand"]["result"]>;
}

/** The commands of the group `miFare`. */
export interface MiFareCommands {
  /**
   * Sends a command of a MIFARE tag's own command set. Needs `raw`.
   * MIFARE Plus and DESFire cards that are delivered as `miFare` take their native commands, one frame at a time; the
   * answer begins with the status byte. A frame to MIFARE Plus is sent unchanged; some readers pass only command
   * APDUs. An ACK of an NTAG or Ultralight is the byte 0A; where the reader hides it, a WRITE is verified by reading
   * the page back.
   * @param command The frame, at least one byte. The reader appends the CRC.
   * @param options.timeout The time limit for the whole command in seconds, more than 0 and at most 60. The default is
   * the reader's own limit for each exchange. After a timeout (error 102) the tag has to be detected again.
   */
  sendCommand(command: Bytes, options?: CommandOptions<{ "timeout"?: number | null }>): Promise<Methods["miFare.sendCommand"]["result"]["data"]>;
  /**
   * Sends a command APDU to a MIFARE tag. Needs `raw`.
   * CoreNFC has two names for this command; the other one is `iso7816.sendCommand`.
   * @param apdu The command APDU, 4 to 65,544 bytes.
   * @param options.timeout The time limit for the whole command in seconds, more than 0 and at most 60. The default is
   * the reader's own limit for each exchange. After a timeout (error 102) the tag has to be detected again.
   */
  sendISO7816Command(apdu: Bytes, options?: CommandOptions<{ "timeout"?: number | null }>): Promise<Methods["miFare.sendISO7816Command"]["result"]>;
}

/** The commands of the group `feliCa`. */
export interface FeliCaCommands {
  /**
   * Sends a FeliCa command. Needs `raw`.
   * @param packet The packet from the command code on, 1 to 254 bytes. As in CoreNFC, the length byte and the CRC are
   * added.
   * @param options.timeout The time limit for the whole command in seconds, more than 0 and at most 60. The default is
   * the reader's own limit for each exchange. After a timeout (error 102) the tag has to be detected again.
   */
  sendCommand(packet: Bytes, options?: CommandOptions<{ "timeout"?: number | null }>): Promise<Methods["feliCa.sendCommand"]["result"]["data"]>;
}

/** The commands of the group `iso15693`. */
export interface Iso15693Commands {
  /**
   * Sends a request of ISO/IEC 15693. Needs `raw`.
   * If the address flag is set, `data` begins with the UID.
   * @param requestFlags The flags byte.
   * @param commandCode The command code.
   * @param options.data The bytes after the command code; by default there are none.
   * @param options.timeout The time limit for the whole command in seconds, more than 0 and at most 60. The default is
   * the reader's own limit for each exchange. After a timeout (error 102) the tag has to be detected again.
   */
  sendRequest(requestFlags: number, commandCode: number, options?: CommandOptions<{ "data"?: Bytes | null; "timeout"?: number | null }>): Promise<Methods["iso15693.sendRequest"]["result"]>;
}

/** The commands of the group `miFareClassic`. */
export interface MiFareClassicCommands {
  /**
   * Authenticates to the sector of a block with one of its keys. Needs `raw`.
   * The sector stays authenticated until another one is, or until the card receives a command other than those of
   * `miFareClassic`. A wrong key halts the card.
   * @param block The number of any block of the sector.
   * @param keyType Which of the two keys of the sector: A or B.
   * @param key The key, 6 bytes.
   */
  authenticate(block: number, keyType: "a" | "b", key: Bytes, options?: CommandOptions): Promise<void>;
  /**
   * Reads a block of the authenticated sector. Needs `raw`.
   * Key A in a sector trailer reads as zeros.
   * @param block The number of the block.
   */
  readBlock(block: number, options?: CommandOptions): Promise<Methods["miFareClassic.readBlock"]["result"]["data"]>;
  /**
   * Writes a block of the authenticated sector. Needs `raw`.
   * Block 0 is refused, and a sector trailer unless `allowTrailer` is set.
   * @param block The number of the block.
   * @param data The new content, 16 bytes.
   * @param options.allowTrailer Whether a sector trailer may be written; the default is false. A wrong trailer makes
   * its sector permanently unusable.
   */
  writeBlock(block: number, data: Bytes, options?: CommandOptions<{ "allowTrailer"?: boolean | null }>): Promise<void>;
  /**
   * Increases the value in a value block of the authenticated sector. Needs `raw`.
   * Sends INCREMENT and TRANSFER.
   * @param block The number of the value block.
   * @param amount The amount to change the value by, not negative.
   */
  increment(block: number, amount: number, options?: CommandOptions): Promise<void>;
  /**
   * Decreases the value in a value block of the authenticated sector. Needs `raw`.
   * Sends DECREMENT and TRANSFER.
   * @param block The number of the value block.
   * @param amount The amount to change the value by, not negative.
   */
  decrement(block: number, amount: number, options?: CommandOptions): Promise<void>;
  /**
   * Copies a value block of the authenticated sector to another block of the sector. Needs `raw`.
   * Sends RESTORE and TRANSFER, which readers offer as one command only.
   * @param block The number of the block to copy.
   * @param destination The number of the block to copy it to.
   */
  restore(block: number, destination: number, options?: CommandOptions): Promise<void>;
}

/** The commands of a tag. */
export interface TagCommands {
  /**
   * Returns whether a tag holds NDEF, and how much fits. Needs `read`.
   * @param options.content Whether to look for content that is recognized besides a message, which takes further
   * reads; the default is false.
   */
  queryNDEFStatus(options?: CommandOptions<{ "content"?: boolean | null }>): Promise<Methods["tag.queryNDEFStatus"]["result"]>;
  /**
   * Reads the message on a tag. Needs `read`.
   * @param options.content Whether to look for content that is recognized besides the message, which takes further
   * reads; the default is false.
   */
  readNDEF(options?: CommandOptions<{ "content"?: boolean | null }>): Promise<Methods["tag.readNDEF"]["result"]>;
  /**
   * Writes a message to a tag and replaces the one on it. Needs `write`.
   * A message without records erases the tag. One that would reach into content of a known format behind the message,
   * such as that of a filament tag, is refused, unless `overwrite` is true.
   * @param message The message to write.
   * @param options.verify Whether to read the message back and compare it; the default is false.
   * @param options.overwrite Whether content behind the message may be overwritten; the default is false.
   * @param options.onProgress Is called with what is done and the total.
   */
  writeNDEF(message: WritableMessage, options?: CommandOptions<{ "verify"?: boolean | null; "overwrite"?: boolean | null; onProgress?: CallOptions["onProgress"] }>): Promise<void>;
  /**
   * Changes bytes inside the payload of a record, which keeps its length. Needs `write`.
   * Only the blocks that differ are written; the header of the message is not, and only the locks of those blocks
   * count. If other bytes than `old` are there, nothing is written. Wherever it is interrupted, the bytes in front of
   * the change stay; what the changed bytes may be is in the error.
   * @param record The index of the record in the message, from 0.
   * @param offset Where the first byte is in the record's payload, from 0.
   * @param old The bytes that have to be there.
   * @param new_ The bytes that replace them, as many.
   * @param options.stop A byte that hides what is behind it while several blocks are written.
   * @param options.steps What the bytes are between `old` and `new`, step by step: each has the same length. Not with
   * `stop`.
   * @param options.verify Whether to read the blocks back and compare them; the default is false.
   * @param options.onProgress Is called with what is done and the total.
   */
  updateRecord(record: number, offset: number, old: Bytes, new_: Bytes, options?: CommandOptions<{ "stop"?: { "byte": Bytes; "offset": number } | null; "steps"?: Array<Bytes> | null; "verify"?: boolean | null; onProgress?: CallOptions["onProgress"] }>): Promise<void>;
  /**
   * Formats a tag without NDEF, so that it holds an empty message. Needs `format`.
   * A tag whose memory holds other data is refused, unless `overwrite` is true.
   * @param options.overwrite Whether other data in the tag's memory may be overwritten; the default is false.
   */
  format(options?: CommandOptions<{ "overwrite"?: boolean | null }>): Promise<void>;
  /** Makes a tag permanently read-only. Needs `lock`. */
  writeLock(options?: CommandOptions): Promise<void>;
  /**
   * Authenticates to a tag with its password. Needs `raw`.
   * The authentication lasts until the tag leaves the field, or until a raw command is sent to it. An ICODE SLIX2
   * answers nothing after a wrong password until it is reset, which the command does: then no password is in force.
   * @param password The password, 4 bytes for Type 2 and ICODE SLIX2; 16 bytes are the AES key (DataProtKey) of MIFARE
   * Ultralight AES.
   * @param options.kind Which password of an ICODE SLIX2; the default is `read` where reading needs one, else `write`.
   */
  authenticate(password: Bytes, options?: CommandOptions<{ "kind"?: "read" | "write" | "privacy" | "destroy" | "easAFI" | null }>): Promise<Methods["tag.authenticate"]["result"]["acknowledge"]>;
  /**
   * Cancels the commands to a tag that have not started.
   * Each of them is answered with error -32800.
   */
  cancelCommands(options?: CommandOptions): Promise<Methods["tag.cancelCommands"]["result"]["cancelled"]>;
  /** Returns the product, the memory and the lock state of a tag, as far as the tag reports them. Needs `read`. */
  describe(options?: CommandOptions): Promise<Methods["tag.describe"]["result"]>;
  /**
   * Reads all readable memory of a tag. Needs `read`.
   * @param options.onProgress Is called with what is done and the total.
   */
  dump(options?: CommandOptions<{ onProgress?: CallOptions["onProgress"] }>): Promise<Methods["tag.dump"]["result"]>;
  /**
   * Replaces blocks of a tag's memory that hold data, and verifies them. Needs `write`.
   * Supported by Type 2 Tags whose product is recognized (the user pages from page 4 on) and by Type 5 Tags (all
   * blocks). Lock bits, one-time bits, configuration and keys are never written. Blocks that have their content
   * already are left. Content of a known format, that of a spool or of an item of a library, is not overwritten unless
   * `overwrite` is true; what changes with the use of a spool, the remaining amount of a TigerTag, always may be.
   * Wherever it is interrupted, the tag holds the old message, none, or the new content.
   * @param blocks The pages or blocks, each once.
   * @param options.overwrite Whether content of a known format may be overwritten: a TigerTag, an OpenPrintTag, the
   * data of a maker of filament or a library; the default is false.
   * @param options.onProgress Is called with what is done and the total.
   */
  writeMemory(blocks: Array<{ "bytes": Bytes; "number": number }>, options?: CommandOptions<{ "overwrite"?: boolean | null; onProgress?: CallOptions["onProgress"] }>): Promise<Methods["tag.writeMemory"]["result"]["written"]>;
  /**
   * Protects a tag with a password, or changes its password. Needs `lock`.
   * Supported by NTAG21x and MIFARE Ultralight EV1, and by MIFARE Ultralight AES with an AES key instead of the
   * password, on a reader that sends raw commands; and by ICODE SLIX2, whose pages are blocks, on a reader that sends
   * ISO 15693 requests. Where the tag has a password already, give it first with `tag.authenticate`. The tag has to
   * accept the new password before it is in force; wherever the command is interrupted, the tag has the old password,
   * none, or the new one. A tag whose password is lost stays unchanged. An ICODE SLIX2 takes its read and its write
   * password for a change of what they protect; those that were not given are tried as delivered, 00000000, where no
   * page needs them.
   * @param password The new password, 4 bytes; 16 for the AES key of MIFARE Ultralight AES.
   * @param options.pack PACK, the 2 bytes with which the tag answers the right password; the default is 0000. A tag
   * with a key has none.
   * @param options.firstPage The first page that needs the password. The default is that of the password on the tag;
   * without one, 4, and 0 for ICODE SLIX2.
   * @param options.protects Whether the password is needed to write, or to read as well. The default is as it is on
   * the tag; without a password, to write.
   * @param options.attempts How many wrong passwords close the protected pages permanently, 1 to 7, of keys 1 to 1023;
   * 0 for no limit. The default is as it is on the tag.
   * @param options.endPage ICODE SLIX2: the first page that does not need the password, with `firstPage` 0. The
   * default is as it is on the tag; without a password, every page needs it.
   * @param options.kind ICODE SLIX2: which password. The default is `write`, and `read` where reading needs the
   * password as well.
   */
  setPassword(password: Bytes, options?: CommandOptions<{ "pack"?: Bytes | null; "firstPage"?: number | null; "protects"?: "write" | "readWrite" | null; "attempts"?: number | null; "endPage"?: number | null; "kind"?: "read" | "write" | "privacy" | "destroy" | "easAFI" | null }>): Promise<Methods["tag.setPassword"]["result"]>;
  /**
   * Removes the password of a tag. Needs `lock`.
   * Give the password first with `tag.authenticate`. Afterwards the tag has the password FFFFFFFF, or the key of
   * zeros, that it was delivered with, and no page needs it. Those of an ICODE SLIX2 that were given become 00000000.
   */
  removePassword(options?: CommandOptions): Promise<void>;
  /**
   * Changes settings of an NTAG21x or an ICODE SLIX2. Needs `lock`.
   * What is not given stays unchanged. An NTAG21x has the NFC counter and the ASCII mirror, an ICODE SLIX2 the
   * counter, AFI, EAS, permanent locks and privacy mode. The NTAG's counter and its mirror are supported by NTAG213,
   * 215 and 216, the mirror of the UID by NTAG210 and 212 too. The tag shows the mirror instead of the stored bytes
   * whenever it is read. Locks cannot be undone. In privacy mode no reader finds the tag: nfcd cannot see it any more,
   * and only a device that sends the privacy password without looking for a tag ends it.
   * @param options.counter Whether the tag counts the times it is read, and who can read the counter.
   * @param options.mirror What the tag shows instead of its memory.
   * @param options.mirrorPage The page in which the mirror begins; required with a mirror.
   * @param options.mirrorByte The byte of that page, 0 to 3; the default is 0.
   * @param options.counterValue ICODE SLIX2: the value to which the counter is set, 0 to 65535.
   * @param options.afi ICODE SLIX2: the application family identifier, 1 byte.
   * @param options.eas ICODE SLIX2: whether gates against theft notice the tag (EAS).
   * @param options.locks ICODE SLIX2: what is locked permanently.
   * @param options.privacy ICODE SLIX2: true turns privacy mode on, in which the tag shows no UID and readers do not
   * find it; nfcd cannot turn it off. Its password has to be given with `tag.authenticate` first.
   */
  configure(options?: CommandOptions<{ "counter"?: "off" | "on" | "password" | null; "mirror"?: "none" | "uid" | "counter" | "uidAndCounter" | null; "mirrorPage"?: number | null; "mirrorByte"?: number | null; "counterValue"?: number | null; "afi"?: Bytes | null; "eas"?: boolean | null; "locks"?: Array<"afi" | "eas" | "afiPassword" | "easPassword" | "protection" | "bothPasswords" | "readPassword" | "writePassword"> | null; "privacy"?: boolean | null }>): Promise<Methods["tag.configure"]["result"]>;
  /**
   * Makes a tag one of a profile, with keys by which it proves itself; changes or undoes that. Needs `personalise`.
   * The profiles and keys are those of nfcd's key file. The tag has to rest on the reader. Before the first change
   * nfcd stores a record, from which `resume` finishes a tag that left early: no interruption loses a key. It is
   * finished with any profile of the same keys. A tag with keys as delivered whose UID is that of one with other keys
   * may be an imitation, and is refused. No key is in a request or in an answer. A permanent setting needs the
   * capability `personalise-permanently` as well. Afterwards, the tag is as newly activated: select again what you
   * need.
   * @param task What is done.
   * @param options.profile The name of the profile; the default is the only one for tags of this product.
   * @param options.dryRun Whether nothing is changed: the tag is asked, and the steps are returned. The default is
   * false.
   * @param options.permanent What the tag gets permanently; the default is nothing.
   * @param options.overwriteMessage Whether a message that is on the tag may be lost; the default is false.
   * @param options.requireSignature Whether a tag without the right signature of its maker is refused; the default is
   * false.
   * @param options.identifier The UID, 7 bytes, of a tag that hides it.
   * @param options.credential What the protected file of a MIFARE DESFire says of its holder, at most 23 bytes; the
   * default is what is in it, or its UID.
   * @param options.keepCardKey Whether the master key of a MIFARE DESFire card is left alone; that of a card with
   * other applications always is. The default is false.
   * @param options.forgetRecord Whether `reset` has nfcd forget which keys it gave to a tag with this UID, although
   * this one has keys as delivered. Whoever holds an imitation of that tag could then have its keys written to it: ask
   * a person who knows that the tag was reset elsewhere. Without it, nfcd refuses such a tag. The default is false.
   * @param options.onProgress Is called with what is done and the total.
   */
  personalise(task: "setUp" | "rotate" | "reset" | "resume" | "verify", options?: CommandOptions<{ "profile"?: string | null; "dryRun"?: boolean | null; "permanent"?: Array<"randomIdentifier" | "tamper" | "lrp" | "lockKeys"> | null; "overwriteMessage"?: boolean | null; "requireSignature"?: boolean | null; "identifier"?: Bytes | null; "credential"?: Bytes | null; "keepCardKey"?: boolean | null; "forgetRecord"?: boolean | null; onProgress?: CallOptions["onProgress"] }>): Promise<Methods["tag.personalise"]["result"]>;
  /**
   * Returns how far a tag is one of a profile, as it claims. Nothing on the tag changes. Needs `personalise`.
   * No key of the profile is tried. A UID that was given for a tag that hides its own is not compared with the tag's;
   * `tag.personalise` with the task `verify` proves it.
   * @param options.profile The name of the profile; the default is the only one for tags of this product.
   * @param options.identifier The UID, 7 bytes, of a tag that hides it.
   */
  queryPersonalisation(options?: CommandOptions<{ "profile"?: string | null; "identifier"?: Bytes | null }>): Promise<Methods["tag.queryPersonalisation"]["result"]>;
  /** The commands of the group `iso7816`. */
  readonly iso7816: Iso7816Commands;
  /** The commands of the group `miFare`. */
  readonly miFare: MiFareCommands;
  /** The commands of the group `feliCa`. */
  readonly feliCa: FeliCaCommands;
  /** The commands of the group `iso15693`. */
  readonly iso15693: Iso15693Commands;
  /** The commands of the group `miFareClassic`. */
  readonly miFareClassic: MiFareClassicCommands;
}
