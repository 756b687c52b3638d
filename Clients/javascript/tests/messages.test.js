import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import * as nfcd from "../src/index.js";
import { recordsOf } from "../src/message.js";
import { firstURI } from "../src/tap.js";
import { Daemon, fakeDaemon } from "./support.js";

/** The encoding of a record (NFC Forum NDEF, 3.2). */
function encoded(flags, type, payload, identifier = "") {
  const [name, content, id] = [type, payload, identifier].map((one) => Buffer.from(one, "latin1"));
  const length = flags & 0x10 ? Buffer.from([content.length]) : Buffer.from([0, 0, content.length >> 8, content.length & 255]);
  const idLength = flags & 0x08 ? Buffer.from([id.length]) : Buffer.alloc(0);
  return Buffer.concat([Buffer.from([flags, name.length]), length, idLength, name, id, content]).toString("hex").toUpperCase();
}

const hex = (words) => Buffer.from(words, "latin1").toString("hex").toUpperCase();
const record = (typeNameFormat, type, payload, identifier = "") => ({ typeNameFormat, type: hex(type), identifier: hex(identifier), payload: hex(payload) });

describe("a message with all its bytes in one text", () => {
  const messages = [
    ["no record", "", []],
    ["an empty record", "D00000", [record("empty", "", "")]],
    ["a URI", encoded(0xd1, "U", "\x04example.com"), [record("nfcWellKnown", "U", "\x04example.com")]],
    ["a long record", encoded(0xc1, "U", `\x04${"x".repeat(300)}`), [record("nfcWellKnown", "U", `\x04${"x".repeat(300)}`)]],
    ["an identifier", encoded(0xda, "a/b", "1", "id"), [record("media", "a/b", "1", "id")]],
    ["every other format", [0x93, 0x14, 0x15, 0x57].map((flags) => encoded(flags, "t", "1")).join(""),
      ["absoluteURI", "nfcExternal", "unknown", "reserved"].map((format) => record(format, "t", "1"))],
    ["chunks", [encoded(0xb2, "a/b", "12"), encoded(0x36, "", "34"), encoded(0x56, "", "5")].join(""), [record("media", "a/b", "12345")]],
    ["lower case", "d00000", [record("empty", "", "")]],
  ];
  for (const [what, digits, records] of messages) {
    test(`${what} is read`, () => assert.deepEqual(recordsOf({ encoded: digits }), records));
  }

  const invalid = [
    ["digits that are not hexadecimal", "D0000x"], ["half a byte", "D0000"], ["a record that is cut off", "D101FF55"],
    ["a length that is cut off", "C101000000"], ["an identifier that is cut off", "DA01"], ["a chunk without its record", "560000"],
    ["a message without its last chunk", "B20000"], ["a record within chunks", "B20000510000"], ["a number", 7], ["nothing", undefined],
  ];
  for (const [what, digits] of invalid) {
    test(`${what} is an error of the protocol`, () => assert.throws(() => recordsOf({ encoded: digits }), nfcd.ProtocolError));
  }

  test("an object that is not a message is an error of the protocol", () => {
    for (const value of [undefined, null, 7, "x", [], {}, { records: 7 }]) assert.throws(() => recordsOf(value), nfcd.ProtocolError);
  });
});

describe("URI and text of records that come without their decoded form", () => {
  const cases = [
    ["a prefix code", encoded(0xd1, "U", "\x04example.com"), "https://example.com", undefined],
    ["the last prefix code", encoded(0xd1, "U", "\x23x"), "urn:nfc:x", undefined],
    ["a reserved prefix code", encoded(0xd1, "U", "\x24x:1"), "x:1", undefined],
    ["no payload", encoded(0xd1, "U", ""), undefined, undefined],
    ["UTF-8", encoded(0xd1, "T", "\x02deGr\xc3\xbc\xc3\x9fe"), undefined, "Grüße"],
    ["UTF-16", encoded(0xd1, "T", "\x82en\x00H\x20\xac"), undefined, "H€"],
    ["an empty text", encoded(0xd1, "T", "\x02en"), undefined, ""],
    ["a text without payload", encoded(0xd1, "T", ""), undefined, undefined],
    ["another format", encoded(0xd4, "U", "\x04x"), undefined, undefined],
  ];
  for (const [what, digits, uri, text] of cases) {
    test(`${what}: the tap has them`, () => {
      const tap = new nfcd.Tap({ messages: [{ encoded: digits }] });
      assert.deepEqual([firstURI(tap.records), tap.text], [uri, text]);
    });
  }

  test("the decoded form counts if there is one, and no payload is read for a record whose form is wrong", () => {
    const [decoded, wrong] = [{ decoded: { kind: "uri", uri: "x:1" } }, { decodeError: { code: "A", message: "" } }];
    const raw = record("nfcWellKnown", "U", "\x04a");
    assert.equal(firstURI([{ ...raw, ...wrong }, { ...raw, ...decoded }]), "x:1");
  });
});

describe("a tag with many records", () => {
  let daemon, client, session, lift;
  before(async () => {
    daemon = await new Daemon().start();
    client = new nfcd.Client({ socket: daemon.socket });
    session = await client.tagSession();
  });
  after(async () => {
    client.close();
    await daemon.close();
  });

  for (const count of [1_024, 1_025, 4_096, 4_097, 6_000]) {
    test(`${count} records are read, with their URI and text`, async () => {
      const rest = "100000".repeat(count - 3);
      const ndef = encoded(0x91, "U", "\x04example.com") + encoded(0x11, "T", "\x02enHello") + rest + "500000";
      lift = await client.virtualTag("type4-extended", { ndef });
      const { records, uri, text } = await (await session.next()).read();
      assert.deepEqual([records.length, uri, text], [count, "https://example.com", "Hello"]);
      await lift();
    });
  }
});

test("a tap of the journal with its message in one text has its records", () => {
  const tap = new nfcd.StoredTap({ tag: { identifier: "01" }, message: { encoded: "D00000" }, time: "2026-01-01T00:00:00.000Z" });
  assert.deepEqual(tap.records, [record("empty", "", "")]);
});

test("a message that cannot be read ends reading with an error of the protocol", async () => {
  const answers = { "session.begin": { session: "s" }, "session.connect": {}, "tag.readNDEF": { message: { encoded: "D1" }, capacity: 1, status: "readWrite" } };
  const daemon = await fakeDaemon((connection) => connection.on("data", (bytes) => {
    for (const line of bytes.toString().split("\n").filter(Boolean)) {
      const { id, method } = JSON.parse(line);
      connection.write(`${JSON.stringify({ id, result: answers[method] })}\n`);
      const found = { session: "s", tags: [{ tag: "t", type: "miFare", identifier: "", reader: "r" }] };
      if (method === "session.begin") connection.write(`${JSON.stringify({ method: "session.didDetectTags", params: found })}\n`);
    }
  }));
  const client = new nfcd.Client({ socket: daemon.socket });
  const tag = await (await client.tagSession()).next();
  await assert.rejects(tag.read(), nfcd.ProtocolError);
  client.close();
  daemon.close();
});
