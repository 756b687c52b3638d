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

/** Puts a tag on the reader of a session of kind tag, and takes it away after the test. */
async function withTag(client, model, options, body) {
  const session = await client.tagSession({ kind: "tag" });
  const lift = await client.virtualTag(model, options);
  try {
    await body(await session.next());
  } finally {
    await lift();
    await session.close();
  }
}

describe("every command of a tag", () => {
  const daemons = {};
  const clients = {};
  before(async () => {
    for (const model of ["acr122u", "acr1552u"]) {
      daemons[model] = await new Daemon({ model }).start();
      clients[model] = new nfcd.Client({ socket: daemons[model].socket });
    }
  });
  after(async () => {
    for (const client of Object.values(clients)) client.close();
    for (const daemon of Object.values(daemons)) await daemon.close();
  });

  test("a password is set, given and removed", () =>
    withTag(clients.acr122u, "ntag215", { uri: "x:1" }, async (tag) => {
      const settings = await tag.setPassword(Buffer.from("C1D2E3F4", "hex"), { pack: "A1A2", protects: "readWrite" });
      assert.deepEqual([settings.firstPage, settings.protects], [4, "readWrite"]);
      assert.equal(await tag.authenticate("C1D2E3F4"), "A1A2");
      assert.equal(await tag.removePassword(), undefined);
      assert.equal(await tag.authenticate(new Uint8Array([255, 255, 255, 255])), "0000");
    }));

  test("a counter and a mirror are configured", () =>
    withTag(clients.acr122u, "ntag215", { uri: "https://example.com/00000000000000", identifier: "04112233445566" }, async (tag) => {
      const settings = await tag.configure({ counter: "on", mirror: "uid", mirrorPage: 10, mirrorByte: 3 });
      assert.deepEqual([settings.counter, settings.mirror, settings.mirrorPage], ["on", "uid", 10]);
      assert.equal((await tag.read()).uri, "https://example.com/04112233445566");
      assert.equal((await tag.status()).status, "readWrite");
      assert.deepEqual(await tag.status(), await tag.queryNDEFStatus());
    }));

  test("memory is written and dumped, with progress", () =>
    withTag(clients.acr122u, "ntag213", {}, async (tag) => {
      const steps = [];
      const onProgress = (done, total) => steps.push([done, total]);
      const blocks = [{ number: 8, bytes: new Uint8Array([1, 2, 3, 4]) }, { number: 9, bytes: "05060708" }];
      assert.equal(await tag.writeMemory(blocks, { onProgress }), 2);
      const written = steps.length;
      const [{ blocks: found }] = (await tag.dump({ onProgress })).sections;
      assert.deepEqual([found[8].bytes, found[9].bytes], ["01020304", "05060708"]);
      assert.ok(written > 0 && steps.length > written);
      assert.equal(await tag.writeMemory(blocks), 0);
      await assert.rejects(tag.describe({ signal: AbortSignal.abort(new Error("enough")) }), /enough/);
    }));

  test("a message is read and written in the form of the protocol", () =>
    withTag(clients.acr122u, "ntag213", {}, async (tag) => {
      const record = { typeNameFormat: "nfcExternal", type: Buffer.from("example.com:a"), payload: new Uint8Array([1, 255]) };
      assert.equal(await tag.writeNDEF({ records: [record] }, { verify: true }), undefined);
      const { message, status } = await tag.readNDEF();
      assert.deepEqual([message.records[0].payload, status], ["01FF", "readWrite"]);
      assert.equal(await tag.cancelCommands(), 0);
      assert.equal(await tag.format(), undefined);
      await tag.writeLock();
      assert.equal((await tag.describe()).lockState, "locked");
    }));

  test("raw commands are methods of their groups", async () => {
    const client = clients.acr1552u;
    await withTag(client, "ntag215", { identifier: "04112233445566" }, async (tag) => {
      assert.equal(await tag.miFare.sendCommand(new Uint8Array([0x60])), "0004040201001103");
      assert.equal((await tag.miFare.sendCommand("3000", { timeout: 5 })).slice(0, 6), "041122");
    });
    await withTag(client, "type4", {}, async (tag) => {
      assert.deepEqual(await tag.iso7816.sendCommand("00A4040007D276000085010100"), { data: "", sw1: 0x90, sw2: 0 });
    });
    await withTag(client, "slix", {}, async (tag) => {
      assert.equal((await tag.iso15693.sendRequest(2, 0x20, { data: "00" })).responseFlag, 0);
    });
    await withTag(client, "felica-lite-s", {}, async (tag) => {
      assert.equal((await tag.feliCa.sendCommand("00FFFF0000")).slice(0, 2), "01");
    });
  });

  test("the blocks of a MIFARE Classic are read, written and counted", () =>
    withTag(clients.acr1552u, "mifare-classic-1k", {}, async (tag) => {
      const { miFareClassic } = tag;
      const value = (number, block = 4) => {
        const digits = Buffer.from([number, 0, 0, 0, 255 - number, 255, 255, 255, number, 0, 0, 0, block, 255 - block, block, 255 - block]);
        return digits.toString("hex").toUpperCase();
      };
      assert.equal(await miFareClassic.authenticate(4, "a", "FFFFFFFFFFFF"), undefined);
      await miFareClassic.writeBlock(4, value(100));
      await miFareClassic.increment(4, 30);
      await miFareClassic.decrement(4, 1);
      await miFareClassic.restore(4, 5);
      assert.deepEqual([await miFareClassic.readBlock(4), await miFareClassic.readBlock(5)], [value(129), value(129)]);
      await assert.rejects(miFareClassic.writeBlock(7, value(0)), nfcd.NFCError);
    }));
});

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
