// Only in a test build: the background with a permission that the test sets, a reader that it moves tags on, and no questions.
import { api, failure } from "../background/api.js";
import { Host } from "../background/host.js";
import { Service } from "../background/service.js";

const simulator = "org.nfcd.web.testing";
const failures = {
  off: failure("NotReadableError", "NFC is off"),
  closed: failure("NotSupportedError", "there is no nfcd-web"),
};

/** nfcd-web, or none. */
class TestHost extends Host {
  state = "on";
  #report;

  listen(report, onLost) {
    this.#report = report;
    super.listen(report, onLost);
  }

  send(message) {
    const error = failures[this.state];
    if (error && ["scan", "write", "lock"].includes(message.verb))
      return void setTimeout(() => this.#report({ event: "failed", id: message.id, error }));
    super.send(message);
  }
}

const host = new TestHost();
const service = new Service(host);
const states = new Map();
service.grants.state = ({ origin }) => states.get(origin) ?? "granted";
service.grants.isManaged = () => true;

let native = null;
const waiting = [];

/** Asks the program of the test for something; it answers in order. */
function ask(message) {
  if (!native) {
    native = api.runtime.connectNative(simulator);
    native.onMessage.addListener((answer) => waiting.shift()?.(answer));
    native.onDisconnect.addListener(() => {
      for (const resolve of waiting.splice(0)) resolve({ error: `${api.runtime.lastError?.message}` });
      native = null;
    });
  }
  return new Promise((resolve) => {
    waiting.push(resolve);
    native.postMessage(message);
  });
}

async function carryOut({ name, state, tag }, origin) {
  switch (name) {
    case "permission":
      states.set(origin, state);
      return service.grants.notify();
    case "adapter":
      host.state = state;
      return ask({ name: "plug", connected: state !== "unsupported" });
    case "reset":
      host.state = "on";
      await ask({ name: "plug", connected: true });
      return ask({ name: "lift" });
    // `show` is for one operation: a tag that lies there already is used for it.
    default: return ask({ name, tag });
  }
}

api.runtime.onConnect.addListener((port) => {
  if (port.name !== "testing") return;
  port.onMessage.addListener(async (command) => {
    const answer = await carryOut(command, port.sender.origin);
    if (answer?.error) console.error(answer.error);
    port.postMessage({ id: command.id });
  });
});
