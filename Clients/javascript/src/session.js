import { TagCommands } from "./commands.js";
import { ConnectionLost, NFCError, NoTag, SessionEnded } from "./errors.js";
import { Queue } from "./queue.js";
import { recordsOf } from "./message.js";
import { hexadecimal } from "./records.js";
import { Tap, firstText, firstURI } from "./tap.js";

/** Codes with which a session ends as planned: by its client, its time limit, after the first message. */
const PLANNED = [200, 201, 204];

/** What sessions have in common. */
class Session {
  #client;
  #connection;
  #id;
  #queue;
  #end;
  #isClosed = false;

  constructor(client, connection, id) {
    this.#client = client;
    this.#connection = connection;
    this.#id = id;
    this.#queue = connection.queue(id);
    if (!this.#queue) throw connection.failure;
  }

  /** The name of the session in nfcd. */
  get id() {
    return this.#id;
  }

  /** Why the session ended; undefined while it lasts. */
  get end() {
    return this.#end;
  }

  /** Calls a method with this session. */
  call(method, params, options) {
    return this.#client.callOn(this.#connection, method, { session: this.#id, ...params }, options);
  }

  /** Shows a text for the session, in `nfcctl sessions` for example. */
  async show(message) {
    await this.call("session.setAlertMessage", { message });
  }

  /** Ends the session. Has no effect if it is over. */
  async close() {
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      if (!this.#end) await this.call("session.invalidate");
    } catch (error) {
      // It is over with its connection, or by itself.
      if (!(error instanceof ConnectionLost) && !(error instanceof NFCError && error.code === 103)) throw error;
    } finally {
      this.#connection.close(this.#id);
    }
  }

  async [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    await this.close();
  }

  /** The next notification; undefined after the end of the session. */
  async notification(signal) {
    if (this.#end) return undefined;
    const item = await this.#connection.next(this.#queue, signal);
    if (item?.method === "session.didInvalidate") {
      const { code, message } = item.params;
      this.#end = SessionEnded.ofAnswer({ code, message, data: item.params });
      this.#connection.close(this.#id);
    }
    return item;
  }
}

/** A session that reads each tag that is held to a reader. */
export class ReadSession extends Session {
  /** The taps, until the session ends. Rejects with SessionEnded if it ends otherwise than planned. */
  async *taps({ signal } = {}) {
    for (;;) {
      const item = await this.notification(signal);
      if (item?.method === "session.didDetectNDEFs") yield new Tap(item.params);
      if (item && item.method !== "session.didInvalidate") continue;
      if (this.end && !PLANNED.includes(this.end.code)) throw this.end;
      return;
    }
  }

  [Symbol.asyncIterator]() {
    return this.taps();
  }
}

/** A session whose tags take commands. */
export class TagSession extends Session {
  /** Tags that were detected and not taken by next(). */
  #tags = new Queue();
  #present = new Map();

  constructor(...sources) {
    super(...sources);
    this.#follow();
  }

  /**
   * Waits for a tag, and connects to it.
   * Rejects with NoTag after `timeout` milliseconds, with SessionEnded if the session ends.
   */
  async next({ timeout, signal } = {}) {
    const limit = timeout && AbortSignal.timeout(timeout);
    const signals = [limit, signal].filter(Boolean);
    try {
      const tag = await this.#tags.next(anySignal(signals));
      await tag.connect();
      return tag;
    } catch (error) {
      if (limit?.aborted && error === limit.reason) throw new NoTag(`no tag within ${timeout / 1000} s`);
      throw error;
    }
  }

  /** Forgets the tags that were found; those in the field are found again. */
  async restartPolling() {
    await this.call("session.restartPolling");
  }

  async #follow() {
    try {
      for (let item = await this.notification(); item; item = await this.notification()) {
        if (item.method === "session.didDetectTags") for (const facts of item.params.tags) this.#add(new Tag(this, facts));
        if (item.method === "session.tagRemoved") this.#remove(item.params.tag);
      }
      this.#finish(this.end ?? new SessionEnded({ code: 103, name: "SessionInvalidated", message: "the session was closed" }));
    } catch (error) {
      this.#finish(error);
    }
  }

  #add(tag) {
    this.#present.set(tag.id, tag);
    this.#tags.push(tag);
  }

  #remove(id) {
    this.#present.get(id)?.left();
    this.#present.delete(id);
  }

  #finish(error) {
    for (const tag of this.#present.values()) tag.left();
    this.#tags.finish(error);
  }
}

/**
 * A tag that a session has found. Its commands are carried out one after another: those of TagCommands, and these. Raw commands
 * need a session of kind tag.
 */
export class Tag extends TagCommands {
  #session;
  #facts;
  #left;
  #hasLeft = new Promise((resolve) => (this.#left = resolve));

  constructor(session, facts) {
    super();
    this.#session = session;
    this.#facts = facts;
  }

  /** The name of the tag in its session. */
  get id() {
    return this.#facts.tag;
  }

  get type() {
    return this.#facts.type;
  }

  get reader() {
    return this.#facts.reader;
  }

  /** The UID in hexadecimal. */
  get identifier() {
    return this.#facts.identifier;
  }

  /** Resolves when the tag has left the reader, or the session is over. */
  removed() {
    return this.#hasLeft;
  }

  /** The tag has left; for its session. */
  left() {
    this.#left();
  }

  /** Makes it the tag of its session that takes commands; next() has done so. */
  async connect() {
    await this.call("session.connect");
  }

  /** Whether the tag holds NDEF, and how much. */
  status(options) {
    return this.queryNDEFStatus(options);
  }

  /** The records on the tag, with the first URI and text. Empty if the tag is formatted and holds no message. */
  async read(options) {
    try {
      const records = recordsOf((await this.readNDEF(options)).message);
      return { records, uri: firstURI(records), text: firstText(records) };
    } catch (error) {
      if (error instanceof NFCError && error.code === 403) return { records: [], uri: undefined, text: undefined };
      throw error;
    }
  }

  /** Replaces the message. No records erase the tag. */
  async write(records, options) {
    await this.writeNDEF({ records: Array.isArray(records) ? records : [records] }, options);
  }

  /** Sends an ISO/IEC 7816-4 APDU. Returns data and statusWord in hexadecimal. */
  async sendAPDU(apdu, options) {
    const { data, sw1, sw2 } = await this.iso7816.sendCommand(apdu, options);
    return { data, statusWord: hexadecimal([sw1, sw2]) };
  }

  /** Calls a method with this tag, such as `miFare.sendCommand`. */
  call(method, params, options) {
    return this.#session.call(method, { tag: this.id, ...params }, options);
  }
}

/** A signal that follows all of them. */
function anySignal(signals) {
  if (signals.length < 2) return signals[0];
  const controller = new AbortController();
  for (const signal of signals) {
    if (signal.aborted) controller.abort(signal.reason);
    signal.addEventListener("abort", () => controller.abort(signal.reason), { once: true });
  }
  return controller.signal;
}
