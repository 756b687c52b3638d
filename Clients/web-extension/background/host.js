import { api, failure } from "./api.js";

/** The verbs that this extension speaks. */
const version = 1;
const name = "org.nfcd.web";
const idleTime = 30_000;

/**
 * The program nfcd-web, which the browser starts with the first call, and which ends when no page has used it for half a minute.
 */
export class Host {
  #port = null;
  #isGreeted = false;
  #queue = [];
  #idle = null;
  #listener = () => {};
  #onLost = () => {};

  /** Calls functions with each message of nfcd-web, and with the reason where it ended. */
  listen(listener, onLost) { [this.#listener, this.#onLost] = [listener, onLost]; }

  /** Sends a request; starts nfcd-web where it does not run. */
  send(message) {
    if (!this.#port) this.#start();
    if (this.#isGreeted) this.#port?.postMessage(message);
    else this.#queue.push(message);
  }

  get isRunning() { return this.#port !== null; }

  /** Ends nfcd-web after a while, unless something is sent before. */
  setIdle(isIdle) {
    clearTimeout(this.#idle);
    this.#idle = isIdle && this.#port ? setTimeout(() => this.#stop(), idleTime) : null;
  }

  #start() {
    const port = (this.#port = api.runtime.connectNative(name));
    port.onMessage.addListener((message) => {
      if (this.#port === port) this.#receive(message);
    });
    port.onDisconnect.addListener(() => {
      const { message } = port.error ?? api.runtime.lastError ?? {};
      if (this.#port !== port) return;
      this.#forget();
      this.#onLost(reason(message));
    });
    port.postMessage({ verb: "hello", version });
  }

  #receive(message) {
    if (this.#isGreeted) return this.#listener(message);
    if (message.event !== "hello" || message.version !== version) {
      this.#stop();
      return this.#onLost(failure("NotSupportedError", "nfcd-web and the extension are of different versions: update both"));
    }
    this.#isGreeted = true;
    for (const waiting of this.#queue.splice(0)) this.#port.postMessage(waiting);
  }

  #stop() {
    this.#port?.disconnect();
    this.#forget();
  }

  #forget() {
    this.#port = null;
    this.#isGreeted = false;
    this.#queue = [];
  }
}

/** Why nfcd-web ended, in words that help. */
function reason(message = "") {
  if (/not found|No such native application/i.test(message))
    return failure("NotSupportedError",
      "nfcd-web cannot be started: install the package nfcd-web. A browser from snap or Flatpak cannot start it.");
  if (/forbidden/i.test(message))
    return failure("NotSupportedError", "the host manifest of nfcd-web does not allow this extension; see nfcctl doctor");
  return failure("NotSupportedError", `nfcd-web ended: ${message || "see nfcctl doctor"}`);
}
