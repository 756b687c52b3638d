import assert from "node:assert/strict";
import { test } from "node:test";
import * as nfcd from "../src/index.js";
import { fakeDaemon } from "./support.js";

const answers = [
  ["a line that is not JSON", "x\n", nfcd.ProtocolError],
  ["a line that is not an object", "[]\n", nfcd.ProtocolError],
  ["an object that is neither answer nor notification", "{}\n", nfcd.ProtocolError],
  ["an answer to another request", '{"id":7,"result":{}}\n', nfcd.ProtocolError],
  ["an answer without a result", '{"id":1}\n', nfcd.ProtocolError],
  ["a line without an end", "x".repeat(1_100_000), nfcd.ProtocolError],
  ["a notification without parameters", '{"method":"a"}\n', nfcd.ProtocolError],
  ["an error for the connection", '{"id":null,"error":{"code":-32700,"message":"too long"}}\n', nfcd.ConnectionLost],
  ["the end", undefined, nfcd.ConnectionLost],
  ["an error with nonsense in it", '{"id":1,"error":{"code":"x","message":7,"data":[]}}\n', nfcd.NFCError],
];

for (const [what, bytes, kind] of answers) {
  test(`${what} is a clear error`, async () => {
    const daemon = await fakeDaemon((connection) => connection.once("data", () => (bytes ? connection.write(bytes) : connection.end())));
    const client = new nfcd.Client({ socket: daemon.socket });
    await assert.rejects(client.info(), (error) => error instanceof kind && error.message.length < 400);
    client.close();
    daemon.close();
  });
}

test("no answer ends the wait at its time limit", async () => {
  const daemon = await fakeDaemon(() => {});
  const client = new nfcd.Client({ socket: daemon.socket, timeout: 50 });
  await assert.rejects(client.info(), nfcd.NoAnswer);
  client.close();
  daemon.close();
});

test("notifications that are not read are bounded", async () => {
  const event = (number) =>
    JSON.stringify({ method: "session.didDetectNDEFs", params: { session: "s", messages: [], more: "x".repeat(1_000_000), number } });
  const daemon = await fakeDaemon((connection) =>
    connection.once("data", () => {
      connection.write('{"id":1,"result":{"session":"s"}}\n');
      for (let number = 0; number < 20; number += 1) connection.write(event(number) + "\n");
    }));
  const client = new nfcd.Client({ socket: daemon.socket });
  const session = await client.readSession();
  // Nothing is read until the connection has ended, which ends this request, too.
  await assert.rejects(client.info(), /iterate faster/);
  await assert.rejects(async () => {
    for await (const tap of session) assert.deepEqual(tap.records, []);
  }, /iterate faster/);
  client.close();
  daemon.close();
});

test("an answer that comes with its first notifications loses none", async () => {
  const lines = [
    { id: 1, result: { session: "s" } },
    { method: "session.didDetectNDEFs", params: { session: "s", identifier: "01", messages: [{ records: [null, { decoded: { uri: "https://x.example/1" } }] }] } },
    { method: "session.didInvalidate", params: { session: "s", code: 201, name: "SessionTimeout", message: "over", detail: "" } },
  ];
  const daemon = await fakeDaemon((connection) =>
    connection.once("data", () => connection.write(lines.map((line) => JSON.stringify(line) + "\n").join(""))));
  const client = new nfcd.Client({ socket: daemon.socket });
  const taps = [];
  for await (const tap of await client.readSession()) taps.push(tap.uri);
  assert.deepEqual(taps, ["https://x.example/1"]);
  client.close();
  daemon.close();
});

test("a request that is too long is refused before it is sent", async () => {
  const daemon = await fakeDaemon(() => {});
  const client = new nfcd.Client({ socket: daemon.socket });
  await assert.rejects(client.call("tag.writeNDEF", { text: "x".repeat(1_100_000) }), { code: 105 });
  client.close();
  daemon.close();
});
