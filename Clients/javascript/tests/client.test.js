import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import * as nfcd from "../src/index.js";
import { Daemon } from "./support.js";

describe("with simulated readers", () => {
  let daemon, client, person;
  before(async () => {
    daemon = await new Daemon().start();
    client = new nfcd.Client({ socket: daemon.socket });
    person = new nfcd.Client({ socket: daemon.socket });
  });
  after(async () => {
    for (const one of [client, person]) one.close();
    await daemon.close();
  });

  test("a read session delivers taps, and ends after the first with once", async () => {
    const session = await client.readSession({ once: true });
    const lift = await person.virtualTag("ntag215", { uri: "https://example.com/1" });
    const taps = [];
    for await (const tap of session) taps.push(tap);
    await lift();
    assert.deepEqual(taps.map(({ uri, identifier, type }) => [uri, identifier, type]), [
      ["https://example.com/1", "046E11044D5A80", "miFare"]]);
    assert.equal(session.end.code, 204);
  });

  test("a tag is written, read, described and lifted", async () => {
    const session = await client.tagSession();
    const lift = await person.virtualTag("ntag213");
    const tag = await session.next();
    const steps = [];
    await tag.write([nfcd.uri("https://example.com"), nfcd.text("Grüß Gott", "de"), nfcd.json({ door: 7 })], {
      verify: true, onProgress: (done, total) => steps.push([done, total]) });
    const { uri, text, records } = await tag.read();
    assert.deepEqual([uri, text, records.length], ["https://example.com", "Grüß Gott", 3]);
    assert.equal(Buffer.from(records[2].payload, "hex").toString(), '{"door":7}');
    assert.equal((await tag.describe()).product, "NTAG213");
    assert.ok(steps.length > 0 && steps.every(([done, total]) => done <= total));
    await tag.write([]);
    assert.deepEqual((await tag.read()).records, []);
    await lift();
    await tag.removed();
    await assert.rejects(tag.read(), (error) => error instanceof nfcd.NFCError && error.code === 100);
    await session.close();
    await session.close();
  });

  test("a lock makes a tag read-only, which the error says", async () => {
    const session = await client.tagSession();
    const lift = await person.virtualTag("ntag213", { uri: "x:1" });
    const tag = await session.next();
    await tag.writeLock();
    await assert.rejects(tag.write(nfcd.uri("x:2")), { code: 400, codeName: "TagNotWritable" });
    await lift();
    await session.close();
  });

  test("raw commands need a session of kind tag", async () => {
    const session = await client.tagSession({ kind: "tag" });
    const lift = await person.virtualTag("type4", { uri: "x:1" });
    const tag = await session.next();
    assert.equal((await tag.sendAPDU("00A4040007D276000085010100")).statusWord, "9000");
    await lift();
    await session.close();
  });

  test("a time limit, and a signal, end the wait for a tag", async () => {
    const session = await client.tagSession();
    await assert.rejects(session.next({ timeout: 10 }), nfcd.NoTag);
    await assert.rejects(session.next({ signal: AbortSignal.abort(new Error("enough")) }), /enough/);
    // A wait that was given up takes no tag.
    const lift = await person.virtualTag("ntag213", { uri: "x:1" });
    assert.equal((await (await session.next()).read()).uri, "x:1");
    await lift();
    await session.close();
  });

  test("a reader that is in use is an error with its holder", async () => {
    const first = await client.readSession();
    const second = await person.readSession();
    await assert.rejects(second.taps().next(), (error) => error instanceof nfcd.SessionEnded && error.code === 203);
    await first.close();
  });

  test("an invalid parameter is named", async () => {
    await assert.rejects(client.call("session.begin", { kind: "x" }), { code: -32602, path: "params.kind" });
  });

  test("the URI is that of the record that matched, with other schemes only where asked for", async () => {
    const uris = ["file:///etc/passwd", "tel:112", "https://other.example/", "https://kiosk.example/"];
    const rows = [
      [{ uriPrefix: "https://kiosk.example/" }, "https://kiosk.example/", 3],
      [{ uriHost: "kiosk.example" }, "https://kiosk.example/", 3],
      [{ uriPrefix: "tel:" }, "tel:112", 1],
      [{ kind: "uri" }, "https://other.example/", 2],
      [{ kind: "uri", uriSchemes: ["tel"] }, "tel:112", 1],
      [undefined, "https://other.example/", undefined],
    ];
    for (const [filter, uri, place] of rows) {
      const taps = client.background({ filter });
      const tap = await tapUntil(taps.next(), person, undefined, message(uris));
      assert.equal(tap.value.uri, uri);
      assert.equal(tap.value.record, place === undefined ? undefined : tap.value.records[place]);
      await taps.return();
    }
  });

  test("background taps continue after nfcd was restarted", async () => {
    const taps = client.background({ filter: { uriPrefix: "https://" } });
    const waiting = taps.next();
    // The subscription is made once the tap comes: it is repeated until then.
    const first = await tapUntil(waiting, person, "https://example.com/2");
    assert.equal(first.value.uri, "https://example.com/2");
    const next = taps.next();
    await daemon.stop();
    await daemon.start();
    const again = await tapUntil(next, person, "https://example.com/3");
    assert.equal(again.value.uri, "https://example.com/3");
    await taps.return();
  });
});

