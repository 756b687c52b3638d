import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Connection } from "./connection.js";
import { CannotConnect, ConnectionLost } from "./errors.js";
import { ReadSession, TagSession } from "./session.js";
import { StoredTap, Tap } from "./tap.js";

const SYSTEM_SOCKET = "/run/nfcd/nfcd.sock";
/** The pauses before attempts to connect, in milliseconds; the last one repeats. */
const PAUSES = [250, 500, 1000, 2000, 5000];

/** The socket of nfcd: `NFCD_SOCKET`, that of this user's nfcd, that of the system. */
export function defaultSocket(environment = process.env, exists = fs.existsSync) {
  if (environment.NFCD_SOCKET) return environment.NFCD_SOCKET;
  const own = environment.XDG_RUNTIME_DIR && `${environment.XDG_RUNTIME_DIR}/nfcd/nfcd.sock`;
  return own && exists(own) ? own : SYSTEM_SOCKET;
}

/** A client of nfcd. It connects with the first call, and again after the connection was lost. */
export class Client {
  #path;
  #timeout;
  #wait;
  #connecting;
  #isClosed = false;

  /** `wait`: whether the first call waits until nfcd runs. `timeout`: for answers, in milliseconds. */
  constructor({ socket, wait = false, timeout = 60_000 } = {}) {
    this.#path = socket ?? defaultSocket();
    this.#timeout = timeout;
    this.#wait = wait;
  }

  /** Calls a method of nfcd, and returns its result. */
  async call(method, params = {}, options = {}) {
    return this.callOn(await this.#connection(options.signal), method, params, options);
  }

  /** Calls a method on a connection; for sessions, which end with theirs. */
  callOn(connection, method, params, options = {}) {
    return connection.request(method, params, { timeout: this.#timeout, ...options });
  }

  /** Name and version of nfcd, its limits, and what this program may do. */
  info() {
    return this.call("server.info");
  }

  /** The readers. */
  readers() {
    return this.call("readers.list");
  }

  /** Begins a session that reads tags. `once`: it ends after the first message. Other options are those of session.begin. */
  readSession({ once = false, ...options } = {}) {
    return this.#begin(ReadSession, { kind: "ndef", invalidateAfterFirstRead: once, ...options });
  }

  /** Begins a session whose tags take commands. */
  tagSession(options = {}) {
    const { kind = "ndef" } = options;
    return this.#begin(TagSession, { ...(kind === "ndef" ? { detection: "tags" } : {}), ...options, kind });
  }

  /**
   * The taps on readers that no session holds, without end. After a lost connection it connects again; taps in the meantime are
   * lost. `filter` is that of background.subscribe, such as `{uriPrefix: "https://"}`; with `require: "proven"` only taps come whose
   * tag has proven itself.
   */
  async *background({ filter, require, signal } = {}) {
    const params = () => ({ ...(filter ? { filter } : {}), ...(require ? { require } : {}) });
    for await (const item of this.subscription("background.subscribe", params, signal)) {
      if (item.method !== "background.didReadTag") continue;
      yield new Tap({ ...item.params, ...item.params.tag, proof: item.params.proof });
    }
  }

  /** The taps of the journal for a consumer; see Journal. With `require: "proven"`, nfcd acknowledges the taps without a proof. */
  journal(consumer, { after, require } = {}) {
    return new Journal(this, consumer, after, require);
  }

  /** The notifications of a subscription, which is made again after each lost connection. */
  async *subscription(method, params, signal) {
    for (let attempt = 0; ; ) {
      let connection, name;
      try {
        connection = await this.#connection(signal);
        ({ subscription: name } = await this.callOn(connection, method, params(), { signal }));
        attempt = 0;
        const queue = connection.queue(name);
        for (let item; (item = queue && (await connection.next(queue, signal))); ) yield item;
        if (connection.failure) throw connection.failure;
        return;
      } catch (error) {
        const isLost = error instanceof ConnectionLost || (error instanceof CannotConnect && attempt > 0);
        if (!isLost || this.#isClosed) throw error;
        await sleep(PAUSES[Math.min(attempt, PAUSES.length - 1)], undefined, { signal });
        attempt += 1;
      } finally {
        if (connection && name && !connection.failure) {
          connection.close(name);
          const ending = method.replace("subscribe", "unsubscribe");
          connection.request(ending, { subscription: name }, { timeout: this.#timeout }).catch(() => {});
        }
      }
    }
  }

  /** Puts a virtual tag on a simulated reader; returns a function that takes it away. */
  async virtualTag(model, { uri, ...options } = {}) {
    const ndef = uri === undefined ? {} : { ndef: shortURIMessage(uri) };
    const { presentation } = await this.call("simulator.present", { model, ...ndef, ...options });
    return () => this.call("simulator.remove", { presentation });
  }

  /** Closes the connection; sessions end with it. */
  close() {
    this.#isClosed = true;
    this.#connecting?.then((connection) => connection.end(), () => {});
  }

  async #begin(Session, params) {
    const connection = await this.#connection();
    const { session } = await this.callOn(connection, "session.begin", params);
    return new Session(this, connection, session);
  }

  async #connection(signal) {
    if (this.#isClosed) throw new ConnectionLost("this program closed the client");
    const last = this.#connecting;
    const open = await last?.catch(() => undefined);
    if (open && !open.failure) return open;
    // Another call may have begun to connect meanwhile.
    if (this.#connecting === last) this.#connecting = this.#connect(signal);
    return this.#connecting;
  }

  async #connect(signal) {
    for (let attempt = 0; ; attempt += 1) {
      try {
        const connection = await Connection.open(this.#path, this.#timeout);
        this.#wait = false;
        return connection;
      } catch (error) {
        if (!this.#wait || this.#isClosed) throw error;
        await sleep(PAUSES[Math.min(attempt, PAUSES.length - 1)], undefined, { signal });
      }
    }
  }
}

/**
 * The taps of the journal for a consumer, in order, from the last that it acknowledged. Each comes at least once: until it is
 * acknowledged, it comes again after a restart of either side.
 */
export class Journal {
  #client;
  #consumer;
  #after;
  #require;

  constructor(client, consumer, after, require) {
    [this.#client, this.#consumer, this.#after, this.#require] = [client, consumer, after, require];
  }

  /** The taps, without end. */
  async *taps({ signal } = {}) {
    const params = () => ({
      consumer: this.#consumer, ...(this.#after === undefined ? {} : { after: this.#after }),
      ...(this.#require ? { require: this.#require } : {}),
    });
    for await (const item of this.#client.subscription("taps.subscribe", params, signal)) {
      // After a restart the position is that of the consumer, not the one given first.
      this.#after = undefined;
      if (item.method === "taps.didRecord") yield new StoredTap(item.params.tap);
    }
  }

  [Symbol.asyncIterator]() {
    return this.taps();
  }

  /** The tap and all before it were dealt with, and need not come again. */
  async acknowledge(tap) {
    await this.#client.call("taps.acknowledge", { consumer: this.#consumer, sequence: tap.sequence });
  }
}

/** A message with one URI record without a prefix code, in hexadecimal (NFC Forum URI RTD, 3.2). */
function shortURIMessage(uri) {
  const rest = Buffer.from(uri);
  if (rest.length > 254) throw new RangeError("the URI of a virtual tag has at most 254 bytes");
  return Buffer.concat([Buffer.from([0xd1, 0x01, rest.length + 1, 0x55, 0x00]), rest]).toString("hex");
}
