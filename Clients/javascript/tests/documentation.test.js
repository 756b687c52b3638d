import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import readline from "node:readline";
import { after, before, describe, test } from "node:test";
import * as nfcd from "../src/index.js";
import { Daemon } from "./support.js";

const root = new URL("..", import.meta.url).pathname;
const blocks = fs.readFileSync(path.join(root, "README.md"), "utf8").split("```js\n").slice(1).map((text) => text.split("\n```")[0]);

describe("the programs of the README and the kiosk", () => {
  let daemon, person, modules;
  before(async () => {
    daemon = await new Daemon({ journal: true }).start();
    person = new nfcd.Client({ socket: daemon.socket });
    // The package as a program finds it.
    modules = path.join(daemon.folder, "node_modules");
    fs.mkdirSync(modules);
    fs.symlinkSync(process.env.NFCD_PACKAGE ?? root, path.join(modules, "nfcd"));
  });
  after(async () => {
    person.close();
    await daemon.close();
  });

  /** Runs a program, puts tags on the reader until it has printed a line, and returns that line. */
  async function firstLine(program) {
    const file = path.join(daemon.folder, "program.mjs");
    fs.writeFileSync(file, program);
    const child = spawn(process.execPath, [file], { env: { ...process.env, NFCD_SOCKET: daemon.socket }, stdio: ["ignore", "pipe", "inherit"] });
    const exited = new Promise((resolve) => child.once("exit", resolve));
    const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    let line;
    const printed = lines.next().then(({ value }) => (line = value ?? "nothing"));
    // Another tag each time: the journal does not take the same tag twice within a few seconds.
    for (let number = 0; line === undefined; number += 1) {
      const identifier = `04${(number + 1).toString(16).padStart(12, "0")}`;
      const lift = await person.virtualTag("ntag215", { uri: "https://example.com/1", identifier });
      await Promise.race([printed, new Promise((resolve) => setTimeout(resolve, 3000))]);
      await lift();
    }
    child.kill();
    await exited;
    return line;
  }

  test("a session prints each tap", async () => {
    assert.match(await firstLine(blocks[0]), /^04[0-9A-F]{12} https:\/\/example\.com\/1$/);
  });

  test("a tag is written", async () => {
    assert.equal(await firstLine(blocks[1]), "now it says https://example.com");
  });

  test("taps in the background are printed", async () => {
    assert.equal(await firstLine(blocks[2]), "Simulated Reader 0 https://example.com/1");
  });

  test("taps of the journal are printed", async () => {
    assert.match(await firstLine(blocks[3]), /^20\S+Z 04[0-9A-F]{12}$/);
    assert.equal(blocks.length, 4);
  });

  test("the kiosk shows taps", async () => {
    const kiosk = fs.readFileSync(path.join(root, "examples/kiosk.mjs"), "utf8").replace('console.log(stored ? "Taps of the journal:" : "Hold a tag to a reader.");', "");
    assert.match(await firstLine(kiosk), /^Simulated Reader 0: 04[0-9A-F]{12}: https:\/\/example\.com\/1$/);
  });
});
