// The commands of a tag: the methods that name a session and a tag. One rule gives their names: `tag.x` becomes Tag.x, a method of
// another group one of a property that is named after the group, such as Tag.iso7816.sendCommand. The required parameters come
// first; the last argument has the others, with the options of a call. `progress` becomes the callback `onProgress`.
import { jsdoc, members, type } from "./types.mjs";

const place = ["session", "tag"];
/** Words that no variable may have as a name, beside those that the source uses. */
const reserved = new Set(
  ("await break case catch class const continue debugger default delete do else enum export extends false finally for function if " +
    "implements import in instanceof interface let new null package private protected public return static super switch this throw " +
    "true try typeof var void while with yield arguments eval options onProgress member").split(" "));

/** The source of commands.js. */
export function commandsSource(document) {
  const { own, groups } = commands(document);
  const classes = groups.map(([name, methods]) => `/** The commands of the group \`${name}\`. */
export class ${className(name)} {
  #tag;

  constructor(tag) {
    this.#tag = tag;
  }

${methods.map((method) => source(method, "this.#tag")).join("\n\n")}
}`);
  const getters = groups.map(([name]) => `  get ${key(name)}() {\n    return new ${className(name)}(this);\n  }`);
  return `// Made from rpc.discover by tools/generate.mjs.
import { ProtocolError } from "./errors.js";

${classes.join("\n\n")}

/** The commands of a tag; the class of tags has \`call\`. */
export class TagCommands {
${[...own.map((method) => source(method, "this")), ...getters].join("\n\n")}
}

/** The only member of a result. */
function member(result, name) {
  if (result?.[name] === undefined) throw new ProtocolError(\`nfcd sent a result without \${name}\`);
  return result[name];
}
`;
}

/** The source of commands.d.ts. */
export function commandTypes(document) {
  const { own, groups } = commands(document);
  const interfaces = groups.map(([name, methods]) => `/** The commands of the group \`${name}\`. */
export interface ${className(name)} {
${methods.map(declaration).join("\n")}
}`);
  const properties = groups.map(
    ([name]) => `  /** The commands of the group \`${name}\`. */\n  readonly ${key(name)}: ${className(name)};`);
  return `// Made from rpc.discover by tools/generate.mjs.
import type { CallOptions } from "./index.js";
import type { Bytes, Methods, WritableMessage, WritableRecord } from "./protocol.js";

/** The optional parameters of a command, with the options of a call that have other names. */
export type CommandOptions<Parameters = {}> = Parameters & Omit<CallOptions, "onProgress" | keyof Parameters>;

${interfaces.join("\n\n")}

/** The commands of a tag. */
export interface TagCommands {
${[...own.map(declaration), ...properties].join("\n")}
}
`;
}

/** The commands of the tag itself, and those of each group. */
function commands({ methods }) {
  const groups = new Map();
  for (const method of methods.filter(isCommand)) {
    const group = method.name.split(".").slice(0, -1).join(".");
    groups.set(group, [...(groups.get(group) ?? []), method]);
  }
  const own = ["tag", ""].flatMap((group) => groups.get(group) ?? []);
  return { own, groups: [...groups].filter(([group]) => group !== "tag" && group !== "") };
}

function isCommand({ name, params }) {
  return name !== "session.connect" && place.every((one) => params.some((param) => param.name === one));
}

function parameters({ params }) {
  const known = params.filter(({ name }) => !place.includes(name));
  const [plain, progress] = [known.filter((one) => !isProgress(one)), known.some(isProgress)];
  return { required: plain.filter(({ required }) => required), optional: plain.filter(({ required }) => !required), progress };
}

function isProgress({ name, schema }) {
  return name === "progress" && [schema.type].flat().includes("boolean");
}

/** What a command returns: nothing, the only member of its result, or the result. */
function result({ result: { schema } }) {
  const names = Object.keys(schema.properties ?? {});
  if (schema.type !== "object" || typeof schema.additionalProperties === "object") return { kind: "whole" };
  if (names.length === 0) return { kind: "nothing" };
  return names.length === 1 && schema.required?.includes(names[0]) ? { kind: "member", name: names[0] } : { kind: "whole" };
}

function source(method, tag) {
  const { required, optional, progress } = parameters(method);
  const taken = [...optional.map(({ name }) => binding(name)), ...(progress ? ["onProgress"] : [])];
  const options = taken.length > 0 ? `{ ${[...taken, "...options"].join(", ")} } = {}` : "options";
  const given = [...required, ...optional].map(({ name }) => binding(name));
  if (progress) given.push("progress: onProgress ? true : undefined");
  const passed = progress ? "{ ...options, onProgress }" : "options";
  const body = given.length > 0 ? `{ ${given.join(", ")} }` : "{}";
  const call = `${tag}.call(${JSON.stringify(method.name)}, ${body}, ${passed})`;
  const returned = result(method);
  const statement = {
    nothing: `await ${call};`,
    member: `return member(await ${call}, ${JSON.stringify(returned.name)});`,
    whole: `return ${call};`,
  }[returned.kind];
  const head = [...required.map(({ name }) => local(name)), options].join(", ");
  return `${jsdoc([method.summary], "  ")}\n  async ${key(method.name.split(".").pop())}(${head}) {\n    ${statement}\n  }`;
}

function declaration(method) {
  const { required, optional, progress } = parameters(method);
  const properties = Object.fromEntries(optional.map(({ name, schema }) => [name, schema]));
  const own = [...members({ properties }, true), ...(progress ? ['onProgress?: CallOptions["onProgress"]'] : [])];
  const options = own.length > 0 ? `CommandOptions<{ ${own.join("; ")} }>` : "CommandOptions";
  const head = [...required.map(({ name, schema }) => `${local(name)}: ${type(schema, true)}`), `options?: ${options}`];
  const place = `Methods[${JSON.stringify(method.name)}]["result"]`;
  const returned = result(method);
  const value = { nothing: "void", member: `${place}[${JSON.stringify(returned.name)}]`, whole: place }[returned.kind];
  const name = key(method.name.split(".").pop());
  return `${comment(method, required, optional, progress)}\n  ${name}(${head.join(", ")}): Promise<${value}>;`;
}

function comment(method, required, optional, progress) {
  const needed = [method["x-requires"] ?? []].flat().map((one) => (one.includes(" ") ? one : `\`${one}\``));
  const needs = needed.length > 0 ? ` Needs ${needed.join(" and ")}.` : "";
  const described = (prefix, { name, description }) => (description ? [`@param ${prefix}${name} ${description}`] : []);
  return jsdoc([
    method.summary + needs,
    ...(method.description ? [method.description] : []),
    ...required.flatMap((one) => described("", { ...one, name: local(one.name) })),
    ...optional.flatMap((one) => described("options.", one)),
    ...(progress ? ["@param options.onProgress Is called with what is done and the total."] : []),
  ], "  ");
}

function className(group) {
  return `${group.split(/\W+/).map((part) => part.slice(0, 1).toUpperCase() + part.slice(1)).join("")}Commands`;
}

/** The name of a variable for a parameter. */
function local(name) {
  return reserved.has(name) ? `${name}_` : name;
}

/** A parameter as a member of an object: its name, with that of its variable where it differs. */
function binding(name) {
  return local(name) === name ? name : `${name}: ${local(name)}`;
}

/** A name as that of a member. */
function key(name) {
  if (name === "constructor") return '["constructor"]';
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}
