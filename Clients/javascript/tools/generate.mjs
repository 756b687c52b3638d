#!/usr/bin/env node
// Makes the files of src that come from the answer of rpc.discover on standard input: protocol.d.ts, the types of every method;
// commands.js and commands.d.ts, the commands of a tag.
//     Scripts/protocol-tables --openrpc | Clients/javascript/tools/generate.mjs [--check]
// With --check, it fails if a file is not current.
import fs from "node:fs";
import { pathToFileURL } from "node:url";
import { commandsSource, commandTypes } from "./commands.mjs";
import { jsdoc, object, type } from "./types.mjs";

function method({ name, summary, params, result }) {
  const properties = Object.fromEntries(params.map((param) => [param.name, param.schema]));
  const required = params.filter((param) => param.required).map((param) => param.name);
  const types = `{ params: ${object({ properties, required }, true)}; result: ${type(result.schema)} }`;
  return `${jsdoc([summary], "  ")}\n  ${JSON.stringify(name)}: ${types};`;
}

const protocolTypes = ({ methods }) => `// Made from rpc.discover by tools/generate.mjs.

/** Bytes, or their hexadecimal digits. */
export type Bytes = string | Uint8Array;

/** A record; decoded where nfcd knows its type. Bytes are hexadecimal. The kinds are in Docs/ndef.md. */
export interface NDEFRecord {
  typeNameFormat: string;
  type: string;
  identifier: string;
  payload: string;
  decoded?: DecodedPayload;
  decodeError?: { code: string; message: string };
}
export type DecodedPayload = { kind: string; [field: string]: any };
export interface NDEFMessage {
  records: NDEFRecord[];
}

/** A record for writing: raw, or by what it says. */
export type WritableRecord = {
  typeNameFormat?: string;
  type?: Bytes;
  identifier?: Bytes;
  payload?: Bytes;
  decoded?: DecodedPayload;
};
/** A message for writing. */
export type WritableMessage = { records: WritableRecord[] } | { encoded: Bytes };

/** The methods of nfcd: what each takes and returns. Bytes in results are hexadecimal. */
export interface Methods {
${methods.filter(({ name }) => !name.startsWith("$/")).map(method).join("\n")}
}
`;

/** The files for an answer of rpc.discover, by name. */
export function generated(document) {
  return { "protocol.d.ts": protocolTypes(document), "commands.js": commandsSource(document), "commands.d.ts": commandTypes(document) };
}

function main() {
  for (const [name, made] of Object.entries(generated(JSON.parse(fs.readFileSync(0, "utf8"))))) {
    const file = new URL(`../src/${name}`, import.meta.url);
    if (!process.argv.includes("--check")) {
      fs.writeFileSync(file, made);
    } else if (!fs.existsSync(file) || fs.readFileSync(file, "utf8") !== made) {
      console.error(`src/${name} is not current: run Scripts/protocol-tables --openrpc | Clients/javascript/tools/generate.mjs`);
      process.exitCode = 1;
    }
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) main();
