import { failure } from "./api.js";

/** A page that uses NFC, by its connection to the background. */
export class PageDocument {
  /** The calls that have no answer yet: the number at the host by that of the page. */
  calls = new Map();
  /** The scans that have begun, likewise. */
  scans = new Map();
  isVisible = false;

  /** @param key a name that no other document has */
  constructor(port, key) {
    const { sender } = port;
    this.port = port;
    this.key = key;
    this.origin = sender.origin;
    this.tab = sender.tab.id;
    this.isPrivate = sender.tab.incognito;
  }

  /** Whether the host has to know of it. */
  get isUsing() { return this.calls.size + this.scans.size > 0; }

  answer(id, content = {}) {
    this.calls.delete(id);
    this.post({ id, ...content });
  }

  fail(id, error) {
    this.scans.delete(id);
    this.answer(id, { error });
  }

  /** Ends everything: the permission is gone, or nfcd-web cannot be had. */
  end(error) {
    const scans = [...this.scans.keys()].filter((id) => !this.calls.has(id));
    for (const id of [...this.calls.keys()]) this.fail(id, error);
    this.scans.clear();
    if (scans.length) this.post({ event: "ended", scans });
  }

  post(message) {
    try {
      this.port.postMessage(message);
    } catch {
      // The page is gone; its disconnection is reported.
    }
  }
}

/** Why a connection is refused; null where it comes from a page that may use NFC. */
export function refusal({ origin, frameId, tab, documentLifecycle }) {
  if (!tab || frameId !== 0) return failure("InvalidStateError", "NFC is for the top-level document of a tab");
  if (!/^https?:\/\/[^/]+$/.test(origin ?? "")) return failure("NotSupportedError", "NFC is for pages with an origin");
  if (documentLifecycle !== undefined && documentLifecycle !== "active")
    return failure("InvalidStateError", "the page is not shown");
  return null;
}
