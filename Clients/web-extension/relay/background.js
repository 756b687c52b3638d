"use strict";
// The connection to the extension's background, which is made with the first call. The browser ends the background when nothing
// happens, and the connection with it.
const background = (() => {
  const api = globalThis.browser ?? globalThis.chrome;
  /** The background greets each connection. While the extension is being reloaded, no greeting comes, and no error either. */
  const greetingTime = 5000;
  let port = null;
  let onMessage = () => {};
  let onLost = () => {};

  function connect() {
    port = api.runtime.connect({ name: "page" });
    const own = port;
    const lose = () => {
      if (own !== port) return;
      port = null;
      onLost();
    };
    const timer = setTimeout(() => {
      own.disconnect();
      lose();
    }, greetingTime);
    port.onMessage.addListener((message) => {
      clearTimeout(timer);
      if (own === port && message.event !== "hello") onMessage(message);
    });
    port.onDisconnect.addListener(() => {
      void api.runtime.lastError;
      clearTimeout(timer);
      lose();
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
