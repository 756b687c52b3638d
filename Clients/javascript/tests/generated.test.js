import assert from "node:assert/strict";
import fs from "node:fs";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import os from "node:os";
import path from "node:path";
import * as nfcd from "../src/index.js";
import { generated } from "../tools/generate.mjs";
import { Daemon } from "./support.js";

const hexadecimal = { type: "string", pattern: "^([0-9A-Fa-f]{2})*$" };
const integer = { type: "integer" };
const flag = { type: ["boolean", "null"] };

/** A method that names a tag. Parameters are pairs of name and schema; the optional ones have a name with `?`. */
function method(name, params = [], result = { type: "object" }, more = {}) {
  const place = [["session", { type: "string" }], ["tag", { type: "string" }]];
  const described = [...place, ...params].map(([name, schema]) => {
    const plain = name.replace("?", "");
    return { name: plain, schema, required: plain === name, description: `The ${plain}.` };
  });
  return { name, summary: "Tries it.", params: described, result: { name: "result", required: true, schema: result }, ...more };
}

const members = (properties, required = Object.keys(properties)) => ({ type: "object", properties, required });

describe("what is generated", () => {
  let daemon, document, folder;
  before(async () => {
    daemon = await new Daemon().start();
    const client = new nfcd.Client({ socket: daemon.socket });
    document = await client.call("rpc.discover");
    client.close();
    folder = fs.mkdtempSync(path.join(os.tmpdir(), "nfcd-js-"));
  });
  after(async () => {
    fs.rmSync(folder, { recursive: true });
    await daemon.close();
  });

  /** The files for the methods of nfcd and these. */
  const files = (...methods) => generated({ ...document, methods: [...document.methods, ...methods] });

  test("every method that names a tag is a command", () => {
    const tag = Object.create(nfcd.Tag.prototype);
    const names = document.methods
      .filter(({ params }) => ["session", "tag"].every((one) => params.some(({ name }) => name === one)))
      .map(({ name }) => name)
      .filter((name) => name !== "session.connect");
    assert.ok(names.length > 20);
    for (const name of names) {
      const [group, command] = name.split(".");
      assert.equal(typeof (group === "tag" ? tag : tag[group])[command], "function", name);
    }
  });

  test("a trial method is a command with types", () => {
    const more = { description: "It is for tests.", "x-requires": ["raw", "lock"] };
    const trial = method("tag.tryIt", [["firstBlock", integer], ["key?", hexadecimal], ["progress?", flag]], members({ proof: hexadecimal }), more);
    const [plain, tried] = [files(), files(trial)];
    const added = (name, begin, end) => {
      const [text, other] = [tried[name], plain[name]];
      const from = text.indexOf(begin);
      const until = text.indexOf(end, from) + end.length;
      assert.equal(text.slice(0, from) + text.slice(until), other);
      return text.slice(from, until);
    };
    assert.equal(added("commands.js", "  /** Tries it. */", "  }\n\n"), `  /** Tries it. */
  async tryIt(firstBlock, { key, onProgress, ...options } = {}) {
    return member(await this.call("tag.tryIt", { firstBlock, key, progress: onProgress ? true : undefined }, { ...options, onProgress }), "proof");
  }

`);
    assert.equal(added("commands.d.ts", "  /**\n   * Tries it.", ">;\n"), `  /**
   * Tries it. Needs \`raw\` and \`lock\`.
   * It is for tests.
   * @param firstBlock The firstBlock.
   * @param options.key The key.
   * @param options.onProgress Is called with what is done and the total.
   */
  tryIt(firstBlock: number, options?: CommandOptions<{ "key"?: Bytes; onProgress?: CallOptions["onProgress"] }>): Promise<Methods["tag.tryIt"]["result"]["proof"]>;
`);
    assert.equal(added("protocol.d.ts", "  /** Tries it. */", "};\n"), `  /** Tries it. */
  "tag.tryIt": { params: { "session": string; "tag": string; "firstBlock": number; "key"?: Bytes; "progress"?: boolean | null }; result: { "proof": string } };
`);
  });

  test("groups, names and results follow one rule", async () => {
    const source = files(
      method("tag.empty"), method("tag.one", [], members({ count: integer })), method("tag.perhaps", [], members({ count: integer }, [])),
      method("tag.two", [], members({ count: integer, data: hexadecimal })),
      method("tag.map", [], { type: "object", additionalProperties: integer }), method("tag.list", [], { type: "array", items: integer }),
      method("tag.delete", [["class", integer], ["options", integer], ["in?", integer]]), method("tag.longTask", [["progress?", flag]]),
      method("tag.steps", [["progress?", integer]]), method("newChip.readUID", [["bank", integer]], members({ data: hexadecimal })),
      method("topLevel"), method("session.connect"))["commands.js"];
    const file = path.join(folder, "commands.mjs");
    fs.writeFileSync(file, source.replace("./errors.js", new URL("../src/errors.js", import.meta.url).href));
    const { TagCommands } = await import(pathToFileURL(file).href);
    const onProgress = () => {};
    const cases = [
      [(tag) => tag.empty(), ["tag.empty", {}], { later: 1 }, undefined],
      [(tag) => tag.one(), ["tag.one", {}], { count: 7 }, 7],
      [(tag) => tag.perhaps(), ["tag.perhaps", {}], { count: 7 }, { count: 7 }],
      [(tag) => tag.two(), ["tag.two", {}], { count: 7, data: "00" }, { count: 7, data: "00" }],
      [(tag) => tag.map(), ["tag.map", {}], { a: 7 }, { a: 7 }],
      [(tag) => tag.list(), ["tag.list", {}], [7], [7]],
      [(tag) => tag.delete(7, 8, { in: 9, timeout: 1 }), ["tag.delete", { class: 7, options: 8, in: 9 }, { timeout: 1 }], {}, undefined],
      [(tag) => tag.longTask(), ["tag.longTask", {}], {}, undefined],
      [(tag) => tag.longTask({ onProgress }), ["tag.longTask", { progress: true }, { onProgress }], {}, undefined],
      [(tag) => tag.steps({ progress: 7 }), ["tag.steps", { progress: 7 }], {}, undefined],
      [(tag) => tag.newChip.readUID(7), ["newChip.readUID", { bank: 7 }], { data: "00" }, "00"],
      [(tag) => tag.topLevel(), ["topLevel", {}], {}, undefined],
    ];
    const plain = (value) => JSON.parse(JSON.stringify(value ?? {}, (_, one) => (typeof one === "function" ? "function" : one)));
    for (const [command, [name, params, options], answer, returned] of cases) {
      const sent = [];
      const tag = new (class extends TagCommands {
        async call(...call) {
          sent.push(call.map(plain));
          return answer;
        }
      })();
      assert.deepEqual(await command(tag), returned, name);
      assert.deepEqual(sent[0].slice(0, 2), [name, params].map(plain));
      assert.deepEqual(sent[0][2], plain(options));
    }
    assert.ok(!("session" in TagCommands.prototype));
    const tag = Object.assign(new TagCommands(), { call: async () => ({}) });
    await assert.rejects(tag.one(), nfcd.ProtocolError);
  });
});
