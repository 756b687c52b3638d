"use strict";
// What the relay takes from the page, and the background from the relay. The page shares its world with channel.js, and a renderer
// may be taken over, so everything may be forged: each call is built again from checked fields, and nothing else continues.
globalThis.checks = (() => {
  const most = { calls: 64, callsPerSecond: 200, records: 1024, messageDigits: 2 * 32 * 1024 };
  const formats = ["empty", "nfcWellKnown", "media", "absoluteURI", "nfcExternal", "unknown"];
  const isDigits = (value) => typeof value === "string" && value.length % 2 === 0 && /^[0-9a-f]*$/.test(value);

  const failure = (name, message) => ({ name, message });

  /** The record for nfcd; null if it is not a record. */
  function record(value) {
    if (typeof value !== "object" || value === null) return null;
    const { typeNameFormat, type, identifier, payload } = value;
    if (!formats.includes(typeNameFormat) || ![type, identifier, payload].every(isDigits)) return null;
    return { typeNameFormat, type, identifier, payload };
  }

  /** The records of a write; otherwise why they are refused. */
  function message(values) {
    if (!Array.isArray(values) || values.length === 0) return { error: failure("SyntaxError", "the message is not valid") };
    let digits = 0;
    const records = [];
    if (values.length > most.records) return { error: tooLong };
    for (const value of values) {
      const found = record(value);
      if (!found) return { error: failure("SyntaxError", "the message is not valid") };
      digits += found.type.length + found.identifier.length + found.payload.length + 16;
      if (digits > most.messageDigits) return { error: tooLong };
      records.push(found);
    }
    return { records };
  }

  const tooLong = failure("NetworkError", "the message is longer than 32 KiB");

  return {
    most,
    failure,

    /** The call in a message of the page: { id, verb, content }; null if it is not a call, { error } where it is refused. */
    call(value) {
      if (typeof value !== "object" || value === null) return null;
      const { id, verb } = value;
      if (!Number.isSafeInteger(id) || id < 1) return null;
      switch (verb) {
        case "scan": case "lock": case "stop": case "cancel": case "query": return { id, verb, content: {} };
        case "write": {
          const { error, records } = message(value.records);
          return error ? { id, error } : { id, verb, content: { records, overwrite: value.overwrite === true } };
        }
        default: return null;
      }
    },

    /** Why the document may not make a call now; null where it may. */
    gate(verb) {
      if (!globalThis.isSecureContext) return failure("NotSupportedError", "NFC is for secure pages");
      if (window.top !== window) return failure("InvalidStateError", "NFC is for the top-level document, not for frames");
      if (verb !== "scan" && document.visibilityState !== "visible") return failure("AbortError", "the page is hidden");
      return null;
    },
  };
})();
