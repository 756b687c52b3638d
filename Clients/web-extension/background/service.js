import "../relay/checks.js";
import { api, failure } from "./api.js";
import { PageDocument, refusal } from "./documents.js";
import { Front } from "./front.js";
import { Grants } from "./grants.js";
import { isOwnPage, Questions } from "./questions.js";

const { checks } = globalThis;
const denied = failure("NotAllowedError", "the user does not allow this page to use NFC");
const inactive = failure("NotAllowedError", "ask for NFC when the user clicks or types: the page has no permission yet");
const revoked = failure("NotSupportedError", "the permission to use NFC was revoked");
const retryDelays = [500, 1000, 2000, 5000];

/**
 * Between the pages and nfcd-web: permission, the document in front, and whose calls and scans are whose.
 */
export class Service {
  #documents = new Set();
  /** What was sent to nfcd-web, by its number there. */
  #sent = new Map();
  #lastNumber = 0;
  #front = null;
  #retries = 0;
  #retry = null;
  #status = { session: "none", error: null };
  #host;
  #frontTab;
  grants = new Grants();
  questions = new Questions();

  /** @param host the connection to nfcd-web */
  constructor(host) {
    this.#host = host;
    host.listen((report) => this.#receive(report), (error) => this.#hostLost(error));
    this.#frontTab = new Front((window) => this.questions.isQuestion(window));
    this.#frontTab.onChange(() => this.#updateFront());
    this.grants.onChange(() => this.#permissionsChanged());
    api.tabs.onRemoved.addListener((tab) => this.grants.forgetTab(tab));
    api.runtime.onConnect.addListener((port) => {
      if (port.name === "page") this.#connect(port);
    });
    api.runtime.onMessage.addListener((message, sender, respond) => {
      if (!isOwnPage(sender)) return false;
      this.#answerOwnPage(message).then(respond);
      return true;
    });
  }

  // MARK: Pages

  #connect(port) {
    port.postMessage({ event: "hello" });
    const error = refusal(port.sender);
    if (error) {
      port.onMessage.addListener(({ id }) => id && port.postMessage({ id, error }));
      return;
    }
    const document = new PageDocument(port, `document-${++this.#lastNumber}`);
    this.#documents.add(document);
    port.onMessage.addListener((message) => this.#take(document, message));
    port.onDisconnect.addListener(() => {
      void api.runtime.lastError;
      this.#documents.delete(document);
      this.questions.withdraw(document);
      this.#forget(document);
      this.#usageChanged(document);
    });
  }

  #take(document, message) {
    if (message?.verb === "visible") return this.#setVisible(document, message.visible === true);
    const call = checks.call(message);
    if (!call) return;
    const { id, verb, content, error } = call;
    if (error) return document.fail(id, error);
    if (verb === "stop" || verb === "cancel") return this.#takeBack(document, id, verb);
    if (verb === "query") return this.#query(document, id);
    if (document.calls.has(id) || document.calls.size + document.scans.size >= checks.most.calls) return;
    const number = ++this.#lastNumber;
    document.calls.set(id, number);
    this.#begin(document, { id, verb, content, number }, message.isActive === true, message.isResumed === true);
  }

  async #query(document, id) {
    await this.grants.ready;
    document.post({ id, state: this.grants.state(document) });
  }

  /** Sends a call to nfcd-web once the user allows it. */
  async #begin(document, { id, verb, content, number }, isActive, isResumed) {
    const error = await this.#permit(document, verb, isActive);
    if (document.calls.get(id) !== number || !this.#documents.has(document)) return;
    if (error) return isResumed ? this.#endScan(document, id) : document.fail(id, error);
    await this.#updateFront(document);
    if (document.calls.get(id) !== number || !this.#documents.has(document)) return;
    this.#sent.set(number, { document, id, verb });
    this.#host.send({ verb, id: number, document: document.key, origin: document.origin, ...content });
    this.#usageChanged(document);
  }

  #endScan(document, id) {
    document.calls.delete(id);
    document.scans.delete(id);
    document.post({ event: "ended", scans: [id] });
  }

