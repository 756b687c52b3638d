// JSON Schemas as types of TypeScript, and descriptions as comments.

const scalars = { string: "string", integer: "number", number: "number", boolean: "boolean", null: "null" };
/** The pattern of hexadecimal digits. */
const HEX = "^([0-9A-Fa-f]{2})*$";

/** The type of a schema. As a parameter, hexadecimal digits may be bytes, and messages need not have all members. */
export function type(schema, isParameter = false) {
  const inner = (one) => type(one, isParameter);
  if (schema.$ref) return named(schema.$ref.split("/").pop(), isParameter);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.allOf?.length === 1) return inner(schema.allOf[0]);
  if (schema.anyOf && !schema.properties) return [...new Set(schema.anyOf.map(inner))].join(" | ");
  if (Array.isArray(schema.type)) return schema.type.map((name) => inner({ ...schema, type: name })).join(" | ");
  if (schema.type === "array") return `Array<${schema.items ? inner(schema.items) : "unknown"}>`;
  if (schema.type === "object" || schema.properties) return object(schema, isParameter);
  if (isParameter && schema.type === "string" && schema.pattern === HEX) return "Bytes";
  return scalars[schema.type] ?? "unknown";
}

/** The type of an object. */
export function object(schema, isParameter = false) {
  const found = members(schema, isParameter);
  if (found.length > 0) return `{ ${found.join("; ")} }`;
  const values = schema.additionalProperties;
  return `Record<string, ${typeof values === "object" ? type(values, isParameter) : "unknown"}>`;
}

/** The members of an object, each with its type. */
export function members({ properties = {}, required = [] }, isParameter = false) {
  return Object.entries(properties).map(
    ([name, schema]) => `${JSON.stringify(name)}${required.includes(name) ? "" : "?"}: ${type(schema, isParameter)}`);
}

function named(name, isParameter) {
  return isParameter ? name.replace("NDEF", "Writable") : name;
}

/** A comment of these paragraphs; on one line where it fits. */
export function jsdoc(paragraphs, indent = "") {
  const lines = paragraphs.flatMap((text) => wrapped(text.replaceAll("*/", "*\\/"), 116 - indent.length));
  if (lines.length === 1) return `${indent}/** ${lines[0]} */`;
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`].join("\n");
}

function wrapped(text, width) {
  const lines = [""];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1) ? `${lines.at(-1)} ${word}` : word;
    if (line.length > width) lines.push(word);
    else lines[lines.length - 1] = line;
  }
  return lines;
}
