"use strict";
// Bytes as hexadecimal digits, and NDEF messages as bytes (NFC Forum NDEF 1.0, §3). Records are what nfcd calls raw ones:
// { format, type, id, payload }, with the bytes of the three fields and the type name format as a number.
{
  const { platform } = nfcdWebNFC;
  const { append, bytesOf, concatenated, copy, mapped, sizeOf } = platform;
  const flags = { begin: 0x80, end: 0x40, chunk: 0x20, short: 0x10, id: 0x08, format: 0x07 };
  const digits = "0123456789abcdef";
  const digitValues = { __proto__: null };
  for (let value = 0; value < 16; value++) digitValues[digits[value]] = digitValues[digits[value].toUpperCase()] = value;

  /** The type name formats, by their numbers, as nfcd names them. */
  const formats = ["empty", "nfcWellKnown", "media", "absoluteURI", "nfcExternal", "unknown", "unchanged"];
  const formatNumbers = { __proto__: null };
  for (let number = 0; number < formats.length; number++) formatNumbers[formats[number]] = number;

  function encodeRecord({ format, type, id, payload }, index, count) {
    const length = sizeOf(payload);
    const isShort = length < 256;
    const hasID = sizeOf(id) > 0;
    const head = (index === 0 ? flags.begin : 0) | (index === count - 1 ? flags.end : 0) | (isShort ? flags.short : 0);
    const header = [head | (hasID ? flags.id : 0) | format, sizeOf(type)];
    for (let bits = isShort ? 0 : 24; bits >= 0; bits -= 8) append(header, (length >>> bits) & 0xff);
    if (hasID) append(header, sizeOf(id));
    return concatenated([bytesOf(header), type, id, payload]);
  }

  /** Takes one record from the bytes at an offset; null if there is none. */
  function decodeRecord(bytes, offset) {
    const end = sizeOf(bytes);
    const head = bytes[offset];
    const lengthSize = head & flags.short ? 1 : 4;
    const start = offset + 2 + lengthSize + (head & flags.id ? 1 : 0);
    if (start > end) return null;
    let length = 0;
    for (let i = 0; i < lengthSize; i++) length = length * 256 + bytes[offset + 2 + i];
    const idStart = start + bytes[offset + 1];
    const payloadStart = idStart + (head & flags.id ? bytes[offset + 2 + lengthSize] : 0);
    const next = payloadStart + length;
    if (next > end) return null;
    const type = copy(bytes, start, idStart);
    const id = copy(bytes, idStart, payloadStart);
    return { head, next, record: { format: head & flags.format, type, id, payload: copy(bytes, payloadStart, next) } };
  }

  /** Whether the flags fit the place of the record in its message and the records before it. */
  function isInPlace({ head, record }, offset, chunks) {
    const { format, type, id, payload } = record;
    if (!!(head & flags.begin) !== (offset === 0)) return false;
    if (head & flags.chunk && head & flags.end) return false;
    const isUnchanged = format === 6;
    if (format === 7 || isUnchanged !== chunks.length > 0) return false;
    if (isUnchanged) return sizeOf(type) === 0 && sizeOf(id) === 0;
    const needsNoType = format === 0 || format === 5;
    if (needsNoType ? sizeOf(type) > 0 : sizeOf(type) === 0 && !isLenient(record)) return false;
    return format !== 0 || (sizeOf(payload) === 0 && sizeOf(id) === 0);
  }

  /** A well-known or media record without a type has no meaning, but is a record. */
  function isLenient(record) {
    return record.format === 1 || record.format === 2;
  }

  nfcdWebNFC.bytes = {
    __proto__: null,
    formats,
    formatNumbers,

    hex(bytes) {
      let text = "";
      for (let i = 0; i < sizeOf(bytes); i++) text += digits[bytes[i] >> 4] + digits[bytes[i] & 0x0f];
      return text;
    },

    /** The bytes of hexadecimal digits of even number. */
    fromHex(text) {
      const bytes = new platform.Uint8Array(text.length / 2);
      for (let i = 0; i < text.length; i += 2) bytes[i / 2] = (digitValues[text[i]] << 4) | digitValues[text[i + 1]];
      return bytes;
    },

    encodeMessage: (records) =>
      concatenated(mapped(records, (record, index) => encodeRecord(record, index, records.length))),

    /** The records of a message, chunks put together; null where the bytes are not a message. */
    decodeMessage(bytes) {
      const records = [];
      let chunks = [];
      for (let offset = 0; ; ) {
        const found = decodeRecord(bytes, offset);
        if (!found || !isInPlace(found, offset, chunks)) return null;
        append(chunks, found.record);
        if (!(found.head & flags.chunk)) {
          append(records, { ...chunks[0], payload: concatenated(mapped(chunks, (chunk) => chunk.payload)) });
          chunks = [];
        }
        offset = found.next;
        if (found.head & flags.end) return offset === sizeOf(bytes) ? records : null;
      }
    },
  };
}
