"use strict";
// NDEFReader (Web NFC, "The NDEFReader object"): checks the arguments, and passes the calls to the relay, which has the gates.
{
  const { platform, bytes, records, channel, handlerValue, setHandler, readingEvent, messageOf } = nfcdWebNFC;
  const { TypeError } = platform;
  const fail = (name, message) => { throw new platform.DOMException(message, name); };

  /** The scans that have begun or were sent, by their numbers. */
  const scans = { __proto__: null };
  /** The write and the makeReadOnly that wait for a tag. */
  const waiting = { write: null, lock: null };

  /** A promise that a function settles, with `done` without a value or with `failed`; what it throws rejects. */
  const promised = (body) => new platform.Promise((resolve, reject) => body(() => resolve(), reject));

  /** The signal in the options; null if there is none. */
  function signalOf(options, name, isNullable) {
    const { signal } = records.dictionary(options, name);
    if (signal === undefined || (signal === null && isNullable)) return null;
    if (!platform.isSignal(signal)) throw new TypeError("signal is not an AbortSignal");
    return signal;
  }

  function checkDocument(signal) {
    if (!platform.isTop) fail("InvalidStateError", "NFC is for the top-level document, not for frames");
    if (signal && platform.isAborted(signal)) throw platform.reason(signal);
  }

  /**
   * Sends a call after the running task, if nothing ended it by then.
   *
   * `done` is called with its answer, or `failed` with the reason of the signal. A call that was sent is cancelled, and ends with the
   * answer to that: a tag that is being written is not left half written.
   */
  function send(id, verb, content, signal, state, done, failed) {
    const settle = (action) => (value) => {
      if (signal) platform.removeEventListener(signal, "abort", abort);
      if (state.isOver) return;
      state.isOver = true;
      action(value);
    };
    const abort = () => {
      if (!state.isSent) state.end(platform.reason(signal));
      else {
        state.abortReason = { value: platform.reason(signal) };
        channel.notify(id, "cancel");
      }
    };
    state.end = settle(failed);
    if (signal) platform.addEventListener(signal, "abort", abort);
    platform.queueMicrotask(() => {
      if (state.isOver) return;
      state.isSent = true;
      channel.call(id, verb, content, settle(done), (error) =>
        state.end(state.abortReason && platform.errorName(error) === "AbortError" ? state.abortReason.value : error));
    });
  }

  /** A write or a makeReadOnly. A call of the same kind that waits is replaced. */
  function operate(verb, content, signal, done, failed) {
    waiting[verb]?.replace();
    const id = channel.makeID();
    const state = {
      __proto__: null,
      replace() {
        if (state.isSent) channel.notify(id, "cancel");
        else state.end(new platform.DOMException("a newer call replaced this one", "AbortError"));
      },
    };
    waiting[verb] = state;
    send(id, verb, content, signal, state, done, failed);
  }

  class NDEFReader extends platform.EventTarget {
    #scan = null;

    get onreading() { return handlerValue(this, "reading"); }
    set onreading(value) { setHandler(this, "reading", value); }
    get onreadingerror() { return handlerValue(this, "readingerror"); }
    set onreadingerror(value) { setHandler(this, "readingerror", value); }

    scan(options = undefined) {
      return promised((done, failed) => {
        const previous = this.#scan;
        const signal = signalOf(options, "NDEFScanOptions", false);
        checkDocument(signal);
        if (previous) fail("InvalidStateError", "this reader scans already");
        this.#begin(signal, done, failed);
      });
    }

    /** Begins a scan. Until the signal ends it, it gets the taps. */
    #begin(signal, done, failed) {
      const id = channel.makeID();
      const scan = { __proto__: null, reader: this };
      this.#scan = scan;
      scans[id] = scan;
      scan.release = () => {
        delete scans[id];
        if (this.#scan === scan) this.#scan = null;
      };
      if (signal) platform.addEventListener(signal, "abort", () => {
        if (!scans[id]) return;
        scan.release();
        if (scan.isSent) channel.notify(id, "stop");
        if (!scan.isOver) scan.end(platform.reason(signal));
      }, { __proto__: null, once: true });
      send(id, "scan", {}, null, scan, done, (error) => {
        scan.release();
        failed(error);
      });
    }

    write(message, options = undefined) {
      const count = arguments.length;
      return promised((done, failed) => {
        if (count === 0) throw new TypeError("write needs a message");
        this.#scan; // Throws where this is not an NDEFReader.
        const makeContents = messageSource(message);
        const { overwrite = true } = records.dictionary(options, "NDEFWriteOptions");
        const signal = signalOf(options, "NDEFWriteOptions", true);
        checkDocument(signal);
        const wire = platform.mapped(makeContents(), (content) => wireRecord(content.raw));
        operate("write", { records: wire, overwrite: !!overwrite }, signal, done, failed);
      });
    }

    makeReadOnly(options = undefined) {
      return promised((done, failed) => {
        this.#scan; // Throws where this is not an NDEFReader.
        const signal = signalOf(options, "NDEFMakeReadOnlyOptions", true);
        checkDocument(signal);
        operate("lock", {}, signal, done, failed);
      });
    }
  }

  /** NDEFMessageSource as a function that makes the contents of the records. */
  function messageSource(message) {
    const data = records.sourceBytes(message);
    const mediaType = "application/octet-stream";
    if (data) return () => records.contents([{ __proto__: null, recordType: "mime", mediaType, data }]);
    const isObject = message === null || message === undefined || typeof message === "object" || typeof message === "function";
    if (isObject) return () => records.messageInit(message);
    const text = `${message}`;
    return () => records.contents([{ __proto__: null, recordType: "text", data: text }]);
  }

  const wireRecord = ({ format, type, id, payload }) => ({
    typeNameFormat: bytes.formats[format], type: bytes.hex(type), identifier: bytes.hex(id), payload: bytes.hex(payload),
  });

  const rawRecord = ({ typeNameFormat, type, identifier, payload }) => ({
    format: bytes.formatNumbers[typeNameFormat], type: bytes.fromHex(type), id: bytes.fromHex(identifier),
    payload: bytes.fromHex(payload),
  });

  // A handler may end scans: the list is that of before the first event.
  channel.on("tap", ({ scans: ids, serialNumber, records: wire }) => {
    for (let i = 0; i < ids.length; i++) {
      const scan = scans[ids[i]];
      if (!scan?.isOver) continue;
      const message = messageOf(records.parse(platform.mapped(wire, rawRecord)));
      platform.dispatchEvent(scan.reader, readingEvent(message, serialNumber));
    }
  });

  channel.on("tapError", ({ scans: ids, reason }) => {
    platform.log(`NDEFReader: ${reason}`);
    for (let i = 0; i < ids.length; i++) {
      const scan = scans[ids[i]];
      if (scan?.isOver) platform.dispatchEvent(scan.reader, new platform.Event("readingerror"));
    }
  });

  // The permission was revoked, or the extension was removed: the readers may scan again.
  channel.on("ended", ({ scans: ids }) => {
    for (let i = 0; i < ids.length; i++) scans[ids[i]]?.release();
  });

  nfcdWebNFC.NDEFReader = NDEFReader;
}
