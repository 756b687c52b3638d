"use strict";
// Scans, writes and locks tags with Web NFC: in Chrome on Android as it is, on a Linux desk with nfcd and its extension.
const element = (id) => document.getElementById(id);
let scanning = null;

function log(...lines) {
  element("log").prepend(`${new Date().toLocaleTimeString()}  ${lines.join("\n          ")}\n`);
}

/** A record in words. */
function describe({ recordType, mediaType, encoding, lang, data }) {
  if (recordType === "empty" || !data) return recordType;
  const text = new TextDecoder(encoding ?? "utf-8").decode(data);
  if (recordType === "mime" && !/^text|json/.test(mediaType)) return `${mediaType}, ${data.byteLength} bytes`;
  return `${recordType}${mediaType ? ` ${mediaType}` : ""}${lang ? ` (${lang})` : ""}: ${text}`;
}

/** Runs an action, and reports how it ended. */
async function attempt(name, action) {
  try {
    await action();
  } catch (error) {
    log(`${name}: ${error.name ?? error}: ${error.message ?? ""}`);
  }
}

element("scan").onclick = () => attempt("scan", async () => {
  scanning = new AbortController();
  const reader = new NDEFReader();
  reader.onreading = ({ serialNumber, message }) =>
    log(`tag ${serialNumber || "without serial number"}`, ...message.records.map(describe));
  reader.onreadingerror = () => log("this tag cannot be read");
  await reader.scan({ signal: scanning.signal });
  element("stop").disabled = false;
  log("scanning: hold a tag to the reader");
});

element("stop").onclick = () => {
  scanning.abort();
  element("stop").disabled = true;
  log("stopped");
};

element("write").onclick = () => attempt("write", async () => {
  log("hold the tag to the reader");
  const record = { recordType: element("kind").value, data: element("content").value };
  await new NDEFReader().write({ records: [record] }, { overwrite: element("overwrite").checked });
  log("written");
});

element("lock").onclick = () => attempt("lock", async () => {
  if (!confirm("The next tag can never be written again.")) return;
  log("hold the tag to the reader");
  await new NDEFReader().makeReadOnly();
  log("locked");
});

element("support").textContent = "NDEFReader" in window
  ? "This browser has Web NFC." : "This browser has no Web NFC, or the page is not secure (https or localhost).";
