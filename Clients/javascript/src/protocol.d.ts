// Made from rpc.discover by tools/generate.mjs.

/** Bytes, or their hexadecimal digits. */
export type Bytes = string | Uint8Array;

/** A record; decoded where nfcd knows its type. Bytes are hexadecimal. The kinds are in Docs/ndef.md. */
export interface NDEFRecord {
  typeNameFormat: string;
  type: string;
  identifier: string;
  payload: string;
  decoded?: DecodedPayload;
  decodeError?: { code: string; message: string };
}
export type DecodedPayload = { kind: string; [field: string]: any };
export interface NDEFMessage {
  records: NDEFRecord[];
}

/** A record for writing: raw, or by what it says. */
export type WritableRecord = {
  typeNameFormat?: string;
  type?: Bytes;
  identifier?: Bytes;
  payload?: Bytes;
  decoded?: DecodedPayload;
};
/** A message for writing. */
export type WritableMessage = { records: WritableRecord[] } | { encoded: Bytes };

/** The methods of nfcd: what each takes and returns. Bytes in results are hexadecimal. */
export interface Methods {
  /** Returns what the daemon is, its limits, its methods and what the caller may do. */
  "server.info": { params: Record<string, unknown>; result: { "entitlements": { "capabilities": Array<string>; "feliCaSystemCodes": Array<string>; "formats": Array<string>; "grants"?: Array<{ "capabilities": Array<string>; "feliCaSystemCodes": Array<string>; "formats": Array<string>; "iso7816SelectIdentifiers": Array<string>; "readers": Array<string>; "sessionTimeout"?: number | null }> | null; "iso7816SelectIdentifiers": Array<string>; "readers": Array<string> }; "journal"?: "disabled" | "ready" | "full" | "failed" | null; "limits": { "connectionsPerUser"?: number | null; "lineLength": number; "listLength"?: number | null; "memoryPerUser"?: number | null; "outboundLimit"?: number | null; "requestsPerBatch"?: number | null; "sessionTimeout": number; "sessionsPerClient": number; "textLength"?: number | null }; "methods": Array<string>; "name": string; "protocolVersion": number; "readerService"?: "starting" | "available" | "unavailable" | null; "readerServiceDetail"?: string | null; "readingAvailable": boolean; "version": string } };
  /** Lists the readers and what each is doing, in the order in which they were plugged in. */
  "readers.list": { params: Record<string, unknown>; result: Array<{ "blocked"?: string | null; "failure"?: string | null; "name": string; "profile": string; "reader": string; "serial"?: string | null; "state": "empty" | "present" | "inUse" | "failed"; "technologies": Array<string> }> };
  /** Returns this interface as an OpenRPC document. */
  "rpc.discover": { params: Record<string, unknown>; result: { "info": Record<string, unknown>; "methods": Array<unknown>; "openrpc": string } };
  /** Requests a reader session. */
  "session.begin": { params: { "kind": "ndef" | "tag"; "detection"?: "messages" | "tags" | null; "pollingOption"?: Array<"iso14443" | "iso15693" | "iso18092" | "pace"> | null; "iso7816SelectIdentifiers"?: Array<Bytes> | null; "feliCaSystemCodes"?: Array<Bytes> | null; "defaultSelection"?: boolean | null; "invalidateAfterFirstRead"?: boolean | null; "alertMessage"?: string | null; "readers"?: Array<string> | null; "whenBusy"?: "fail" | "queue" | null; "waitForReader"?: boolean | null; "timeout"?: number | null; "queueTimeout"?: number | null; "yields"?: boolean | null }; result: { "session": string } };
  /** Connects to a detected tag, which then accepts commands. */
  "session.connect": { params: { "session": string; "tag": string }; result: Record<string, unknown> };
  /** Detects the tags in the field again. */
  "session.restartPolling": { params: { "session": string; "pollingOption"?: Array<"iso14443" | "iso15693" | "iso18092" | "pace"> | null; "iso7816SelectIdentifiers"?: Array<Bytes> | null; "feliCaSystemCodes"?: Array<Bytes> | null }; result: Record<string, unknown> };
  /** Changes the text that is shown for the session. */
  "session.setAlertMessage": { params: { "session": string; "message": string }; result: Record<string, unknown> };
  /** Changes whether the session yields its readers to other clients. */
  "session.setYielding": { params: { "session": string; "yields": boolean }; result: Record<string, unknown> };
  /** Ends the session, with 200. */
  "session.invalidate": { params: { "session": string; "errorMessage"?: string | null }; result: Record<string, unknown> };
  /** Returns whether a tag holds NDEF, and how much fits. */
  "tag.queryNDEFStatus": { params: { "session": string; "tag": string }; result: { "capacity": number; "formattable"?: boolean | null; "obstacle"?: string | null; "overwrites"?: string | null; "reason"?: string | null; "status": "notSupported" | "readWrite" | "readOnly" } };
  /** Reads the message on a tag. */
  "tag.readNDEF": { params: { "session": string; "tag": string }; result: { "capacity": number; "message": NDEFMessage; "status": "notSupported" | "readWrite" | "readOnly" } };
  /** Writes a message to a tag and replaces the one on it. */
  "tag.writeNDEF": { params: { "session": string; "tag": string; "message": WritableMessage; "verify"?: boolean | null; "progress"?: boolean | null }; result: Record<string, unknown> };
  /** Formats a tag without NDEF, so that it holds an empty message. */
  "tag.format": { params: { "session": string; "tag": string; "overwrite"?: boolean | null }; result: Record<string, unknown> };
  /** Makes a tag permanently read-only. */
  "tag.writeLock": { params: { "session": string; "tag": string }; result: Record<string, unknown> };
  /** Authenticates to a tag with its password. */
  "tag.authenticate": { params: { "session": string; "tag": string; "password": Bytes }; result: { "acknowledge": string } };
  /** Cancels the commands to a tag that have not started. */
  "tag.cancelCommands": { params: { "session": string; "tag": string }; result: { "cancelled": number } };
  /** Returns the product, the memory and the lock state of a tag, as far as the tag reports them. */
  "tag.describe": { params: { "session": string; "tag": string }; result: { "blockSize": number; "fields": Array<{ "label": string; "value": string }>; "lockState": "unlocked" | "partlyLocked" | "locked" | "passwordProtected" | "unknown"; "manufacturer"?: string | null; "memorySize"?: number | null; "originality"?: "genuine" | "notGenuine" | "unknown" | null; "product"?: string | null } };
  /** Reads all readable memory of a tag. */
  "tag.dump": { params: { "session": string; "tag": string; "progress"?: boolean | null }; result: { "blockSize": number; "facts": { "afi"?: number | null; "counters"?: Record<string, number> | null; "dsfid"?: number | null; "icReference"?: number | null; "lockedBlocks"?: Array<number> | null; "manufactureParameter"?: string | null; "signature"?: string | null; "version"?: string | null }; "layout": "type1" | "type2" | "type3" | "type4" | "type5" | "mifareClassic"; "product"?: string | null; "sections": Array<{ "blocks": Array<{ "bytes"?: string | null; "meaning"?: string | null; "number": number }>; "name"?: string | null }> } };
  /** Replaces blocks of a tag's memory that hold data, and verifies them. */
  "tag.writeMemory": { params: { "session": string; "tag": string; "blocks": Array<{ "bytes": Bytes; "number": number }>; "progress"?: boolean | null }; result: { "written": number } };
  /** Protects a tag with a password, or changes its password. */
  "tag.setPassword": { params: { "session": string; "tag": string; "password": Bytes; "pack"?: Bytes | null; "firstPage"?: number | null; "protects"?: "write" | "readWrite" | null; "attempts"?: number | null }; result: { "attempts": number; "firstPage": number; "protects": "write" | "readWrite" } };
  /** Removes the password of a tag. */
  "tag.removePassword": { params: { "session": string; "tag": string }; result: Record<string, unknown> };
  /** Changes the NFC counter and the ASCII mirror of an NTAG21x. */
  "tag.configure": { params: { "session": string; "tag": string; "counter"?: "off" | "on" | "password" | null; "mirror"?: "none" | "uid" | "counter" | "uidAndCounter" | null; "mirrorPage"?: number | null; "mirrorByte"?: number | null }; result: { "counter"?: "off" | "on" | "password" | null; "mirror": "none" | "uid" | "counter" | "uidAndCounter"; "mirrorByte"?: number | null; "mirrorPage"?: number | null } };
  /** Sends a command APDU. */
  "iso7816.sendCommand": { params: { "session": string; "tag": string; "apdu": Bytes; "timeout"?: number | null }; result: { "data": string; "sw1": number; "sw2": number } };
  /** Sends a command of a MIFARE tag's own command set. */
  "miFare.sendCommand": { params: { "session": string; "tag": string; "command": Bytes; "timeout"?: number | null }; result: { "data": string } };
  /** Sends a command APDU to a MIFARE tag. */
  "miFare.sendISO7816Command": { params: { "session": string; "tag": string; "apdu": Bytes; "timeout"?: number | null }; result: { "data": string; "sw1": number; "sw2": number } };
  /** Sends a FeliCa command. */
  "feliCa.sendCommand": { params: { "session": string; "tag": string; "packet": Bytes; "timeout"?: number | null }; result: { "data": string } };
  /** Sends a request of ISO/IEC 15693. */
  "iso15693.sendRequest": { params: { "session": string; "tag": string; "requestFlags": number; "commandCode": number; "data"?: Bytes | null; "timeout"?: number | null }; result: { "data": string; "responseFlag": number } };
  /** Authenticates to the sector of a block with one of its keys. */
  "miFareClassic.authenticate": { params: { "session": string; "tag": string; "block": number; "keyType": "a" | "b"; "key": Bytes }; result: Record<string, unknown> };
  /** Reads a block of the authenticated sector. */
  "miFareClassic.readBlock": { params: { "session": string; "tag": string; "block": number }; result: { "data": string } };
  /** Writes a block of the authenticated sector. */
  "miFareClassic.writeBlock": { params: { "session": string; "tag": string; "block": number; "data": Bytes; "allowTrailer"?: boolean | null }; result: Record<string, unknown> };
  /** Increases the value in a value block of the authenticated sector. */
  "miFareClassic.increment": { params: { "session": string; "tag": string; "block": number; "amount": number }; result: Record<string, unknown> };
  /** Decreases the value in a value block of the authenticated sector. */
  "miFareClassic.decrement": { params: { "session": string; "tag": string; "block": number; "amount": number }; result: Record<string, unknown> };
  /** Copies a value block of the authenticated sector to another block of the sector. */
  "miFareClassic.restore": { params: { "session": string; "tag": string; "block": number; "destination": number }; result: Record<string, unknown> };
  /** Subscribes to taps on readers that no session holds. */
  "background.subscribe": { params: { "filter"?: { "externalType"?: string | null; "identifier"?: Bytes | null; "kind"?: string | null; "mimeType"?: string | null; "reader"?: string | null; "uriHost"?: string | null; "uriPrefix"?: string | null; "uriSchemes"?: Array<string> | null } | { "externalType"?: string | null; "identifier"?: Bytes | null; "kind"?: string | null; "mimeType"?: string | null; "reader"?: string | null; "uriHost"?: string | null; "uriPrefix"?: string | null; "uriSchemes"?: Array<string> | null }; "removals"?: boolean | null }; result: { "subscription": string } };
  /** Ends a subscription to taps. */
  "background.unsubscribe": { params: { "subscription": string }; result: Record<string, unknown> };
  /** Subscribes to the taps of the journal, in order. */
  "taps.subscribe": { params: { "consumer"?: string | null; "after"?: number | "new" | null }; result: { "after": number; "epoch": string; "newest": number; "subscription": string } };
  /** Ends a subscription of `taps.subscribe`. The consumer keeps its place. */
  "taps.unsubscribe": { params: { "subscription": string }; result: Record<string, unknown> };
  /** Acknowledges every tap up to a sequence number. */
  "taps.acknowledge": { params: { "subscription"?: string | null; "consumer"?: string | null; "sequence"?: number | null }; result: { "acknowledged": number; "epoch": string } };
  /** Lists taps of the journal: those after a sequence number in order, or the newest first. */
  "taps.list": { params: { "after"?: number | null; "readers"?: Array<string> | null; "limit"?: number | null; "newestFirst"?: boolean | null }; result: { "epoch": string; "hasMore": boolean; "taps": Array<{ "bootID": string; "bootTime": number; "capacity"?: number | null; "clock": "synchronised" | "unsynchronised"; "epoch": string; "error"?: { "code": number; "detail": string; "message": string; "name": string } | { "code": number; "detail": string; "message": string; "name": string }; "id": string; "message"?: NDEFMessage | null; "reader": string; "readerName": string; "readerSequence": number; "sequence": number; "session"?: string | null; "status"?: "notSupported" | "readWrite" | "readOnly" | null; "tag": { "identifier": string; "identifierForm"?: "plain" | "hashed" | "omitted" | null; "technology"?: string | null; "type": "iso7816" | "miFare" | "feliCa" | "iso15693" | "unknown" }; "text"?: string | null; "time": string; "uri"?: string | null }> } };
  /** Returns the state of the journal and its consumers. */
  "taps.status": { params: Record<string, unknown>; result: { "byteLimit": number; "bytes": number; "consumers": Array<{ "acknowledged": number; "backlog": number; "lost"?: number | null; "name": string; "oldest"?: string | null; "uid": number }>; "dropped": number; "epoch": string; "movedAside": number; "newest": number; "oldest": number; "reason"?: string | null; "state": "disabled" | "ready" | "full" | "failed"; "tapLimit": number; "taps": number } };
  /** Removes a consumer that is gone permanently, so that the journal no longer keeps taps for it. */
  "taps.removeConsumer": { params: { "consumer": string }; result: Record<string, unknown> };
  /** Deletes the oldest taps of the journal. */
  "taps.prune": { params: { "through": number; "includeUndelivered"?: boolean | null }; result: { "removed": number } };
  /** Subscribes to events of readers, tags and the sessions of all clients. */
  "events.subscribe": { params: Record<string, unknown>; result: Record<string, unknown> };
  /** Lists sessions: the active ones first, then the waiting ones in their order. */
  "sessions.list": { params: { "offset"?: number | null }; result: Array<{ "alertMessage": string; "client": { "pid": number; "uid": number }; "kind": "ndef" | "tag"; "readers": Array<string>; "remaining"?: number | null; "session": string; "since": string; "state": "queued" | "active" }> };
  /** Ends a session of any client, with 200. */
  "sessions.cancel": { params: { "session": string; "errorMessage"?: string | null }; result: Record<string, unknown> };
  /** Shows at a reader which one it is, by its light and sound. */
  "readers.identify": { params: { "reader"?: string | null }; result: { "readers": Array<string> } };
  /** Returns counters and durations since the start of the daemon, in the text format of Prometheus. */
  "server.metrics": { params: Record<string, unknown>; result: { "text": string } };
  /** Shows a text to people who monitor nfcd, such as a request for a card. */
  "notices.show": { params: { "text": string }; result: { "notice": string } };
  /** Hides a notice of the client. Has no effect on one that is not shown. */
  "notices.hide": { params: { "notice": string }; result: Record<string, unknown> };
  /** Puts a virtual tag on a simulated reader. */
  "simulator.present": { params: { "reader"?: string | null; "model"?: string | null; "identifier"?: Bytes | null; "ndef"?: Bytes | null; "dump"?: string | null; "removedAtCommand"?: number | null }; result: { "identifier": string; "presentation": string; "reader": string } };
  /** Takes a virtual tag of the caller off its reader. */
  "simulator.remove": { params: { "presentation": string }; result: Record<string, unknown> };
  /** Lists the virtual tags on simulated readers, in the order of the readers. */
  "simulator.list": { params: Record<string, unknown>; result: Array<{ "presentation": string; "reader": string }> };
  /** Unplugs a simulated reader, or plugs it in again. */
  "simulator.plug": { params: { "reader": string; "connected": boolean }; result: Record<string, unknown> };
}
