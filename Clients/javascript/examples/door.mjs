#!/usr/bin/env node
// A door: runs a command for each tag that has proven itself by one profile of nfcd, and for no other. It never decides by the UID or
// the message of a tag, which anyone can copy, and uses no journal: a door must not open for a tap of yesterday.
//     node door.mjs PROFILE COMMAND [ARGUMENT ...]
import { spawnSync } from "node:child_process";
import { Client } from "nfcd";

const [profile, command, ...rest] = process.argv.slice(2);
const client = new Client({ wait: true });
// nfcd sends proven taps alone; a door checks again, and that it is the profile of this door.
for await (const tap of client.background({ require: "proven" })) {
  const mayEnter = tap.isProven && tap.proof.profile === profile;
  console.log(`${tap.readerName}: ${mayEnter ? `open for ${tap.proof.identifier ?? tap.identifier} by ${tap.proof.key}` : "closed"}`);
  if (mayEnter) spawnSync(command, rest, { stdio: ["ignore", "inherit", "inherit"] });
}
