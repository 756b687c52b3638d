import net from "node:net";
import { CannotConnect, ConnectionLost, NFCError, NoAnswer, ProtocolError, isObject } from "./errors.js";
import { Queue } from "./queue.js";
import { hexadecimal } from "./records.js";

/** The longest line in either direction, in bytes without its end. */
const LINE_LIMIT = 1_048_576;
/** The bytes of notifications that may wait for the program. */
const QUEUE_LIMIT = 8 * 1_048_576;
const NEWLINE = 0x0a;

/** Methods whose answer names what notifications are about: the member with the name, and what ends it. */
const OPENING = {
  "session.begin": { member: "session", ending: "session.invalidate" },
  "background.subscribe": { member: "subscription", ending: "background.unsubscribe" },
  "taps.subscribe": { member: "subscription", ending: "taps.unsubscribe" },
};

/**
 * One connection to nfcd: JSON-RPC 2.0, one object a line.
 *
 * Whatever the other side sends, a bounded number of bytes is held, and the connection ends with an error that names the cause.
 */
export class Connection {
  #socket;
  #chunks = [];
  #length = 0;
  #lastId = 0;
  #pending = new Map();
  #queues = new Map();
  #queued = 0;
  #failure;

  /** Connects to the socket. */
  static open(path, timeout) {
    return new Promise((resolve, reject) => {
      const socket = net.connect(path);
      const timer = setTimeout(() => socket.destroy(new Error(`no connection within ${timeout / 1000} s`)), timeout);
      socket.once("error", (error) => {
        clearTimeout(timer);
        reject(cannotConnect(path, error));
      });
      socket.once("connect", () => {
        clearTimeout(timer);
        socket.removeAllListeners("error");
        resolve(new Connection(socket));
      });
    });
  }

  constructor(socket) {
    this.#socket = socket;
    socket.on("data", (data) => this.#receive(data));
    socket.on("error", (error) => this.fail(new ConnectionLost(`the connection to nfcd failed: ${error.message}`)));
    socket.on("close", () => this.fail(new ConnectionLost("nfcd closed the connection; it was stopped or restarted")));
  }

  /** Why the connection ended; undefined while it is open. */
  get failure() {
    return this.#failure;
  }

  /** Ends the connection: every request and everything that waits is rejected with the error. */
  fail(error) {
    if (this.#failure) return;
    this.#failure = error;
    this.#socket.destroy();
    [this.#chunks, this.#length] = [[], 0];
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
    for (const queue of this.#queues.values()) queue.finish(error);
    this.#queues.clear();
  }

  /** Calls a method and returns its result. */
  request(method, params, { signal, timeout, onProgress } = {}) {
    if (this.#failure) return Promise.reject(this.#failure);
    if (signal?.aborted) return Promise.reject(signal.reason);
    const id = this.#lastId + 1;
    const line = JSON.stringify({ jsonrpc: "2.0", id, method, params: encoded(params) });
    const bytes = Buffer.byteLength(line);
    if (bytes > LINE_LIMIT) {
      const detail = `the request has ${bytes} bytes, and a line at most ${LINE_LIMIT}; send less`;
      return Promise.reject(new NFCError({ code: 105, name: "PacketTooLong", message: "Packet too long", detail }));
    }
    this.#lastId = id;
    return new Promise((resolve, reject) => {
      const give = (error) => {
        // The answer may still open a session: it is ended then.
        this.#pending.set(id, { method, resolve: (result) => this.#endOpened(method, result), reject: () => {} });
        this.#send({ jsonrpc: "2.0", method: "$/cancelRequest", params: { id } });
        stop();
        reject(error);
      };
      const abort = () => give(signal.reason);
      const timer = timeout && setTimeout(() => give(new NoAnswer(`nfcd did not answer ${method} within ${timeout / 1000} s`)), timeout);
      const stop = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
      };
      signal?.addEventListener("abort", abort, { once: true });
      this.#pending.set(id, {
        method,
        onProgress,
        resolve: (result) => (stop(), resolve(result)),
        reject: (error) => (stop(), reject(error)),
      });
      this.#socket.write(line + "\n");
    });
  }

  /** The notifications about a session or subscription, from the first on. */
  queue(name) {
    return this.#queues.get(name);
  }

  /** The next notification of a queue; undefined at its end. */
  async next(queue, signal) {
    const item = await queue.next(signal);
    if (item) this.#queued -= item.size;
    return item;
  }

  /** Ignores notifications about a name from now on. */
  close(name) {
    this.#queues.get(name)?.finish();
    this.#queues.delete(name);
  }

  /** Closes the connection. */
  end() {
    this.fail(new ConnectionLost("this program closed the connection"));
  }

  #send(message) {
    this.#socket.write(JSON.stringify(message) + "\n");
  }

  #endOpened(method, result) {
    const opening = OPENING[method];
    if (!opening || !isObject(result)) return;
    const name = result[opening.member];
    this.close(name);
    this.#send({ jsonrpc: "2.0", method: opening.ending, params: { [opening.member]: name } });
  }

