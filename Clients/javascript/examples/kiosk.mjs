#!/usr/bin/env node
// A kiosk: shows what is held to the reader, without end. It uses the journal if nfcd has one, so that no tap is lost; it waits
// for nfcd to start, and continues when nfcd restarts.
//     node kiosk.mjs [NUMBER OF TAPS]
import { Client } from "nfcd";

const most = Number(process.argv[2] ?? Infinity);
const client = new Client({ wait: true });
const { journal } = await client.info();
const stored = journal === "ready" ? client.journal("kiosk") : undefined;
console.log(stored ? "Taps of the journal:" : "Hold a tag to a reader.");

let shown = 0;
for await (const tap of stored ?? client.background()) {
  console.log(`${tap.readerName}: ${tap.identifier}: ${tap.uri ?? tap.text ?? tap.error?.message ?? "empty"}`);
  await stored?.acknowledge(tap);
  shown += 1;
  if (shown === most) break;
}
client.close();
