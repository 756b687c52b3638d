"use strict";
// Defines the four names of Web NFC, where the browser has none of them and the context is secure.
{
  const shared = nfcdWebNFC;
  delete globalThis.nfcdWebNFC;

  const enumerable = (prototype, names) => {
    for (const name of names)
      Object.defineProperty(prototype, name, { ...Object.getOwnPropertyDescriptor(prototype, name), enumerable: true });
  };
  const members = {
    NDEFMessage: ["records"],
    NDEFRecord: ["recordType", "mediaType", "id", "data", "encoding", "lang", "toRecords"],
    NDEFReader: ["onreading", "onreadingerror", "scan", "makeReadOnly", "write"],
    NDEFReadingEvent: ["serialNumber", "message"],
  };

  if (globalThis.isSecureContext && !("NDEFReader" in globalThis)) {
    for (const [name, names] of Object.entries(members)) {
      const { prototype } = shared[name];
      enumerable(prototype, names);
      Object.defineProperty(prototype, Symbol.toStringTag, { value: name, configurable: true });
      Object.defineProperty(globalThis, name, { value: shared[name], writable: true, configurable: true });
    }
    shared.definePermission();
  }
}
