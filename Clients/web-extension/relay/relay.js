"use strict";
// Between the page and the background, in a world that the page cannot reach: the gates of Web NFC, and the limits of a page.
(() => {
  const { checks } = globalThis;
  /** What was sent and has no answer, by the number of the page's call: the verb. */
  const pending = new Map();
  /** The scans that have begun, or wait for their answer. */
  const scans = new Set();
  let reconnectDelay = 0;
  let recent = { second: 0, calls: 0 };

  const { port1: port, port2 } = new MessageChannel();
  document.dispatchEvent(new MessageEvent("nfcd-port", { ports: [port2] }));
  port.onmessage = ({ data }) => receive(data);

  const gone = checks.failure("NotSupportedError", "the extension was reloaded or removed: reload the page");
  const lost = checks.failure("NotSupportedError", "the connection to the extension ended");

  function answer(id, content) {
    pending.delete(id);
    port.postMessage({ id, ...content });
  }

  function fail(id, error) {
    scans.delete(id);
    answer(id, { error });
  }

  // MARK: The page

  function receive(message) {
    const call = checks.call(message);
    if (!call) return;
    const { id, verb, content, error } = call;
    port.postMessage({ id, isTaken: true });
    if (error) return fail(id, error);
    if (verb === "stop" || verb === "cancel") return takeBack(id, verb);
    if (pending.has(id) || scans.has(id)) return;
    if (verb === "query" && window.top !== window) return answer(id, { state: "denied" });
    const refusal = verb === "query" ? null : checks.gate(verb);
    if (refusal) return fail(id, refusal);
    if (isFlood() || pending.size + scans.size >= checks.most.calls)
      return fail(id, checks.failure("NotSupportedError", "the page makes too many calls"));
    whenShown(() => send(id, verb, content));
  }

  function isFlood() {
    const second = Math.floor(performance.now() / 1000);
    if (second !== recent.second) recent = { second, calls: 0 };
    recent.calls += 1;
    return recent.calls > checks.most.callsPerSecond;
  }

  /** A prerendered page waits until it is shown. */
  function whenShown(action) {
    if (document.prerendering) document.addEventListener("prerenderingchange", action, { once: true });
    else action();
  }

  function send(id, verb, content) {
    pending.set(id, verb);
    if (verb === "scan") scans.add(id);
    const isActive = navigator.userActivation?.isActive ?? false;
    if (!background.send({ verb, id, ...content, isActive })) fail(id, gone);
  }

  function takeBack(id, verb) {
    if (!pending.has(id) && !scans.has(id)) return;
    if (verb === "stop") {
      scans.delete(id);
      pending.delete(id);
    }
    if (background.isConnected()) background.send({ verb, id });
  }

  // MARK: The background

  background.listen((message) => {
    const { id, event } = message;
    if (!event) {
      if (!pending.has(id)) return;
      if (message.error) return fail(id, message.error);
      return answer(id, message.state === undefined ? {} : { state: message.state });
    }
    reconnectDelay = 0;
    if (event === "ended") for (const scan of message.scans) scans.delete(scan);
    port.postMessage(message);
  }, () => {
    for (const [id, verb] of [...pending]) {
      if (verb !== "scan" || !scans.has(id)) fail(id, lost);
    }
    if (scans.size > 0) scheduleReconnect();
  });

  /** Scans continue with the next background, which the browser starts for them. */
  function scheduleReconnect() {
    setTimeout(() => {
      if (scans.size === 0 || background.isConnected()) return;
      const isThere = [...scans].every((id) =>
        background.send({ verb: "scan", id, isActive: false, isResumed: !pending.has(id) }));
      if (!isThere) end();
    }, reconnectDelay);
    reconnectDelay = Math.min(5000, Math.max(100, 2 * reconnectDelay));
  }

  /** The extension is gone: nothing that was begun continues. */
  function end() {
    for (const id of [...pending.keys()]) fail(id, gone);
    if (scans.size > 0) port.postMessage({ event: "ended", scans: [...scans] });
    scans.clear();
  }

  // MARK: The document

  document.addEventListener("visibilitychange", () => {
    if (background.isConnected())
      background.send({ verb: "visible", visible: document.visibilityState === "visible" });
  });

  // A page that may come back from the back/forward cache: its scans continue then, what waited for a tag does not.
  addEventListener("pagehide", () => {
    background.close();
    for (const [id, verb] of [...pending]) {
      if (verb !== "scan") fail(id, checks.failure("AbortError", "the page was left"));
    }
  });
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted && scans.size > 0) scheduleReconnect();
  });
})();
