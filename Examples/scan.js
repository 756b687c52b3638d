#!/usr/bin/env node
// Scans one tag and prints the URLs on it. Requires only Node's built-in modules.

const net = require("node:net");
const readline = require("node:readline");

const path = process.env.NFCD_SOCKET ?? "/run/nfcd/nfcd.sock";
const connection = net.connect(path);

function end(status, text) {
  if (text) console.error(text);
  process.exitCode = status;
  connection.destroy();
}

// Requests and answers are JSON-RPC 2.0, one object a line.
const params = { kind: "ndef", invalidateAfterFirstRead: true };
connection.write(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "session.begin", params }) + "\n");
connection.on("error", (error) => end(1, `cannot connect to nfcd on ${path}: ${error.message}`));
connection.on("end", () => end(1, "nfcd closed the connection"));

readline.createInterface({ input: connection }).on("error", () => {}).on("line", (line) => {
  const { method, params, error } = JSON.parse(line);
  if (error) return end(1, `request failed: ${error.message}`);
  if (method === "session.didBecomeActive") console.error("Hold a tag to the reader.");
  if (method === "session.didDetectNDEFs") {
    if (params.error) console.error(`${params.error.message}: ${params.error.detail}`);
    for (const record of params.messages.flatMap((message) => message.records))
      if (record.decoded?.kind === "uri") console.log(record.decoded.uri);
  }
  // 204: the session ended because a message was read, as requested.
  if (method === "session.didInvalidate")
    params.code === 204 ? end(0) : end(1, `${params.message}: ${params.detail}`);
});
