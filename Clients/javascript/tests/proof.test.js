import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import readline from "node:readline";
import { test } from "node:test";
import * as nfcd from "../src/index.js";
import { fakeDaemon } from "./support.js";

const root = new URL("..", import.meta.url).pathname;
const PROVEN = { status: "proven", method: "sun", profile: "door", key: "front", keyVersion: 1, counter: 7, identifier: "04A1" };

const tap = (proof) => ({
  subscription: "s", reader: "desk", readerName: "Desk", messages: [], tag: { type: "iso7816", identifier: "04A1" },
  ...(proof ? { proof } : {}),
});

/** A daemon that answers a subscription, and then sends taps; `requests` has what it received. */
async function daemon(taps) {
  const requests = [];
  const fake = await fakeDaemon((connection) => {
    readline.createInterface({ input: connection }).on("line", (line) => {
      const request = JSON.parse(line);
      requests.push(request);
      const send = (message) => connection.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
      if (request.id !== undefined) send({ id: request.id, result: { subscription: "s", epoch: "e", after: 0, newest: 0 } });
      if (request.method === "background.subscribe") for (const params of taps) send({ method: "background.didReadTag", params });
      if (request.method === "taps.subscribe") {
        for (const [index, { proof }] of taps.entries()) {
          const recorded = { ...tap(proof), message: null, sequence: index + 1, id: "i", time: "2025-01-01T00:00:00Z", epoch: "e" };
          send({ method: "taps.didRecord", params: { subscription: "s", tap: recorded } });
        }
      }
    }).on("error", () => {});
  });
  return { ...fake, requests };
}

test("taps have their proof, and no status but proven counts", async () => {
  const proofs = [PROVEN, undefined, { status: "replayed", profile: "door" }, { status: "Proven", profile: "door" }];
  const fake = await daemon(proofs.map(tap));
  const client = new nfcd.Client({ socket: fake.socket });
  for (const taps of [client.background({ require: "proven" }), client.journal("door", { require: "proven" }).taps()]) {
    const found = [];
    for await (const one of taps) if (found.push(one) === proofs.length) break;
    assert.deepEqual(found.map(({ proof }) => proof), proofs);
    assert.deepEqual(found.map(({ isProven }) => isProven), [true, false, false, false]);
  }
  const asked = fake.requests.filter(({ method }) => method.endsWith(".subscribe")).map(({ params }) => params);
  assert.deepEqual(asked, [{ require: "proven" }, { consumer: "door", require: "proven" }]);
  client.close();
  fake.close();
});

test("the door opens for its profile alone", async () => {
  const fake = await daemon([tap(), tap({ status: "replayed", profile: "door" }), tap({ ...PROVEN, profile: "till" }), tap(PROVEN)]);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "nfcd-js-"));
  fs.mkdirSync(path.join(folder, "node_modules"));
  fs.symlinkSync(root, path.join(folder, "node_modules/nfcd"));
  fs.copyFileSync(path.join(root, "examples/door.mjs"), path.join(folder, "door.mjs"));
  const door = spawn(process.execPath, [path.join(folder, "door.mjs"), "door", "echo", "opened"], {
    env: { ...process.env, NFCD_SOCKET: fake.socket }, stdio: ["ignore", "pipe", "inherit"] });
  const lines = [];
  for await (const line of readline.createInterface({ input: door.stdout })) if (lines.push(line) === 5) break;
  door.kill();
  assert.deepEqual(lines, ["Desk: closed", "Desk: closed", "Desk: closed", "Desk: open for 04A1 by front", "opened"]);
  fake.close();
  fs.rmSync(folder, { recursive: true, force: true });
});