let tags = 1;

/** Puts tags on the reader until a promise is settled. */
async function tapUntil(promise, person, uri, ndef) {
  let isSettled = false;
  promise.finally(() => (isSettled = true)).catch(() => {});
  // Another tag each time: the journal does not take the same tag twice within a few seconds.
  for (; !isSettled; tags += 1) {
    try {
      const identifier = `04${tags.toString(16).padStart(12, "0")}`;
      const lift = await person.virtualTag("ntag215", { ...(ndef ? { ndef } : { uri }), identifier });
      await new Promise((resolve) => setTimeout(resolve, 50));
      await lift();
    } catch (error) {
      if (!(error instanceof nfcd.NFCDError)) throw error;
    }
  }
  return promise;
}

describe("with a journal", () => {
  test("taps come until they are acknowledged, also after a restart", async () => {
    const daemon = await new Daemon({ journal: true }).start();
    const client = new nfcd.Client({ socket: daemon.socket });
    const journal = client.journal("test");
    let taps = journal.taps();
    let first = taps.next();
    const tapped = await tapUntil(first, client, "https://example.com/1");
    await taps.return();
    await daemon.stop();
    await daemon.start();
    taps = journal.taps();
    const { value } = await taps.next();
    assert.deepEqual([value.id, value.uri], [tapped.value.id, "https://example.com/1"]);
    assert.ok(Math.abs(value.time - Date.now()) < 3_600_000);
    await journal.acknowledge(value);
    const next = await tapUntil(taps.next(), client, "https://example.com/2");
    assert.ok(next.value.sequence > value.sequence);
    await taps.return();
    client.close();
    await daemon.close();
  });
});

test("the socket is that of the environment, of the user, or of the system", () => {
  const exists = (known) => (path) => path === known;
  assert.equal(nfcd.defaultSocket({ NFCD_SOCKET: "/a" }, exists()), "/a");
  assert.equal(nfcd.defaultSocket({ XDG_RUNTIME_DIR: "/r" }, exists("/r/nfcd/nfcd.sock")), "/r/nfcd/nfcd.sock");
  assert.equal(nfcd.defaultSocket({ XDG_RUNTIME_DIR: "/r" }, exists()), "/run/nfcd/nfcd.sock");
});

test("without nfcd, the error says what to do", async () => {
  const client = new nfcd.Client({ socket: "/nonexistent/nfcd.sock" });
  await assert.rejects(client.info(), (error) => error instanceof nfcd.CannotConnect && /Start nfcd/.test(error.message));
});

/** An encoded message of URI records. */
function message(uris) {
  const records = uris.map((uri, index) => {
    const payload = [0, ...Buffer.from(uri)];
    const flags = 0x11 | (index === 0 ? 0x80 : 0) | (index === uris.length - 1 ? 0x40 : 0);
    return Buffer.from([flags, 1, payload.length, 0x55, ...payload]);
  });
  return Buffer.concat(records).toString("hex");
}
