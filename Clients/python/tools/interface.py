"""What rpc.discover describes, in Python: types, names and docstrings. For generate.py."""

import json
import keyword
import re
import textwrap

HEX = "^([0-9A-Fa-f]{2})*$"

# Names of typed dictionaries that people meet; the others are named after their place.
NAMES = {
    "server.info": "ServerInfo",
    "server.info.limits": "Limits",
    "server.info.entitlements": "Entitlements",
    "server.info.entitlements.grants": "Grant",
    "readers.list": "Reader",
    "sessions.list": "SessionInfo",
    "sessions.list.client": "ClientInfo",
    "tag.queryNDEFStatus": "NDEFStatus",
    "tag.readNDEF": "NDEFContent",
    "tag.describe": "TagDescription",
    "tag.describe.fields": "TagDescriptionField",
    "tag.dump": "TagDump",
    "taps.list": "JournalPage",
    "taps.list.taps": "JournalEntry",
    "taps.list.taps.tag": "JournalTag",
    "taps.list.taps.error": "TapError",
    "taps.list.taps.proof": "TapProof",
    "taps.status": "JournalStatus",
    "taps.status.consumers": "Consumer",
    "background.subscribe.filter": "TapFilter",
    "session.didDetectTags.tags": "TagInfo",
    "simulator.present": "Presentation",
}


class Types:
    """The typed dictionaries and shapes of the schemas that were visited.

    Attributes:
        classes: the members of each typed dictionary, and the names of those that are never absent.
        kinds: the typed dictionaries of the kinds of `DecodedPayload`.
        qualifier: what is written before the names of typed dictionaries.
    """

    def __init__(self, schemas):
        self.schemas = schemas
        self.names = {}
        self.classes = {}
        self.kinds = []
        self.qualifier = ""
        for name in ("NDEFRecord", "NDEFMessage"):
            self.annotation({"$ref": f"#/components/schemas/{name}"}, name)

    @staticmethod
    def plain(schema):
        """The schema without null as an alternative, and its kind."""
        if "anyOf" in schema and "type" not in schema:
            choices = [choice for choice in schema["anyOf"] if choice.get("type") != "null"]
            return Types.plain(choices[0]) if len(choices) == 1 else ({"anyOf": choices}, "any")
        kind = schema.get("type", "any")
        if isinstance(kind, list):
            kinds = [name for name in kind if name != "null"]
            kind = kinds[0] if len(kinds) == 1 else "any"
        return schema, kind

    def resolve(self, schema):
        schema, kind = self.plain(schema)
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[1]
            target = self.schemas[name]
            # The types of messages keep their names; those of methods are named after their place, see NAMES.
            if name in ("NDEFMessage", "DecodedPayload") or "x-written" in target:
                return target, "object", name
            return self.resolve(target)
        if "allOf" in schema and len(schema["allOf"]) == 1:
            return self.resolve(schema["allOf"][0])
        return schema, kind, None

    def annotation(self, schema, path, parameter=False):
        schema, kind, name = self.resolve(schema)
        if name == "DecodedPayload":
            return "Mapping[str, Any]" if parameter else self.qualifier + self.union(schema)
        if "const" in schema:
            return f"Literal[{json.dumps(schema['const'])}]"
        if kind == "any" and "anyOf" in schema:
            choices = dict.fromkeys(self.annotation(choice, path, parameter) for choice in schema["anyOf"])
            return f"Union[{', '.join(choices)}]" if len(choices) > 1 else next(iter(choices))
        if kind == "string":
            words = [word for word in schema.get("enum", ()) if word is not None]
            if words and parameter:
                return "Literal[" + ", ".join(json.dumps(word) for word in words) + "]"
            return "Bytes" if parameter and schema.get("pattern") == HEX else "str"
        if kind == "array":
            item = self.annotation(schema["items"], path, parameter) if "items" in schema else "Any"
            return f"Sequence[{item}]" if parameter else f"List[{item}]"
        if kind == "object":
            if "properties" not in schema:
                values = schema.get("additionalProperties")
                return f"Dict[str, {self.annotation(values, path)}]" if isinstance(values, dict) else "Dict[str, Any]"
            return self.qualifier + self.dictionary(schema, name or path, parameter)
        return {"integer": "int", "number": "float", "boolean": "bool"}.get(kind, "Any")

    def union(self, schema):
        """The kinds of DecodedPayload. Each is a typed dictionary."""
        if not self.kinds:
            self.kinds = ["None"]  # A record within a kind has a decoded form, too.
            self.kinds = [self.annotation(kind, "DecodedPayload") for kind in schema["oneOf"] if "const" in self.kind_of(kind)]
        return "DecodedPayload"

    def kind_of(self, schema):
        """The schema of the kind; only that of kinds that were added later has no constant."""
        return self.schemas[schema["$ref"].rsplit("/", 1)[1]]["properties"]["kind"]

    def dictionary(self, schema, path, parameter):
        key = json.dumps([schema, parameter], sort_keys=True)
        if key not in self.names:
            name = NAMES.get(path) or "".join(part[:1].upper() + part[1:] for part in re.findall(r"\w+", path))
            if parameter and path in self.schemas:
                name = f"Writable{name.removeprefix('NDEF')}"
            self.names[key] = name
            members = {member: (self.annotation(inner, f"{path}.{member}", parameter), inner.get("description", ""))
                       for member, inner in schema["properties"].items()}
            present = schema.get("required", ()) if parameter else schema.get("x-written", schema.get("required", ()))
            self.classes[name] = (members, set(present), schema.get("description", "") if path in self.schemas else "")
        return self.names[key]

    def shape(self, schema):
        """The shape for `check`, as source."""
        schema, kind, name = self.resolve(schema)
        if name in ("NDEFMessage", "NDEFRecord"):
            return "MESSAGE" if name == "NDEFMessage" else "RECORD"
        if name == "DecodedPayload":
            return '{"kind": str}'  # What a kind has is not checked: later versions may differ.
        return self.shape_of(schema, kind)

    def shape_of(self, schema, kind):
        if kind == "array":
            return "[" + (self.shape(schema["items"]) if "items" in schema else "object") + "]"
        if kind == "object":
            if "properties" not in schema:
                values = schema.get("additionalProperties")
                return "{" + (f'"*": {self.shape(values)}' if isinstance(values, dict) else "") + "}"
            required = schema.get("required", ())
            return "{" + ", ".join(f'"{member}{"" if member in required else "?"}": {self.shape(inner)}'
                                   for member, inner in schema["properties"].items()) + "}"
        return {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}.get(kind, "object")


