"use strict";
// What the checks use in a page: calls whose results are plain values, and a list of what happened.
const seen = [];
const readers = {};
const signals = {};

/** The name of an error, or "ok": what a promise ended with. */
const outcome = (promise) => promise.then(() => "ok", (error) => error?.name ?? `${error}`);

/** What a record shows, as plain values. */
const plainRecord = ({ recordType, mediaType, id, encoding, lang, data }) => ({
  recordType, mediaType, id, encoding, lang, data: data && new TextDecoder().decode(data),
});

/** Starts a scan under a name; what it gets is appended to `seen`. */
function scan(name = "a", options = {}) {
  const reader = (readers[name] ??= new NDEFReader());
  reader.onreading = ({ serialNumber, message }) =>
    seen.push({ name, type: "reading", serialNumber, records: message.records.map(plainRecord) });
  reader.onreadingerror = () => seen.push({ name, type: "readingerror" });
  return outcome(reader.scan(options));
}

/** A signal under a name, which `abort` aborts. */
function signal(name) {
  return (signals[name] ??= new AbortController()).signal;
}

const abort = (name, reason) => signals[name].abort(reason);

/** Runs a function in a click, which counts as user activation; its result is `clicked`. */
let clicked;
function onClick(action) {
  document.getElementById("go").onclick = () => { clicked = action(); };
}

// What check_records.py compares on a tag.
const fromHex = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));

/** The argument that a row of web-nfc.jsonl describes. */
function vectorArgument(init) {
  if (Array.isArray(init)) return init.map(vectorArgument);
  if (init === null || typeof init !== "object") return init;
  if ("$buffer" in init) return fromHex(init.$buffer).buffer;
  if ("$view" in init) return fromHex(init.$view);
  return Object.fromEntries(Object.entries(init).map(([key, value]) => [key, vectorArgument(value)]));
}

const writeVector = (init) => outcome(new NDEFReader().write(vectorArgument(init)));
