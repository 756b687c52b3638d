"use strict";
// NDEFReader (Web NFC, "The NDEFReader object"): checks the arguments, and passes the calls to the relay, which has the gates.
{
  const { platform, bytes, records, channel, handlerValue, setHandler, readingEvent, messageOf } = nfcdWebNFC;
  const { TypeError } = platform;
  const fail = (name, message) => { throw new platform.DOMException(message, name); };

  /** The scans that have begun or were sent, by their numbers. */
  const scans = new Map();
  /** The write and the makeReadOnly that wait for a tag. */
  const waiting = { write: null, lock: null };

  /** A promise of what a function returns; what it throws rejects. */
  const promised = (body) => new platform.Promise((resolve) => resolve(body()));

  /** The signal in the options; null where there is none. */
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
   * The promise settles with the answer, or with the reason of the signal. `onAbort` is called then; it returns whether the call
   * is over: a tag that is being written is not left half written.
   */
  function send(id, verb, content, signal, state) {
    return new platform.Promise((resolve, reject) => {
      const settle = (action) => (value) => {
        if (signal) platform.removeEventListener(signal, "abort", abort);
        if (state.isOver) return;
        state.isOver = true;
        action(value);
      };
      const [done, failed] = [settle(resolve), settle(reject)];
      const abort = () => {
        if (!state.isSent) failed(platform.reason(signal));
        else {
          state.abortReason = { value: platform.reason(signal) };
          channel.notify(id, "cancel");
        }
      };
      state.end = failed;
      if (signal) platform.addEventListener(signal, "abort", abort);
      platform.then(platform.Promise.resolve(), () => {
        if (state.isOver) return;
        state.isSent = true;
        platform.then(channel.call(id, verb, content), done, (error) =>
          failed(state.abortReason && error.name === "AbortError" ? state.abortReason.value : error));
      });
    });
  }

  /** A write or a makeReadOnly. A call of the same kind that waits is replaced. */
  function operate(verb, content, signal) {
    waiting[verb]?.replace();
    const id = channel.makeID();
    const state = {
      replace() {
        if (state.isSent) channel.notify(id, "cancel");
        else state.end(new platform.DOMException("a newer call replaced this one", "AbortError"));
      },
    };
    waiting[verb] = state;
    return platform.then(send(id, verb, content, signal, state), () => {});
  }

  class NDEFReader extends EventTarget {
    #scan = null;

    get onreading() { return handlerValue(this, "reading"); }
    set onreading(value) { setHandler(this, "reading", value); }
    get onreadingerror() { return handlerValue(this, "readingerror"); }
    set onreadingerror(value) { setHandler(this, "readingerror", value); }

    scan(options = {}) {
      return promised(() => {
        const previous = this.#scan;
        const signal = signalOf(options, "NDEFScanOptions", false);
        checkDocument(signal);
        if (previous) fail("InvalidStateError", "this reader scans already");
        return this.#begin(signal);
      });
    }

    /** Begins a scan. Until the signal ends it, it gets the taps. */
    #begin(signal) {
      const id = channel.makeID();
      const scan = { reader: this };
      this.#scan = scan;
      scans.set(id, scan);
      const end = () => {
        scans.delete(id);
        if (this.#scan === scan) this.#scan = null;
      };
      if (signal) platform.addEventListener(signal, "abort", () => {
        if (!scans.has(id)) return;
        end();
        if (scan.isSent) channel.notify(id, "stop");
        if (!scan.isOver) scan.end(platform.reason(signal));
      }, { once: true });
      scan.release = end;
      return platform.then(send(id, "scan", {}, null, scan), () => {}, (error) => {
        end();
        throw error;
      });
    }

    write(message, options = {}) {
      const count = arguments.length;
      return promised(() => {
        if (count === 0) throw new TypeError("write needs a message");
        this.#scan; // Throws where this is no NDEFReader.
        const source = messageSource(message);
        const { overwrite = true } = records.dictionary(options, "NDEFWriteOptions");
        const signal = signalOf(options, "NDEFWriteOptions", true);
        checkDocument(signal);
        const raw = records.messageInit(source).map((content) => content.raw);
        return operate("write", { records: raw.map(wireRecord), overwrite: Boolean(overwrite) }, signal);
      });
    }

    makeReadOnly(options = {}) {
      return promised(() => {
        this.#scan; // Throws where this is no NDEFReader.
        const signal = signalOf(options, "NDEFMakeReadOnlyOptions", true);
        checkDocument(signal);
        return operate("lock", {}, signal);
      });
    }
  }

  /** NDEFMessageSource as NDEFMessageInit. */
  function messageSource(message) {
    const data = records.sourceBytes(message);
    if (data) return { records: [{ recordType: "mime", mediaType: "application/octet-stream", data }] };
    const isObject = message === null || message === undefined || ["object", "function"].includes(typeof message);
    return isObject ? message : { records: [{ recordType: "text", data: `${message}` }] };
  }

  const wireRecord = ({ format, type, id, payload }) => ({
    typeNameFormat: bytes.formats[format], type: bytes.hex(type), identifier: bytes.hex(id), payload: bytes.hex(payload),
  });

  const rawRecord = ({ typeNameFormat, type, identifier, payload }) => ({
    format: bytes.formats.indexOf(typeNameFormat), type: bytes.fromHex(type), id: bytes.fromHex(identifier),
    payload: bytes.fromHex(payload),
  });

  // A handler may end scans: the list is that of before the first event.
  channel.on("tap", ({ scans: ids, serialNumber, records: wire }) => {
    for (const id of [...ids]) {
      const scan = scans.get(id);
      if (!scan?.isOver) continue;
      const message = messageOf(records.parse(wire.map(rawRecord)));
      platform.dispatchEvent(scan.reader, readingEvent(message, serialNumber));
    }
  });

  channel.on("tapError", ({ scans: ids, reason }) => {
    console.info(`NDEFReader: ${reason}`);
    for (const id of [...ids]) {
      const scan = scans.get(id);
      if (scan?.isOver) platform.dispatchEvent(scan.reader, new platform.Event("readingerror"));
    }
  });

  // The permission was revoked, or the extension is gone: the readers may scan again.
  channel.on("ended", ({ scans: ids }) => {
    for (const id of [...ids]) scans.get(id)?.release();
  });

  nfcdWebNFC.NDEFReader = NDEFReader;
}
