// JSON Schemas as types of TypeScript, and descriptions as comments.

const scalars = { string: "string", integer: "number", number: "number", boolean: "boolean", null: "null" };
/** The pattern of hexadecimal digits. */
const HEX = "^([0-9A-Fa-f]{2})*$";

/**
 * The schemas of the document, with the types of methods and notifications where they are used: only those of messages have a name
 * here.
 */
export function expanded(schema, schemas) {
  if (Array.isArray(schema)) return schema.map((one) => expanded(one, schemas));
  if (typeof schema !== "object" || schema === null) return schema;
  const name = schema.$ref?.split("/").pop();
  if (name && !isNamed(name, schemas)) return expanded(schemas[name], schemas);
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, expanded(value, schemas)]));
}

/** Whether it is the schema of a message or of a part of it. */
export function isNamed(name, schemas) {
  return ["NDEFMessage", "DecodedPayload"].includes(name) || "x-written" in schemas[name];
}

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

/**
 * The members of an object, each with its type. An object with `x-written` is read and written in different forms: members that may
 * be missing or null where it is given to nfcd are there where nfcd has written it.
 */
export function members(schema, isParameter = false) {
  const { properties = {}, required = [], "x-written": written } = schema;
  const known = isParameter ? required : written ?? required;
  return Object.entries(properties).map(([name, property]) => {
    const value = written && !isParameter && !("x-null" in property) ? withoutNull(property) : property;
    return `${JSON.stringify(name)}${known.includes(name) ? "" : "?"}: ${type(value, isParameter)}`;
  });
}

/** The schema without null as a choice. */
function withoutNull(schema) {
  const isNull = (one) => one === null || one === "null" || one.type === "null";
  const rest = { ...schema };
  for (const key of ["enum", "anyOf"]) if (rest[key]) rest[key] = rest[key].filter((one) => !isNull(one));
  if (Array.isArray(rest.type)) rest.type = rest.type.filter((one) => !isNull(one));
  return rest;
}

/** The name of a type of components.schemas: what is given to nfcd has another form than what it writes. */
export function named(name, isParameter) {
  return isParameter ? `Writable${name.replace(/^NDEF/, "")}` : name;
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
