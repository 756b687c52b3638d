import { api } from "./api.js";

/**
 * Which tab has the reader: the active tab of the window that had the focus last. A kiosk has no focus at times, so that focus
 * that leaves the browser changes nothing.
 */
export class Front {
  #window = null;
  #isQuestion;
  #listener = () => {};

  /** @param isQuestion whether a window is one of the extension's questions, which do not count */
  constructor(isQuestion) {
    this.#isQuestion = isQuestion;
    api.windows.onFocusChanged.addListener((window) => this.#focused(window));
    api.windows.onRemoved.addListener((window) => {
      if (window === this.#window) this.#refresh();
    });
    for (const event of [api.tabs.onActivated, api.tabs.onAttached, api.tabs.onDetached])
      event.addListener(() => this.#listener());
    this.ready = this.#refresh();
  }

  /** Calls a function when another tab may be in front. */
  onChange(listener) { this.#listener = listener; }

  #focused(window) {
    if (window === api.windows.WINDOW_ID_NONE || this.#isQuestion(window)) return;
    this.#window = window;
    this.#listener();
  }

  async #refresh() {
    try {
      this.#focused((await api.windows.getLastFocused()).id);
    } catch {
      this.#window = null;
    }
  }

  /** The first of the documents whose tab is in front; null if there is none. */
  async choose(documents) {
    const shown = documents.filter(({ isVisible }) => isVisible);
    for (const document of shown) {
      const tab = await api.tabs.get(document.tab).catch(() => null);
      if (tab?.active && (this.#window === null || tab.windowId === this.#window)) return document;
    }
    return null;
  }
}