class Parameter:
    """A parameter of a method, as an argument of a function."""

    def __init__(self, method, parameter, types):
        self.name = parameter["name"]
        self.is_required = parameter["required"]
        self.schema = parameter["schema"]
        self.description = parameter.get("description", "")
        self.argument = identifier(self.name)
        self.annotation = types.annotation(self.schema, f"{method['name']}.{self.name}", parameter=True)

    @property
    def declaration(self):
        return f"{self.argument}: " + (self.annotation if self.is_required else f"Optional[{self.annotation}] = None")


def parameters(method, types):
    """The parameters of a method, the required ones first."""
    return sorted((Parameter(method, one, types) for one in method["params"]), key=lambda one: not one.is_required)


def snake(name):
    """The name of a method or parameter with underscores."""
    name = name.replace("$/", "").replace("feliCa", "felica").replace("miFare", "mifare").replace("NDEF", "Ndef")
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.replace(".", "_").replace("ISO7816", "Iso7816")).lower()


def identifier(name):
    """The name with underscores that Python accepts as that of an argument or a method."""
    name = snake(name)
    return f"{name}_" if keyword.iskeyword(name) or name == "self" else name


def wrapped(text, indent):
    return textwrap.fill(" ".join(text.split()), 118, initial_indent=indent, subsequent_indent=indent,
                         break_long_words=False, break_on_hyphens=False)


def docstring(method, arguments, indent):
    """The docstring of a method: its summary, what it needs, its details and its arguments, pairs of name and description."""
    needed = method.get("x-requires") or []
    needed = [needed] if isinstance(needed, str) else needed
    requires = f" Needs {' and '.join(one if ' ' in one else f'`{one}`' for one in needed)}." if needed else ""
    text = [wrapped(f'"""{method["summary"]}{requires}', indent)]
    if method.get("description"):
        text += ["", wrapped(method["description"], indent)]
    described = [textwrap.fill(f"{name}: {description}", 116, initial_indent=indent + " " * 4,
                               subsequent_indent=indent + " " * 8, break_on_hyphens=False)
                 for name, description in arguments if description]
    if described:
        text += ["", f"{indent}Args:", *described]
    text = "\n".join(text) + (f"\n{indent}" if len(text) > 1 else "") + '"""'
    for parameter in method["params"]:
        text = text.replace(f"`{parameter['name']}`", f"`{identifier(parameter['name'])}`")
    return text.replace("\\", "\\\\")
