import { api } from "./api.js";

/**
 * Asks the user, in a window of the extension's own: what a page shows, it could restyle, cover or click.
 *
 * One question at a time; the others wait.
 */
export class Questions {
  #waiting = [];
  #open = null;

  constructor() {
    api.windows.onRemoved.addListener((id) => this.#closed(id));
    api.runtime.onConnect.addListener((port) => {
      if (port.name === "question" && isOwnPage(port.sender)) this.#show(port);
    });
  }

  /** Whether a window is a question. */
  isQuestion(window) { return this.#open?.window === window; }

  /**
   * Asks whether an origin may scan, write or lock. Calls of one document that wait for the same answer share it.
   *
   * @param isNeeded whether the question still has to be asked when its turn comes
   * @returns "tab", "always", "block" or "once"; null where the window was closed; undefined where it was not needed
   */
  ask(page, purpose, isNeeded) {
    const same = this.#waiting.find((other) => other.page.key === page.key && kind(other.purpose) === kind(purpose));
    if (same) return same.answer;
    const question = { page, purpose, isNeeded };
    question.answer = new Promise((resolve) => (question.resolve = resolve));
    this.#waiting.push(question);
    this.#next();
    return question.answer;
  }

  /** Closes the questions of a document that is gone. */
  withdraw(page) {
    for (const question of this.#waiting.filter((other) => other.page.key === page.key)) this.#settle(question, null);
  }

  async #next() {
    if (this.#open || this.#waiting.length === 0) return;
    const question = (this.#open = this.#waiting[0]);
    if (!question.isNeeded()) return this.#settle(question, undefined);
    try {
      const window = await api.windows.create({
        url: api.runtime.getURL("ui/question.html"), type: "popup", width: 460, height: 420, incognito: question.page.isPrivate,
      });
      question.window = window.id;
    } catch {
      return this.#settle(question, null);
    }
    if (this.#open !== question) api.windows.remove(question.window).catch(() => {});
  }

  #show(port) {
    const question = this.#open;
    if (!question) return port.disconnect();
    port.postMessage({ origin: question.page.origin, purpose: question.purpose, isPrivate: question.page.isPrivate });
    port.onMessage.addListener(({ answer }) => {
      if (["tab", "always", "block", "once"].includes(answer)) this.#settle(question, answer);
    });
    port.onDisconnect.addListener(() => this.#settle(question, null));
  }

  #closed(window) {
    if (this.#open?.window === window) this.#settle(this.#open, null);
  }

  #settle(question, answer) {
    if (!this.#waiting.includes(question)) return;
    this.#waiting = this.#waiting.filter((other) => other !== question);
    question.resolve(answer);
    if (this.#open !== question) return;
    this.#open = null;
    if (question.window !== undefined) api.windows.remove(question.window).catch(() => {});
    this.#next();
  }
}

/** A page that may read may write, too. */
const kind = (purpose) => (purpose.endsWith("lock") ? purpose : "use");

/** Whether a message comes from a page of the extension itself. */
export const isOwnPage = (sender) =>
  sender.id === api.runtime.id && (sender.url ?? "").startsWith(api.runtime.getURL(""));
