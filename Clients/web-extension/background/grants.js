import { api } from "./api.js";

/**
 * Who may use NFC: per origin, permanently, or as long as a tab is open (Web NFC, "Obtaining permission").
 *
 * Lasting decisions are in `storage.local`, those for a tab and all of private windows in `storage.session`, which ends with the
 * browser; those of the administrator in `storage.managed`.
 */
export class Grants {
  #lasting = {};
  #session = { tabs: {}, private: {}, dismissals: {} };
  #managed = new Set();
  #listeners = [];
  #hasChanged = false;

  /** Settles when the stored decisions were read. */
  ready = this.#load();

  async #load() {
    api.storage.onChanged.addListener((changes, area) => this.#changed(changes, area));
    // What is read may be older than a change that came meanwhile.
    do {
      this.#hasChanged = false;
      await this.#read();
    } while (this.#hasChanged);
  }

  async #read() {
    const [local, session, managed] = await Promise.all([
      api.storage.local.get("origins"),
      api.storage.session.get("session"),
      // Without a policy Firefox rejects.
      api.storage.managed.get("origins").catch(() => ({})),
    ]);
    this.#lasting = local.origins ?? {};
    this.#session = { ...this.#session, ...session.session };
    this.#setManaged(managed.origins);
  }

  #setManaged(origins) {
    this.#managed = new Set(Array.isArray(origins) ? origins.map(normalized).filter(Boolean) : []);
  }

  #changed(changes, area) {
    if (area === "local" && changes.origins) this.#lasting = changes.origins.newValue ?? {};
    else if (area === "managed" && changes.origins) this.#setManaged(changes.origins.newValue);
    else return;
    this.#hasChanged = true;
    this.notify();
  }

  notify() {
    for (const listener of this.#listeners) listener();
  }

  /** Calls a function when decisions have changed. */
  onChange(listener) { this.#listeners.push(listener); }

  /** Whether the administrator allowed an origin. */
  isManaged(origin) { return this.#managed.has(origin); }

  /** The state for a page: "granted", "denied" or "prompt". */
  state({ origin, tab, isPrivate }) {
    if (this.#managed.has(origin)) return "granted";
    const stored = isPrivate ? this.#session.private[origin] : this.#lasting[origin];
    if (stored) return stored;
    if (this.#session.tabs[tab]?.includes(origin)) return "granted";
    return (this.#session.dismissals[key(origin, isPrivate)] ?? 0) >= mostDismissals ? "denied" : "prompt";
  }

  /** Keeps what the user decided: "tab", "always" or "block"; null where the question was closed. */
  async decide({ origin, tab, isPrivate }, decision) {
    const session = this.#session;
    if (decision === null) {
      session.dismissals[key(origin, isPrivate)] = (session.dismissals[key(origin, isPrivate)] ?? 0) + 1;
    } else if (decision === "tab") {
      session.tabs[tab] = [...(session.tabs[tab] ?? []), origin];
    } else {
      const state = decision === "always" ? "granted" : "denied";
      if (isPrivate) session.private[origin] = state;
      else await api.storage.local.set({ origins: (this.#lasting = { ...this.#lasting, [origin]: state }) });
    }
    await this.#keep();
  }

  /** Forgets every decision about an origin: it has to ask again. */
  async forget(origin) {
    const { [origin]: _, ...others } = this.#lasting;
    this.#lasting = others;
    delete this.#session.private[origin];
    for (const isPrivate of [true, false]) delete this.#session.dismissals[key(origin, isPrivate)];
    for (const tab of Object.keys(this.#session.tabs))
      this.#session.tabs[tab] = this.#session.tabs[tab].filter((other) => other !== origin);
    await api.storage.local.set({ origins: others });
    await this.#keep();
  }

  /** A tab was closed. */
  async forgetTab(tab) {
    if (!this.#session.tabs[tab]) return;
    delete this.#session.tabs[tab];
    await this.#keep();
  }

  async #keep() {
    await api.storage.session.set({ session: this.#session });
    this.notify();
  }

  /** What the options page lists: each origin with its state, and whether the administrator decided. */
  list() {
    const origins = new Map(Object.entries(this.#lasting).map(([origin, state]) => [origin, { origin, state }]));
    for (const origin of Object.values(this.#session.tabs).flat())
      if (!origins.has(origin)) origins.set(origin, { origin, state: "granted", isForTab: true });
    for (const origin of this.#managed) origins.set(origin, { origin, state: "granted", isManaged: true });
    return [...origins.values()].sort((a, b) => (a.origin < b.origin ? -1 : 1));
  }
}

/** So many questions that were closed without an answer block an origin until the browser ends. */
const mostDismissals = 3;

const key = (origin, isPrivate) => (isPrivate ? `private ${origin}` : origin);

function normalized(text) {
  try {
    return new URL(text).origin;
  } catch {
    return null;
  }
}
