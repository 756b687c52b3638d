"use strict";
// Only in a test build: passes the commands of WebNFCTest on.
(() => {
  const api = globalThis.browser ?? globalThis.chrome;
  const { port1: port, port2 } = new MessageChannel();
  document.dispatchEvent(new MessageEvent("nfcd-testing-port", { ports: [port2] }));
  let background = null;
  port.onmessage = ({ data }) => {
    if (!background) {
      background = api.runtime.connect({ name: "testing" });
      background.onMessage.addListener((message) => port.postMessage(message));
    }
    background.postMessage(data);
  };
})();
