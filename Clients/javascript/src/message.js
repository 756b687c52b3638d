// Messages as nfcd sends them: with `records`, or all bytes in `encoded` where the records would be too long for a line.
import { ProtocolError, isObject } from "./errors.js";
import { hexadecimal } from "./records.js";

/** The type name formats in the order of their numbers (NFC Forum NDEF, 3.2.6). */
const FORMATS = ["empty", "nfcWellKnown", "media", "absoluteURI", "nfcExternal", "unknown", "unchanged", "reserved"];

/** The prefixes that one byte stands for (NFC Forum URI Record Type Definition, table 3). */
const PREFIXES = [
  "", "http://www.", "https://www.", "http://", "https://", "tel:", "mailto:", "ftp://anonymous:anonymous@", "ftp://ftp.", "ftps://",
  "sftp://", "smb://", "nfs://", "ftp://", "dav://", "news:", "telnet://", "imap:", "rtsp://", "urn:", "pop:", "sip:", "sips:", "tftp:",
  "btspp://", "btl2cap://", "btgoep://", "tcpobex://", "irdaobex://", "file://", "urn:epc:id:", "urn:epc:tag:", "urn:epc:pat:",
  "urn:epc:raw:", "urn:epc:", "urn:nfc:",
];

/** The records of a message in either form. Throws ProtocolError. */
export function recordsOf(message) {
  if (Array.isArray(message?.records)) return message.records.filter(isObject);
  const digits = message?.encoded;
  if (typeof digits !== "string" || !/^([0-9a-f]{2})*$/i.test(digits)) throw invalid("it has neither records nor bytes");
  return decoded(Buffer.from(digits, "hex"));
}

/** The records of an encoded message (NFC Forum NDEF, 3). Chunks are put together. */
function decoded(bytes) {
  const records = [];
  let chunks = [];
  for (let position = 0; position < bytes.length; ) {
    const chunk = chunkAt(bytes, position);
    position = chunk.end;
    if (chunks.length > 0 !== (chunk.format === "unchanged")) throw invalid("a chunk without its record");
    chunks.push(chunk);
    if (chunk.isFollowed) continue;
    const [{ format, type, identifier }] = chunks;
    const payload = Buffer.concat(chunks.map((one) => one.payload));
    records.push({ typeNameFormat: format, type: hexadecimal(type), identifier: hexadecimal(identifier), payload: hexadecimal(payload) });
    chunks = [];
  }
  if (chunks.length > 0) throw invalid("the last chunk is missing");
  return records;
}

function chunkAt(bytes, start) {
  let end = start;
  const take = (count) => {
    if (end + count > bytes.length) throw invalid("it ends within a record");
    end += count;
    return bytes.subarray(end - count, end);
  };
  const number = (size) => (size > 0 ? take(size).readUIntBE(0, size) : 0);
  const flags = number(1);
  const typeLength = number(1);
  const payloadLength = number(flags & 0x10 ? 1 : 4);
  const identifierLength = number(flags & 0x08 ? 1 : 0);
  const [type, identifier, payload] = [typeLength, identifierLength, payloadLength].map(take);
  return { format: FORMATS[flags & 7], isFollowed: (flags & 0x20) !== 0, type, identifier, payload, end };
}

/** The URI of a record; undefined without one. */
export function uriOf(record) {
  if (typeof record.decoded?.uri === "string") return record.decoded.uri;
  const payload = wellKnownPayload(record, "55");
  return payload && (PREFIXES[payload[0]] ?? "") + payload.subarray(1).toString("utf8");
}

/** The text of a record; undefined without one. */
export function textOf(record) {
  if (record.decoded?.kind === "text") return record.decoded.text;
  const payload = wellKnownPayload(record, "54");
  const words = payload?.subarray(1 + (payload[0] & 0x3f));
  return words && (payload[0] & 0x80 ? new TextDecoder("utf-16be").decode(words) : words.toString("utf8"));
}

/** The payload of a record of a well-known type that came without its decoded form. */
function wellKnownPayload({ decoded, decodeError, typeNameFormat, type, payload }, wanted) {
  const isRaw = !decoded && !decodeError && typeNameFormat === "nfcWellKnown" && type === wanted && typeof payload === "string";
  return isRaw && payload ? Buffer.from(payload, "hex") : undefined;
}

function invalid(words) {
  return new ProtocolError(`nfcd sent a message that cannot be read: ${words}`);
}
