"use strict";
// Tables about records that need no reader. Each function returns what is wrong, an empty list at best.
const buffer = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16)).buffer;
const hex = (data) => data && [...new Uint8Array(data.buffer, data.byteOffset, data.byteLength)]
  .map((byte) => byte.toString(16).padStart(2, "0")).join("");
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

function thrown(action) {
  try {
    return { value: action() };
  } catch (error) {
    return { error: error.name };
  }
}

// MARK: Vectors

/** The argument that a row describes. */
function argument(init) {
  if (init === "$undefined") return undefined;
  if (Array.isArray(init)) return init.map(argument);
  if (init === null || typeof init !== "object") return init;
  if ("$buffer" in init) return buffer(init.$buffer);
  if ("$view" in init) return new Uint8Array(buffer(`ff${init.$view}`), 1);
  return Object.fromEntries(Object.entries(init).map(([key, value]) => [key, argument(value)]));
}

const external = (data) => ({ recordType: "example.com:x", data });

/** A message with so many messages inside each other. */
function nested(depth) {
  let init = { records: [external(new ArrayBuffer(1))] };
  for (let i = 1; i < depth; i++) init = { records: [external(init)] };
  return init;
}

function cyclic() {
  const init = { records: [] };
  init.records.push(external(init));
  return init;
}

function construct(row) {
  if (row.construct === "NDEFRecord") return new NDEFRecord(argument(row.init));
  if (row.construct === "NDEFMessage") {
    const init = { "nest(32 external)+outer": nested(33), "nest(31 external)+outer": nested(32), cycle: cyclic() }[row.init];
    return new NDEFMessage(init);
  }
  throw new Error(`unknown construct ${row.construct}`);
}

const attributes = {
  data: (record, wanted) => hex(record.data) === wanted,
  data_utf8: (record, wanted) => new TextDecoder().decode(record.data) === wanted,
  data_decoded: (record, wanted) => new TextDecoder(record.encoding).decode(record.data) === wanted,
  toRecords: (record, wanted) => (wanted === "throws NotSupportedError"
    ? thrown(() => record.toRecords()).error === "NotSupportedError"
    : wanted === null ? record.toRecords() === null
    : record.toRecords().every((inner, i) => Object.keys(wanted[i]).every((key) => check(inner, key, wanted[i][key])))),
  toRecords_types: (record, wanted) => same(record.toRecords().map(({ recordType }) => recordType), wanted),
  depth: (record, wanted) => {
    let inner = record;
    for (let i = 0; i < wanted; i++) [inner] = inner.toRecords();
    return inner.recordType === "text";
  },
};

const check = (record, key, wanted) =>
  (attributes[key] ? attributes[key](record, wanted) : record[key] === wanted);

async function vectors(rows) {
  const failures = [];
  for (const row of rows) {
    document.documentElement.lang = /lang="(\w+)"/.exec(row.precondition ?? "")?.[1] ?? "en";
    // Without a permission a message that is valid fails with NotAllowedError, and one that is not with its own error before.
    const found = row.construct === "write"
      ? { error: await new NDEFReader().write(argument(row.init), { signal: AbortSignal.timeout(0) }).then(() => null, ({ name }) => name) }
      : thrown(() => construct(row));
    if (row.expect === "throws") {
      if (found.error !== row.error) failures.push([row.name, found.error ?? "ok", row.error]);
    } else if (row.construct === "write") {
      if (!["NotAllowedError", "TimeoutError", null].includes(found.error)) failures.push([row.name, found.error, "ok"]);
    } else if (found.error) {
      failures.push([row.name, found.error, "ok"]);
    } else {
      for (const [key, wanted] of Object.entries(row.attrs ?? {}))
        if (!check(found.value, key, wanted)) failures.push([row.name, key, wanted]);
      // A record inside a message inside a record shows the bytes of the message for the tag.
      if (row.construct === "NDEFRecord" && row.derived_ndef_hex && row.init.recordType !== "text") {
        const outer = new NDEFRecord(external({ records: [argument(row.init)] }));
        if (hex(outer.data) !== row.derived_ndef_hex) failures.push([row.name, hex(outer.data), row.derived_ndef_hex]);
      }
    }
  }
  return failures;
}

// MARK: The table of this project

const text = (data, more) => ({ recordType: "text", data, ...more });
const inside = (init) => hex(new NDEFRecord(external({ records: [init] })).data);

