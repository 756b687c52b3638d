#!/usr/bin/env node
// Makes src/protocol.d.ts, the types of every method, from the answer of rpc.discover on standard input.
//     Scripts/protocol-tables --openrpc | Clients/javascript/tools/generate.mjs [--check]
// With --check, it fails if the file is not current.
import fs from "node:fs";

const file = new URL("../src/protocol.d.ts", import.meta.url);
const scalars = { string: "string", integer: "number", number: "number", boolean: "boolean", null: "null" };

function type(schema) {
  if (schema.$ref) return schema.$ref.split("/").pop();
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.anyOf) return schema.anyOf.map(type).join(" | ");
  if (Array.isArray(schema.type)) return schema.type.map((name) => type({ ...schema, type: name })).join(" | ");
  if (schema.type === "array") return `Array<${schema.items ? type(schema.items) : "unknown"}>`;
  if (schema.type === "object" || schema.properties) return object(schema.properties ?? {}, schema.required ?? []);
  return scalars[schema.type] ?? "unknown";
}

function object(properties, required) {
  const members = Object.entries(properties).map(
    ([name, schema]) => `${JSON.stringify(name)}${required.includes(name) ? "" : "?"}: ${type(schema)}`);
  return members.length > 0 ? `{ ${members.join("; ")} }` : "Record<string, unknown>";
}

function method({ name, summary, params, result }) {
  const properties = Object.fromEntries(params.map((param) => [param.name, param.schema]));
  const required = params.filter((param) => param.required).map((param) => param.name);
  return `  /** ${summary} */\n  ${JSON.stringify(name)}: { params: ${object(properties, required)}; result: ${type(result.schema)} };`;
}

const { methods } = JSON.parse(fs.readFileSync(0, "utf8"));
const made = `// Made from rpc.discover by tools/generate.mjs.

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

/** The methods of nfcd: what each takes and returns. Bytes are hexadecimal. */
export interface Methods {
${methods.filter(({ name }) => !name.startsWith("$/")).map(method).join("\n")}
}
`;
if (!process.argv.includes("--check")) {
  fs.writeFileSync(file, made);
} else if (fs.readFileSync(file, "utf8") !== made) {
  console.error("src/protocol.d.ts is not current: run Scripts/protocol-tables --openrpc | Clients/javascript/tools/generate.mjs");
  process.exitCode = 1;
}
