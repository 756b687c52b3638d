"use strict";
// What a frame gets.
(async () => {
  const outcome = (promise) => promise.then((value) => value?.state ?? "ok", ({ name }) => name);
  const reader = new NDEFReader();
  parent.postMessage(await Promise.all([outcome(reader.scan()), outcome(reader.write("x")), outcome(reader.makeReadOnly()),
    outcome(navigator.permissions.query({ name: "nfc" }))]), "*");
})();