  /** Why a call is not permitted; null where it is. Locks are permanent, so the user is asked each time. */
  async #permit(document, verb, isActive) {
    await this.grants.ready;
    const state = this.grants.state(document);
    if (state === "denied") return denied;
    const isLock = verb === "lock" && !this.grants.isManaged(document.origin);
    if (state === "granted" && !isLock) return null;
    if (state === "prompt" && !isActive) return inactive;
    const purpose = isLock ? (state === "prompt" ? "first-lock" : "lock") : verb;
    const isNeeded = () => state === "granted" || this.grants.state(document) === "prompt";
    const answer = await this.questions.ask(document, purpose, isNeeded);
    if (state === "granted") return answer === "once" ? null : denied;
    if (answer !== undefined) await this.grants.decide(document, answer);
    return this.grants.state(document) === "granted" ? null : denied;
  }

  #takeBack(document, id, verb) {
    const number = document.calls.get(id) ?? document.scans.get(id);
    if (number === undefined) return;
    const isSent = this.#sent.has(number);
    if (verb === "stop") {
      document.calls.delete(id);
      document.scans.delete(id);
      this.#sent.delete(number);
      if (isSent) this.#host.send({ verb, id: number, document: document.key });
      this.#usageChanged(document);
    } else if (isSent) {
      this.#host.send({ verb, id: number });
    } else {
      document.fail(id, failure("AbortError", "the call was taken back"));
    }
  }

  /** Hidden pages have no reader; what waits for a tag ends (Web NFC, "Handling visibility change"). */
  #setVisible(document, isVisible) {
    document.isVisible = isVisible;
    if (!isVisible) {
      for (const [id, number] of [...document.calls]) {
        const verb = this.#sent.get(number)?.verb;
        if (verb === "write" || verb === "lock") this.#takeBack(document, id, "cancel");
      }
    }
    this.#updateFront();
  }

  // MARK: nfcd-web

  #receive(report) {
    const { event, id, document: key } = report;
    if (event === "state") return this.#setStatus({ session: report.session, error: null });
    if (event === "tap" || event === "tapError") return this.#passTap(key, report);
    const call = this.#sent.get(id);
    if (!call) return;
    this.#retries = 0;
    if (event === "done") this.#done(call, id);
    else if (event === "failed") this.#failed(call, id, report.error);
    this.#usageChanged(call.document);
  }

  #done({ document, id, verb }, number) {
    if (verb === "scan") document.scans.set(id, number);
    else this.#sent.delete(number);
    if (document.calls.has(id)) document.answer(id);
  }

  #failed({ document, id, verb }, number, error) {
    // A scan that had begun continues as soon as there is a reader again.
    if (verb === "scan" && document.scans.has(id)) return this.#scheduleRetry();
    this.#sent.delete(number);
    if (document.calls.has(id)) document.fail(id, error);
    if (error.name === "NotReadableError" || error.name === "NotSupportedError") this.#setStatus({ error: error.message });
  }

  #passTap(key, { event, scans, serialNumber, records, reason }) {
    const document = [...this.#documents].find((candidate) => candidate.key === key);
    if (!document) return;
    const ids = scans.map((number) => this.#sent.get(number)?.id).filter((id) => document.scans.has(id));
    if (ids.length === 0) return;
    document.post(event === "tap" ? { event, scans: ids, serialNumber, records } : { event, scans: ids, reason });
  }

  /** nfcd-web ended: calls fail, scans continue with the next one. */
  #hostLost(error) {
    this.#front = null;
    this.#setStatus({ session: "none", error: error.message });
    for (const document of this.#documents) {
      for (const [id, number] of [...document.calls]) {
        if (!this.#sent.delete(number)) continue;
        document.fail(id, error);
      }
      this.#showBadge(document);
    }
    this.#scheduleRetry();
  }

  #scheduleRetry() {
    if (this.#retry !== null || ![...this.#documents].some(({ scans }) => scans.size > 0)) return;
    const delay = retryDelays[Math.min(this.#retries++, retryDelays.length - 1)];
    this.#retry = setTimeout(async () => {
      this.#retry = null;
      for (const document of this.#documents) {
        for (const number of document.scans.values())
          this.#host.send({ verb: "scan", id: number, document: document.key, origin: document.origin });
      }
      this.#front = null;
      await this.#updateFront();
    }, delay);
  }

  #forget(document) {
    let wasSent = false;
    for (const number of [...document.calls.values(), ...document.scans.values()])
      wasSent = this.#sent.delete(number) || wasSent;
    if (wasSent && this.#host.isRunning) this.#host.send({ verb: "forget", document: document.key });
  }

  // MARK: What follows from changes

  #permissionsChanged() {
    for (const document of this.#documents) {
      const state = this.grants.state(document);
      document.post({ event: "permission", state });
      const isInUse = [...document.calls.values(), ...document.scans.values()].some((number) => this.#sent.has(number));
      if (state === "granted" || !isInUse) continue;
      this.#forget(document);
      document.end(revoked);
      this.#usageChanged(document);
    }
  }

  #usageChanged(document) {
    this.#showBadge(document);
    this.#host.setIdle(![...this.#documents].some(({ isUsing }) => isUsing));
    this.#updateFront();
  }

  /** Notifies nfcd-web which document has the reader. A document that sends its first call counts already. */
  async #updateFront(caller = null) {
    await this.#frontTab.ready;
    const using = [...this.#documents].filter((document) => document.isUsing || document === caller);
    const front = (await this.#frontTab.choose(using))?.key ?? null;
    if (front === this.#front || (front === null && !this.#host.isRunning)) return;
    this.#front = front;
    this.#host.send({ verb: "front", document: front });
  }

  /** The icon shows which tab scans, so that no tag is read unseen. */
  #showBadge({ tab, scans, calls }) {
    const isUsing = scans.size > 0 || [...calls.values()].some((number) => this.#sent.has(number));
    const quiet = () => {};
    api.action.setBadgeText({ tabId: tab, text: isUsing ? "●" : "" })?.catch?.(quiet);
    api.action.setTitle({ tabId: tab, title: isUsing ? "This page reads NFC tags" : "Web NFC" })?.catch?.(quiet);
  }

  #setStatus(change) { this.#status = { ...this.#status, ...change }; }

  // MARK: The popup and the options page

  async #answerOwnPage(message) {
    await this.grants.ready;
    switch (message?.verb) {
      case "list": return { origins: this.grants.list() };
      case "forget":
        await this.grants.forget(`${message.origin}`);
        return {};
      case "status": return this.#statusOf(message.tab);
      default: return {};
    }
  }

  #statusOf(tab) {
    const document = [...this.#documents].find((candidate) => candidate.tab === tab);
    if (!document) return { origin: null };
    return {
      origin: document.origin,
      state: this.grants.state(document),
      isManaged: this.grants.isManaged(document.origin),
      isUsing: document.isUsing,
      isInFront: document.key === this.#front,
      ...this.#status,
    };
  }
}
