"use strict";
// Bytes as hexadecimal digits, and NDEF messages as bytes (NFC Forum NDEF 1.0, §3). Records are what nfcd calls raw ones:
// { format, type, id, payload }, with the bytes of the three fields and the type name format as a number.
{
  const { platform } = nfcdWebNFC;
  const flags = { begin: 0x80, end: 0x40, chunk: 0x20, short: 0x10, id: 0x08, format: 0x07 };

  /** The type name formats, by their numbers, as nfcd names them. */
  const formats = ["empty", "nfcWellKnown", "media", "absoluteURI", "nfcExternal", "unknown", "unchanged"];

  function concatenated(parts) {
    const all = new platform.Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let offset = 0;
    for (const part of parts) {
      all.set(part, offset);
      offset += part.length;
    }
    return all;
  }

  function encodeRecord({ format, type, id, payload }, index, count) {
    const isShort = payload.length < 256;
    const head = (index === 0 ? flags.begin : 0) | (index === count - 1 ? flags.end : 0) | (isShort ? flags.short : 0);
    const length = isShort ? [payload.length] : [24, 16, 8, 0].map((bits) => (payload.length >>> bits) & 0xff);
    const idLength = id.length ? [id.length] : [];
    const header = [head | (id.length ? flags.id : 0) | format, type.length, ...length, ...idLength];
    return concatenated([platform.Uint8Array.from(header), type, id, payload]);
  }

  /** Takes one record from the bytes at an offset; null where they are none. */
  function decodeRecord(bytes, offset) {
    const head = bytes[offset];
    const lengthSize = head & flags.short ? 1 : 4;
    let next = offset + 2 + lengthSize + (head & flags.id ? 1 : 0);
    if (next > bytes.length) return null;
    let length = 0;
    for (let i = 0; i < lengthSize; i++) length = length * 256 + bytes[offset + 2 + i];
    const take = (count) => bytes.slice(next, (next += count));
    const type = take(bytes[offset + 1]);
    const id = take(head & flags.id ? bytes[offset + 2 + lengthSize] : 0);
    const payload = take(length);
    if (next > bytes.length) return null;
    return { head, next, record: { format: head & flags.format, type, id, payload } };
  }

  /** Whether the flags fit the place of the record in its message and the records before it. */
  function isInPlace({ head, record }, offset, chunks) {
    if (Boolean(head & flags.begin) !== (offset === 0)) return false;
    if (head & flags.chunk && head & flags.end) return false;
    const isUnchanged = record.format === 6;
    if (record.format === 7 || isUnchanged !== chunks.length > 0) return false;
    if (isUnchanged) return record.type.length === 0 && record.id.length === 0;
    const needsNoType = record.format === 0 || record.format === 5;
    if (needsNoType ? record.type.length > 0 : record.type.length === 0 && !isLenient(record)) return false;
    return record.format !== 0 || (record.payload.length === 0 && record.id.length === 0);
  }

  /** A well-known or media record without a type has no meaning, but is a record. */
  function isLenient(record) {
    return record.format === 1 || record.format === 2;
  }

  nfcdWebNFC.bytes = {
    formats,
    concatenated,

    hex(bytes) {
      let digits = "";
      for (const byte of bytes) digits += (byte < 16 ? "0" : "") + byte.toString(16);
      return digits;
    },

    /** The bytes of hexadecimal digits of even number. */
    fromHex(digits) {
      const bytes = new platform.Uint8Array(digits.length / 2);
      for (let i = 0; i < bytes.length; i++) bytes[i] = parseInt(digits.slice(2 * i, 2 * i + 2), 16);
      return bytes;
    },

    encodeMessage: (records) =>
      concatenated(records.map((record, index) => encodeRecord(record, index, records.length))),

    /** The records of a message, chunks put together; null where the bytes are no message. */
    decodeMessage(bytes) {
      const records = [];
      let chunks = [];
      for (let offset = 0; ; ) {
        const found = decodeRecord(bytes, offset);
        if (!found || !isInPlace(found, offset, chunks)) return null;
        chunks.push(found.record);
        if (!(found.head & flags.chunk)) {
          records.push({ ...chunks[0], payload: concatenated(chunks.map((chunk) => chunk.payload)) });
          chunks = [];
        }
        offset = found.next;
        if (found.head & flags.end) return offset === bytes.length ? records : null;
      }
    },
  };
}
