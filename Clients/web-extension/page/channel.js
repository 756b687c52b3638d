"use strict";
// The port to the relay. It comes in an event that the relay dispatches before the page's first script, so that the page never
// holds it.
{
  const { platform } = nfcdWebNFC;
  const { setTimeout, clearTimeout } = globalThis;
  /** How long the relay may take to confirm a call. One whose extension was removed or reloaded is gone without a word. */
  const confirmationTime = 10_000;
  const calls = new Map();
  const listeners = {};
  let port = null;
  let lastID = 0;

  function receive(event) {
    const { id, event: name, error, isTaken, ...content } = platform.messageData(event);
    if (name) return listeners[name]?.(content);
    const call = calls.get(id);
    if (!call) return;
    clearTimeout(call.timer);
    if (isTaken) return;
    calls.delete(id);
    if (error) call.reject(new platform.DOMException(error.message, error.name));
    else call.resolve(content);
  }

  platform.addEventListener(document, "nfcd-port", (event) => {
    event.stopImmediatePropagation();
    port = event.ports[0];
    port.onmessage = receive;
  }, { once: true, capture: true });

  nfcdWebNFC.channel = {
    /** A number for a call. */
    makeID: () => ++lastID,

    /** Sends a call; the promise settles with its answer. */
    call: (id, verb, content = {}) => new platform.Promise((resolve, reject) => {
      const giveUp = () => {
        calls.delete(id);
        reject(new platform.DOMException("the extension does not answer: reload the page", "NotSupportedError"));
      };
      if (!port) return giveUp();
      calls.set(id, { resolve, reject, timer: setTimeout(giveUp, confirmationTime) });
      platform.postMessage(port, { id, verb, ...content });
    }),

    /** Sends what has no answer. */
    notify(id, verb) {
      if (port) platform.postMessage(port, { id, verb });
    },

    /** Calls a function with what the relay sends by itself under a name. */
    on(name, listener) { listeners[name] = listener; },
  };
}
