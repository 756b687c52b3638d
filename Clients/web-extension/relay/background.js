"use strict";
// The connection to the extension's background, which is made with the first call. The browser ends the background when nothing
// happens, and the connection with it.
const background = (() => {
  const api = globalThis.browser ?? globalThis.chrome;
  let port = null;
  let onMessage = () => {};
  let onLost = () => {};

  function connect() {
    port = api.runtime.connect({ name: "page" });
    const own = port;
    port.onMessage.addListener((message) => {
      if (own === port) onMessage(message);
    });
    port.onDisconnect.addListener(() => {
      void api.runtime.lastError;
      if (own !== port) return;
      port = null;
      onLost();
    });
    post({ verb: "visible", visible: document.visibilityState === "visible" });
  }

  function post(message) {
    port.postMessage(message);
  }

  return {
    /** Calls functions with each message, and where the connection is lost. */
    listen(message, lost) { [onMessage, onLost] = [message, lost]; },

    isConnected: () => port !== null,

    /** Sends a message. False where the extension is gone: it was removed or reloaded. */
    send(message) {
      try {
        if (!port) connect();
        post(message);
        return true;
      } catch {
        port = null;
        return false;
      }
    },

    /** Ends the connection. */
    close() {
      port?.disconnect();
      port = null;
    },
  };
})();
