"use strict";
// Only in a test build: WebNFCTest, as the helper of the W3C suite expects it (web-nfc/resources/nfc-helpers.js), with nfcd's
// simulated readers instead of a mock. Its methods return at once; calls of the page wait until nfcd did what they asked for.
{
  const { channel, records, bytes } = nfcdWebNFC;
  const status = { on: 1, unsupported: 2, off: 3 };
  /** The helper's serial number is c0:45:00:02: a tag with a UID of 4 bytes. */
  const emptyTag = { model: "mifare-classic-1k", identifier: "C0450002", ndef: "" };
  const message = (records_) => bytes.hex(bytes.encodeMessage(records_));

  let port = null;
  let lastID = 0;
  const answers = new Map();
  document.addEventListener("nfcd-testing-port", (event) => {
    port = event.ports[0];
    port.onmessage = ({ data }) => {
      answers.get(data.id)?.(data);
      answers.delete(data.id);
    };
  }, { once: true });

  /** Settles when everything that was asked for is done. */
  let idle = Promise.resolve();

  function command(name, content = {}) {
    idle = idle.then(() => new Promise((resolve) => {
      answers.set(++lastID, resolve);
      port.postMessage({ id: lastID, name, ...content });
    }));
    return idle;
  }

  const mock = {
    pushCompletes: true, lockCompletes: true, isFormatted: false, transferFails: false, isSuspended: false,
    messages: [], pushed: null, options: null,
  };

  /** The tag that a write or a makeReadOnly finds, if it completes at once. */
  function tagFor(verb) {
    if (mock.isSuspended || !(verb === "write" ? mock.pushCompletes : mock.lockCompletes)) return null;
    if (mock.transferFails) return { ...emptyTag, removedAtCommand: 2 };
    const ndef = mock.isFormatted ? message(records.messageInit({ records: [{ recordType: "text", data: "old" }] }).map(({ raw }) => raw)) : "";
    return { ...emptyTag, ndef };
  }

  const { call, notify } = channel;
  channel.notify = (...values) => void idle.then(() => notify(...values));
  channel.call = async (id, verb, content, done, failed) => {
    const isOperation = verb === "write" || verb === "lock";
    const tag = isOperation && tagFor(verb);
    if (tag) command("show", { tag });
    await idle;
    const settle = (action) => (value) => {
      if (tag) command("hide");
      action(value);
    };
    call(id, verb, content, settle((answer) => {
      if (verb === "write") [mock.pushed, mock.options] = [content.records, { overwrite: content.overwrite }];
      done(answer);
    }), settle(failed));
  };

  /** A call that replaces one which waits, or comes after one that was ended, completes: the mock forgets its instructions. */
  function follow(name, completes) {
    const { prototype } = nfcdWebNFC.NDEFReader;
    const original = prototype[name];
    let waiting = 0;
    const replacement = {
      [name](...values) {
        if (waiting > 0) mock[completes] = true;
        waiting += 1;
        const result = Reflect.apply(original, this, values);
        result.then(() => { waiting -= 1; }, () => {
          waiting -= 1;
          mock[completes] = true;
        });
        return result;
      },
    }[name];
    Object.defineProperty(replacement, "length", { value: original.length, configurable: true });
    prototype[name] = replacement;
  }
  follow("write", "pushCompletes");
  follow("makeReadOnly", "lockCompletes");

  /** A record as the helper compares it. */
  function pushedRecord(wire) {
    const raw = {
      format: bytes.formatNumbers[wire.typeNameFormat], type: bytes.fromHex(wire.type), id: bytes.fromHex(wire.identifier),
      payload: bytes.fromHex(wire.payload),
    };
    const [content] = records.parse([raw]);
    return { ...content, raw: undefined };
  }

  const mockNFC = {
    setHWStatus: (value) => void command("adapter", { state: Object.keys(status).find((key) => status[key] === value) }),
    setReadingMessage(init) {
      const raw = init.records.length ? records.messageInit(init).map((content) => content.raw) : null;
      mock.messages.push(raw ? message(raw) : "");
      if (!mock.isSuspended) command("put", { tag: { ...emptyTag, ndef: mock.messages.at(-1) } });
    },
    setPendingPushCompleted(value) { mock.pushCompletes = value; },
    setPendingMakeReadOnlyCompleted(value) { mock.lockCompletes = value; },
    pushedMessage: () => mock.pushed && { data: mock.pushed.map(pushedRecord) },
    writeOptions: () => mock.options,
    setIsFormattedTag(value) { mock.isFormatted = value; },
    // A MIFARE Ultralight with data of another program, which is not formatted unasked.
    simulateNonNDEFTagDiscovered: () =>
      void command("put", { tag: { dump: `046E10F2304D5A80A748000000000000${"A5".repeat(48)}` } }),
    simulateDataTransferFails() { mock.transferFails = true; },
    simulateClosedPipe: () => void command("adapter", { state: "closed" }),
    suspendNFCOperations() {
      mock.isSuspended = true;
      command("lift");
    },
    resumeNFCOperations() {
      mock.isSuspended = false;
      const ndef = mock.messages.at(-1) ?? "";
      command("put", { tag: { ...emptyTag, ndef } });
    },
  };

  /** WebDriver's permissions do not reach an extension. */
  function takeOverPermissions() {
    const internal = globalThis.test_driver_internal;
    if (!internal || internal.nfcd) return;
    const original = internal.set_permission;
    internal.nfcd = true;
    internal.set_permission = (params, ...rest) =>
      params.descriptor?.name === "nfc" ? WebNFCTest.setPermission(params.state) : original.call(internal, params, ...rest);
  }
  addEventListener("DOMContentLoaded", takeOverPermissions);

  class WebNFCTest {
    /** Sets the permission of this page's origin: "granted", "denied" or "prompt". */
    static setPermission(state) { return command("permission", { state }); }

    async initialize() {
      takeOverPermissions();
      await WebNFCTest.setPermission("granted");
    }

    async reset() {
      Object.assign(mock, {
        pushCompletes: true, lockCompletes: true, isFormatted: false, transferFails: false, isSuspended: false, messages: [],
        pushed: null, options: null,
      });
      await command("reset");
    }

    getMockNFC() { return mockNFC; }
  }

  if (globalThis.isSecureContext)
    Object.defineProperty(globalThis, "WebNFCTest", { value: WebNFCTest, configurable: true, writable: true });
}
