import { api } from "../background/api.js";

/** A page could open the window under the pointer while the user clicks. */
const inactiveTime = 500;
const element = (id) => document.getElementById(id);

const questions = {
  scan: { purpose: "read NFC tags that you hold to the reader, and to write them" },
  write: { purpose: "write NFC tags that you hold to the reader, and to read them" },
  lock: { purpose: "make an NFC tag read-only" },
  "first-lock": { purpose: "make an NFC tag read-only, and to read and write tags" },
};
const lockWarning = "The next tag on the reader is locked permanently. It can never be written again.";

const port = api.runtime.connect({ name: "question" });
port.onMessage.addListener(({ origin, purpose, isPrivate }) => {
  element("origin").textContent = origin;
  element("purpose").textContent = questions[purpose].purpose;
  const isLock = purpose.endsWith("lock");
  element("warning").hidden = !isLock;
  element("warning").textContent = lockWarning;
  element("private").hidden = !isPrivate;
  const buttons = purpose === "lock"
    ? [["once", "Make this tag read-only", "danger"], ["block", "Cancel", ""]]
    : [["tab", "Allow while this tab is open", "main"], ["always", "Always allow", ""], ["block", "Block", ""]];
  element("buttons").replaceChildren(...buttons.map(makeButton));
  setTimeout(() => {
    for (const button of element("buttons").children) button.disabled = false;
  }, inactiveTime);
});
port.onDisconnect.addListener(() => window.close());

function makeButton([answer, label, style]) {
  const button = document.createElement("button");
  Object.assign(button, { id: answer, textContent: label, className: style, disabled: true });
  button.addEventListener("click", ({ isTrusted }) => {
    if (isTrusted) port.postMessage({ answer });
  });
  return button;
}
