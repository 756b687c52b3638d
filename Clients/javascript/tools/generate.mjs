#!/usr/bin/env node
// Makes the files of src that come from the answer of rpc.discover on standard input: protocol.d.ts, the types of every method;
// commands.js and commands.d.ts, the commands of a tag.
//     Scripts/protocol-tables --openrpc | Clients/javascript/tools/generate.mjs [--check]
// With --check, it fails if a file is not current.
import fs from "node:fs";
import { pathToFileURL } from "node:url";
import { commandsSource, commandTypes } from "./commands.mjs";
import { expanded, isNamed, jsdoc, members, named, object, type } from "./types.mjs";

function method({ name, summary, params, result }) {
  const properties = Object.fromEntries(params.map((param) => [param.name, param.schema]));
  const required = params.filter((param) => param.required).map((param) => param.name);
  const types = `{ params: ${object({ properties, required }, true)}; result: ${type(result.schema)} }`;
  return `${jsdoc([summary], "  ")}\n  ${JSON.stringify(name)}: ${types};`;
}

/** The kinds of DecodedPayload, and the objects within them. */
function payloadTypes(schemas) {
  const { DecodedPayload, NDEFMessage, NDEFRecord, ...others } = schemas;
  const objects = Object.fromEntries(Object.entries(others).filter(([name]) => isNamed(name, schemas)));
  // The last alternative is that of kinds that are added later.
  const kinds = DecodedPayload.oneOf.filter(({ $ref }) => $ref && isNamed($ref.split("/").pop(), schemas));
  const union = (isParameter) => kinds.map((kind) => `\n  | ${type(kind, isParameter)}`).join("");
  const declarations = Object.entries(objects).sort().flatMap(([name, schema]) => [payload(name, schema, false), payload(name, schema, true)]);
  return `/** The decoded form of a payload, by its \`kind\`. A later nfcd may have other kinds: a switch needs a default. */
export type DecodedPayload =${union(false)};
/** The decoded form of a payload, for writing. */
export type WritableDecodedPayload =${union(true)};

${declarations.join("\n")}`;
}

/** The interface of a kind or an object. What follows from other members is not written to nfcd. */
function payload(name, schema, isParameter) {
  const properties = Object.fromEntries(Object.entries(schema.properties).filter(([, { readOnly }]) => !(isParameter && readOnly)));
  const comments = Object.values(properties).map((property) => jsdoc([meaning(property, isParameter)], "  "));
  const lines = members({ ...schema, properties }, isParameter).flatMap((member, place) => [comments[place], `  ${member};`]);
  const summary = isParameter ? `${schema.description} For writing.` : schema.description;
  return `${jsdoc([summary])}\nexport interface ${named(name, isParameter)} {\n${lines.join("\n")}\n}`;
}

function meaning({ description, default: usual, "x-null": ofNull }, isParameter) {
  const standsFor = isParameter && usual !== undefined ? ` The default is ${JSON.stringify(usual)}.` : "";
  return description + standsFor + (ofNull ? ` Null: ${ofNull.charAt(0).toLowerCase()}${ofNull.slice(1)}` : "");
}

const protocolTypes = ({ methods, components }) => `// Made from rpc.discover by tools/generate.mjs.

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
export interface NDEFMessage {
  records: NDEFRecord[];
}

/** A record for writing: raw, or by what it says. */
export type WritableRecord = {
  typeNameFormat?: string;
  type?: Bytes;
  identifier?: Bytes;
  payload?: Bytes;
  decoded?: WritableDecodedPayload;
};
/** A message for writing. */
export type WritableMessage = { records: WritableRecord[] } | { encoded: Bytes };

${payloadTypes(components.schemas)}

/** The methods of nfcd: what each takes and returns. Bytes in results are hexadecimal. */
export interface Methods {
${methods.filter(({ name }) => !name.startsWith("$/")).map(method).join("\n")}
}
`;

/** The files for an answer of rpc.discover, by name. */
export function generated(described) {
  const document = expanded(described, described.components.schemas);
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
