"use strict";
// The behaviours that web-nfc/resources/nfc-helpers.js of the W3C suite builds on, one test each.
const message = { records: [{ recordType: "text", data: "Test text data.", id: "dummy" }] };
const outcome = (promise) => promise.then(() => "ok", (error) => error?.name ?? `${error}`);

function equal(found, wanted, what) {
  if (JSON.stringify(found) !== JSON.stringify(wanted)) throw new Error(`${what}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
}

/** The next event of a type. */
const next = (target, type) => new Promise((resolve) => target.addEventListener(type, resolve, { once: true }));

const tests = {
  async "a message that is set is read by a scan that begins later"(mock) {
    mock.setReadingMessage(message);
    const reader = new NDEFReader();
    const reading = next(reader, "reading");
    await reader.scan();
    const { message: found, serialNumber } = await reading;
    equal([found.records[0].id, serialNumber], ["dummy", "c0:45:00:02"], "event");
  },
  async "a message that is set is read by a scan that has begun"(mock) {
    const [a, b] = [new NDEFReader(), new NDEFReader()];
    const readings = Promise.all([next(a, "reading"), next(b, "reading")]);
    await Promise.all([a.scan(), b.scan()]);
    mock.setReadingMessage(message);
    for (const { message: found } of await readings) equal(found.records[0].recordType, "text", "type");
  },
  async "a push resolves, and pushedMessage has its records"(mock) {
    await new NDEFReader().write(message, { overwrite: true });
    const [record] = mock.pushedMessage().data;
    equal([record.recordType, record.mediaType, record.id, record.encoding, record.lang], ["text", null, "dummy", "utf-8", "en"], "record");
    equal(new TextDecoder().decode(new Uint8Array(record.data)), "Test text data.", "data");
    equal(mock.writeOptions().overwrite, true, "overwrite");
    await new NDEFReader().write("no id");
    equal(mock.pushedMessage().data[0].id, null, "no id");
  },
  async "a push that does not complete waits, and a newer one replaces it"(mock) {
    mock.setPendingPushCompleted(false);
    const first = outcome(new NDEFReader().write("1"));
    await new NDEFReader().scan();
    mock.setPendingPushCompleted(true);
    equal(await outcome(new NDEFReader().write("2")), "ok", "second");
    equal(await first, "AbortError", "first");
  },
  async "makeReadOnly resolves; one that does not complete is replaced"(mock) {
    await new NDEFReader().makeReadOnly();
    mock.setPendingMakeReadOnlyCompleted(false);
    const first = outcome(new NDEFReader().makeReadOnly());
    await new NDEFReader().scan();
    mock.setPendingMakeReadOnlyCompleted(true);
    equal(await outcome(new NDEFReader().makeReadOnly()), "ok", "second");
    equal(await first, "AbortError", "first");
  },
  async "a call that replaces one in the same task completes"(mock) {
    mock.setPendingMakeReadOnlyCompleted(false);
    const [first, second] = [new NDEFReader(), new NDEFReader()].map((reader) => outcome(reader.makeReadOnly()));
    equal([await first, await second], ["AbortError", "ok"], "makeReadOnly");
    mock.setPendingPushCompleted(false);
    const controller = new AbortController();
    const aborted = outcome(new NDEFReader().write("1", { signal: controller.signal }));
    controller.abort();
    equal([await aborted, await outcome(new NDEFReader().write("2"))], ["AbortError", "ok"], "write");
  },
  "the adapter is off": (mock) => adapter(mock, () => mock.setHWStatus(3), "NotReadableError"),
  "there is no adapter": (mock) => adapter(mock, () => mock.setHWStatus(2), "NotSupportedError"),
  "the pipe is closed": (mock) => adapter(mock, () => mock.simulateClosedPipe(), "NotSupportedError"),
  async "a tag without NDEF"(mock) {
    const reader = new NDEFReader();
    const failed = next(reader, "readingerror");
    await reader.scan();
    mock.setPendingPushCompleted(false);
    const push = outcome(reader.write("x"));
    await new NDEFReader().scan();
    mock.simulateNonNDEFTagDiscovered();
    equal((await failed).constructor, Event, "event");
    equal(await push, "NotSupportedError", "push");
  },
  async "overwrite is false and the tag is formatted"(mock) {
    equal(await outcome(new NDEFReader().write("x", { overwrite: false })), "ok", "empty tag");
    mock.setIsFormattedTag(true);
    equal(await outcome(new NDEFReader().write("x", { overwrite: false })), "NotAllowedError", "formatted tag");
    equal(await outcome(new NDEFReader().write("x")), "ok", "overwrite");
  },
  async "the transfer fails"(mock) {
    mock.simulateDataTransferFails();
    equal(await outcome(new NDEFReader().write("x")), "NetworkError", "push");
    equal(await outcome(new NDEFReader().makeReadOnly()), "NetworkError", "makeReadOnly");
  },
  async "operations are suspended and resumed"(mock) {
    mock.suspendNFCOperations();
    const push = outcome(new NDEFReader().write("x"));
    mock.resumeNFCOperations();
    equal(await push, "ok", "push");
  },
  async "the permission is denied, and query follows"(mock) {
    const status = await navigator.permissions.query({ name: "nfc" });
    equal(status.state, "granted", "state");
    const changed = next(status, "change");
    await WebNFCTest.setPermission("denied");
    await changed;
    equal(status.state, "denied", "state");
    equal(await outcome(new NDEFReader().scan()), "NotAllowedError", "scan");
  },
};

async function adapter(mock, change, wanted) {
  change();
  const reader = new NDEFReader();
  equal(await Promise.all([reader.scan(), reader.write("x"), reader.makeReadOnly()].map(outcome)), [wanted, wanted, wanted], "calls");
}

async function run(name) {
  const test = new WebNFCTest();
  await test.initialize();
  try {
    await tests[name](test.getMockNFC());
    return "ok";
  } catch (error) {
    return `${error}`;
  } finally {
    await test.reset();
  }
}
