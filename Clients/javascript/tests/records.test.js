import assert from "node:assert/strict";
import fs from "node:fs";
import { describe, test } from "node:test";
import { record, uri } from "../src/index.js";

// The Python client and nfcctl have the same table.
const table = JSON.parse(fs.readFileSync(new URL("../../../Tests/Documentation/uris.json", import.meta.url), "utf8"));
const messages = { scheme: /it has no scheme/, space: /a URI has no spaces or control characters/ };

describe("a URI", () => {
  for (const { uri: address, doubt } of table) {
    test(`${JSON.stringify(address)} is ${doubt ? `refused: ${doubt}` : "taken"}`, () => {
      if (doubt) assert.throws(() => uri(address), messages[doubt]);
      else assert.deepEqual(uri(address), record("uri", { uri: address }));
    });
  }
});