  // What is received

  #receive(data) {
    let rest = data;
    while (!this.#failure) {
      const end = rest.indexOf(NEWLINE);
      const part = end < 0 ? rest : rest.subarray(0, end);
      if (this.#length + part.length > LINE_LIMIT) return this.#refuse(`a line of more than ${LINE_LIMIT} bytes`);
      this.#chunks.push(part);
      this.#length += part.length;
      if (end < 0) return;
      const line = Buffer.concat(this.#chunks);
      [this.#chunks, this.#length] = [[], 0];
      this.#receiveLine(line);
      rest = rest.subarray(end + 1);
    }
  }

  #receiveLine(line) {
    let message;
    try {
      message = JSON.parse(line.toString("utf8"));
    } catch {
      return this.#refuse(`a line that is not JSON: ${excerpt(line)}`);
    }
    if (!isObject(message)) return this.#refuse(`a line that is not an object: ${excerpt(line)}`);
    if (typeof message.method === "string") return this.#receiveNotification(message, line.length);
    if ("id" in message) return this.#receiveAnswer(message, line);
    this.#refuse(`a line that is neither an answer nor a notification: ${excerpt(line)}`);
  }

  #receiveAnswer({ id, result, error }, line) {
    if (id === null && isObject(error)) {
      return this.fail(new ConnectionLost(`nfcd closed the connection: ${NFCError.ofAnswer(error).message}`));
    }
    const pending = this.#pending.get(id);
    if (!pending) return this.#refuse(`an answer to a request that was not sent: ${excerpt(line)}`);
    if (isObject(error)) {
      this.#pending.delete(id);
      return pending.reject(NFCError.ofAnswer(error));
    }
    if (result === undefined) return this.#refuse(`an answer without a result: ${excerpt(line)}`);
    const opening = OPENING[pending.method];
    if (opening) {
      const name = isObject(result) ? result[opening.member] : undefined;
      if (typeof name !== "string") return this.#refuse(`an answer to ${pending.method} without ${opening.member}`);
      // Before the next line is taken: it may be the first notification.
      this.#queues.set(name, new Queue());
    }
    this.#pending.delete(id);
    pending.resolve(result);
  }

  #receiveNotification({ method, params }, size) {
    if (!isObject(params)) return this.#refuse(`a notification ${method} without parameters`);
    if (method === "$/progress") return this.#pending.get(params.id)?.onProgress?.(params.done, params.total);
    const queue = this.#queues.get(params.subscription ?? params.session);
    if (!queue) return;
    this.#queued += size;
    if (this.#queued > QUEUE_LIMIT) {
      return this.fail(
        new ConnectionLost(`${this.#queued} bytes of notifications wait to be read; iterate faster, or close what you do not read`));
    }
    queue.push({ method, params, size });
  }

  #refuse(what) {
    this.fail(new ProtocolError(`the other side of the socket sent ${what}. Is it nfcd? The connection is closed.`));
  }
}

/** Parameters with hexadecimal digits instead of bytes. */
function encoded(value) {
  if (value instanceof Uint8Array) return hexadecimal(value);
  if (Array.isArray(value)) return value.map(encoded);
  if (!isObject(value) || typeof value.toJSON === "function") return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, encoded(member)]));
}

function excerpt(line) {
  return JSON.stringify(line.subarray(0, 80).toString("utf8"));
}

function cannotConnect(path, error) {
  const advice = {
    ENOENT: "Start nfcd, or set NFCD_SOCKET to its socket.",
    ECONNREFUSED: "Start nfcd, or set NFCD_SOCKET to its socket.",
    EACCES: "Join the group nfc: sudo usermod -aG nfc $USER, then log in again.",
  };
  return new CannotConnect(`cannot connect to nfcd on ${path}: ${error.message}. ${advice[error.code] ?? ""}`.trim(), { cause: error });
}