/** What a constructor gives or throws, and what is wanted: a name of an error, or a value. */
const table = [
  ["a URL is abbreviated by the first prefix of the table", () => inside({ recordType: "url", data: "https://www.example.com/" }), "d1010d5502" + "6578616d706c652e636f6d2f"],
  ["urn:epc:id: gets the code of urn:", () => inside({ recordType: "url", data: "urn:epc:id:1" }).slice(6, 10), "5513"],
  ["a URL without a prefix gets 00", () => inside({ recordType: "url", data: "data:,x" }), "d1010855" + "00" + "646174613a2c78"],
  ["a URL keeps its text in data and is serialized for the tag", () => {
    const record = new NDEFRecord({ recordType: "url", data: "HTTPS://EXAMPLE.com" });
    return [new TextDecoder().decode(record.data), inside({ recordType: "url", data: "HTTPS://EXAMPLE.com" }).slice(-24)];
  }, ["HTTPS://EXAMPLE.com", "6578616d706c652e636f6d2f"]],
  ["a media type is serialized with its parameters", () =>
    new NDEFRecord({ recordType: "mime", mediaType: " Text/PLAIN ; Charset=\"utf-8\"", data: buffer("41") }).mediaType, "text/plain;charset=utf-8"],
  ["a media type that does not parse is application/octet-stream", () =>
    new NDEFRecord({ recordType: "mime", mediaType: "text", data: buffer("") }).mediaType, "application/octet-stream"],
  ["a media type that is absent likewise", () => new NDEFRecord({ recordType: "mime", data: buffer("") }).mediaType, "application/octet-stream"],
  ["a long payload has four bytes of length", () => inside({ recordType: "unknown", data: new ArrayBuffer(256) }).slice(0, 14), "c5000000010000"],
  ["a language tag of 63 is taken", () => new NDEFRecord(text("x", { lang: "a".repeat(63) })).lang.length, 63],
  ["one of 64 is a SyntaxError", () => new NDEFRecord(text("x", { lang: "a".repeat(64) })), "SyntaxError"],
  ["lone surrogates are replaced", () => hex(new NDEFRecord(text("\ud800")).data), "efbfbd"],
  ["data is a new view of a new buffer each time", () => {
    const record = new NDEFRecord(text("abc"));
    record.data.setUint8(0, 0);
    return [hex(record.data), record.data === record.data];
  }, ["616263", false]],
  ["the bytes of a page's buffer are copied", () => {
    const bytes = new Uint8Array([1, 2]);
    const record = new NDEFRecord({ recordType: "unknown", data: bytes });
    bytes[0] = 9;
    return hex(record.data);
  }, "0102"],
  ["members are read once, in the order of their names", () => {
    const order = [];
    const init = new Proxy(text("x"), { get: (target, key) => (order.push(key), target[key]) });
    new NDEFRecord(init);
    return order;
  }, ["data", "encoding", "id", "lang", "mediaType", "recordType"]],
  ["any iterable is a sequence of records", () =>
    new NDEFMessage({ records: new Set([text("a"), text("b")]) }).records.length, 2],
  ["an object that is not iterable is refused", () => new NDEFMessage({ records: {} }), "TypeError"],
  ["a string is not an NDEFMessageInit", () => new NDEFMessage("x"), "TypeError"],
  ["an id of 256 bytes does not fit in a record", () => new NDEFRecord(text("x", { id: "i".repeat(256) })), "TypeError"],
  ["a smart poster has one URL, and it goes first", () => {
    const poster = new NDEFRecord({ recordType: "smart-poster", data: { records: [text("t"), { recordType: "url", data: "https://a.b/" }] } });
    return poster.toRecords().map(({ recordType }) => recordType);
  }, ["url", "text"]],
  ["absolute-url is not for a smart poster", () => new NDEFRecord({ recordType: "smart-poster", data: {
    records: [{ recordType: "url", data: "https://a.b/" }, { recordType: "absolute-url", data: "https://a.b/" }] } }), "TypeError"],
  ["a local type begins with a lower-case letter or a digit", () => inside({ recordType: ":Xyz", data: buffer("") }), "TypeError"],
  ["an international domain is written in ASCII", () => inside({ recordType: "exämple.com:x", data: buffer("") }).slice(6, 14), "786e2d2d"],
  ["bytes that are not a message have no records", () => new NDEFRecord(external(buffer("ff0101"))).toRecords(), null],
  ["toRecords gives records that can nest again", () => new NDEFRecord(external({ records: [external({ records: [text("x")] })] }))
    .toRecords()[0].toRecords()[0].recordType, "text"],
  ["chunks are put together", () => {
    const chunked = "b5000141" + "36000142" + "56000143";
    return new NDEFRecord(external(buffer(chunked))).toRecords().map(({ recordType, data }) => [recordType, hex(data)]);
  }, [["unknown", "414243"]]],
  ["an event needs two arguments", () => new NDEFReadingEvent("reading"), "TypeError"],
  ["an event needs a message", () => new NDEFReadingEvent("reading", {}), "TypeError"],
  ["serialNumber is empty where it is absent or null", () => [undefined, null, "a:b"].map((serialNumber) =>
    new NDEFReadingEvent("reading", { serialNumber, message: { records: [text("x")] } }).serialNumber), ["", "", "a:b"]],
  ["an event is an Event of its type", () => {
    const event = new NDEFReadingEvent("mine", { bubbles: true, message: { records: [text("x")] } });
    return [event instanceof Event, event.type, event.bubbles, event.message.records[0].lang];
  }, [true, "mine", true, "en"]],
  ["32 levels of messages are taken", () => new NDEFMessage(nested(32)).records.length, 1],
  ["33 are not", () => new NDEFMessage(nested(33)), "TypeError"],
  ["a shared buffer is refused", () => (globalThis.SharedArrayBuffer
    ? new NDEFRecord({ recordType: "unknown", data: new SharedArrayBuffer(1) })
    : new NDEFRecord({ recordType: "unknown", data: {} })), "TypeError"],
  ["methods do not construct their content", () => new NDEFRecord(text("x"), Symbol("content")).recordType, "text"],
];

function results() {
  const failures = [];
  for (const [name, action, wanted] of table) {
    const { value, error } = thrown(action);
    if (!same(error ?? value, wanted)) failures.push([name, error ?? value, wanted]);
  }
  return failures;
}
