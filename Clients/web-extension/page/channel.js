"use strict";
// The port to the relay. It comes in an event that the relay dispatches before the page's first script, so that the page never
// holds it.
{
  const { platform } = nfcdWebNFC;
  /** How long the relay may take to confirm a call. One whose extension was removed or reloaded never answers. */
  const confirmationTime = 10_000;
  /** The calls without an answer, by their numbers: { done, failed, timer }. */
  const calls = { __proto__: null };
  const listeners = { __proto__: null };
  let port = null;
  let lastID = 0;

  function receive(event) {
    const message = { __proto__: null, ...platform.messageData(event) };
    if (message.event) return listeners[message.event]?.(message);
    const call = calls[message.id];
    if (!call) return;
    platform.clearTimeout(call.timer);
    if (message.isTaken) return;
    delete calls[message.id];
    if (message.error) call.failed(new platform.DOMException(message.error.message, message.error.name));
    else call.done(message);
  }

  platform.addEventListener(document, "nfcd-port", (event) => {
    event.stopImmediatePropagation();
    port = event.ports[0];
    port.onmessage = receive;
  }, { once: true, capture: true });

  nfcdWebNFC.channel = {
    __proto__: null,

    /** A number for a call. */
    makeID: () => ++lastID,

    /** Sends a call; one of two functions gets its answer, or the error. */
    call(id, verb, content, done, failed) {
      const giveUp = () => {
        delete calls[id];
        failed(new platform.DOMException("the extension does not answer: reload the page", "NotSupportedError"));
      };
      if (!port) return giveUp();
      calls[id] = { done, failed, timer: platform.setTimeout(giveUp, confirmationTime) };
      platform.postMessage(port, { id, verb, ...content });
    },

    /** Sends what has no answer. */
    notify(id, verb) {
      if (port) platform.postMessage(port, { id, verb });
    },

    /** Calls a function with what the relay sends by itself under a name. */
    on(name, listener) { listeners[name] = listener; },
  };
}
