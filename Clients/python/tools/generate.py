#!/usr/bin/env python3
"""Generates the files of the package that a program can write.

    tools/generate.py --nfcd PATH             writes all of them
    tools/generate.py --check                 exits with 1 if a file made from other files of the package differs
    tools/generate.py --check --nfcd PATH     also compares methods.py with that nfcd

src/nfcd/methods.py comes from rpc.discover of a running nfcd: requests, typed dictionaries, codes. src/nfcd/_blocking.py
comes from src/nfcd/aio.py: the same classes without `await`, made by unasync. API.md comes from the docstrings.

Exit codes: 0 done, 1 a file differs. An nfcd that has more than methods.py knows is only reported: later daemons add
methods and members, and the client ignores what it does not know.
"""

import argparse
import hashlib
import importlib.util
import inspect
import json
import keyword
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "nfcd"
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
    "taps.status": "JournalStatus",
    "taps.status.consumers": "Consumer",
    "background.subscribe.filter": "TapFilter",
    "session.didDetectTags.tags": "TagInfo",
    "simulator.present": "Presentation",
}


# What nfcd describes

def discover(program):
    """Returns rpc.discover of `program`, started with one simulated reader."""
    with tempfile.TemporaryDirectory(prefix="nfcd.") as folder:
        path = os.path.join(folder, "nfcd.sock")
        environment = dict(os.environ, XDG_CONFIG_HOME=folder, XDG_STATE_HOME=folder)
        arguments = [program, "--user", "--simulator", "1", "--socket", path]
        with subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True, env=environment) as nfcd:
            try:
                while "listening on" not in (line := nfcd.stderr.readline()):
                    if not line:
                        sys.exit("generate: nfcd did not start")
                with socket.socket(socket.AF_UNIX) as connection:
                    connection.settimeout(60)
                    connection.connect(path)
                    connection.sendall(b'{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}\n')
                    return json.loads(connection.makefile(encoding="utf-8").readline())["result"]
            finally:
                nfcd.terminate()


class Types:
    """The typed dictionaries and shapes of the schemas that were visited."""

    def __init__(self, schemas):
        self.schemas = schemas
        self.names = {}
        self.classes = {}
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
            return self.schemas[name], "object", name
        if "allOf" in schema and len(schema["allOf"]) == 1:
            return self.resolve(schema["allOf"][0])
        return schema, kind, None

    def annotation(self, schema, path, parameter=False):
        schema, kind, name = self.resolve(schema)
        if name == "DecodedPayload":
            return "Dict[str, Any]"
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
            return self.dictionary(schema, name or path)
        return {"integer": "int", "number": "float", "boolean": "bool"}.get(kind, "Any")

    def dictionary(self, schema, path):
        key = json.dumps(schema, sort_keys=True)
        if key not in self.names:
            name = NAMES.get(path) or "".join(part[:1].upper() + part[1:] for part in re.findall(r"\w+", path))
            self.names[key] = name
            members = {member: (self.annotation(inner, f"{path}.{member}"), inner.get("description", ""))
                       for member, inner in schema["properties"].items()}
            self.classes[name] = (members, set(schema.get("required", ())))
        return self.names[key]

    def shape(self, schema):
        """The shape for `check`, as source."""
        schema, kind, name = self.resolve(schema)
        if name in ("NDEFMessage", "NDEFRecord"):
            return "MESSAGE" if name == "NDEFMessage" else "RECORD"
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


# The source of methods.py

def wrapped(text, indent):
    return textwrap.fill(" ".join(text.split()), 118, initial_indent=indent, subsequent_indent=indent,
                         break_long_words=False, break_on_hyphens=False)


def class_source(name, members, required):
    """A typed dictionary. The names of members may be words that Python reserves."""
    lines = []
    base = "TypedDict"
    parts = [(True, [member for member in members if member in required]),
             (False, [member for member in members if member not in required])]
    parts = [part for part in parts if part[1]] or [(True, [])]
    for total, chosen in parts:
        last = (total, chosen) == parts[-1]
        current = name if last else f"_{name}"
        lines += ["", "", f"class {current}({base}{'' if total else ', total=False'}):"]
        lines.append(f'    """{"Members of nfcd" if last else "The members of " + name + " that are never absent"}."""')
        for member in chosen:
            kind, description = members[member]
            if keyword.iskeyword(member):
                continue  # It is in the dictionary all the same.
            lines.append("")
            if description:
                lines.append(wrapped(description, "    # "))
            lines.append(f"    {member}: {kind}")
        base = current
    lines[lines.index('    """Members of nfcd."""')] = f'    """The members of `{name}`."""'
    return "\n".join(lines)


def snake(name):
    name = name.replace("$/", "").replace("feliCa", "felica").replace("miFare", "mifare").replace("NDEF", "Ndef")
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.replace(".", "_").replace("ISO7816", "Iso7816")).lower()


def method_source(method, types):
    parameters = sorted(method["params"], key=lambda parameter: not parameter["required"])
    result = types.annotation(method["result"]["schema"], method["name"])
    head, body, described = [], [], []
    for parameter in parameters:
        name = parameter["name"]
        argument = snake(name)
        if keyword.iskeyword(argument):
            argument += "_"
        kind = types.annotation(parameter["schema"], f"{method['name']}.{name}", parameter=True)
        head.append(f"{argument}: {kind}" if parameter["required"] else f"{argument}: Optional[{kind}] = None")
        body.append(f'"{name}": {argument}')
        if parameter.get("description"):
            described.append(textwrap.fill(f"{argument}: {parameter['description']}", 116, initial_indent="        ",
                                           subsequent_indent="            ", break_on_hyphens=False))
    lines = ["", "", f"def {snake(method['name'])}("]
    if head:
        lines = ["", "", f"def {snake(method['name'])}(", "    *,"] + [f"    {item}," for item in head] + [f") -> Request[{result}]:"]
    else:
        lines = ["", "", f"def {snake(method['name'])}() -> Request[{result}]:"]
    needed = method.get("x-requires") or []
    needed = [needed] if isinstance(needed, str) else needed
    requires = f" Needs {' and '.join(f'`{capability}`' for capability in needed)}." if needed else ""
    summary = wrapped(f'"""{method["summary"]}{requires}', "    ")
    details = [method["description"]] if method.get("description") else []
    text = [summary]
    for detail in details:
        text += ["", wrapped(detail, "    ")]
    if described:
        text += ["", "    Args:", *described]
    text = "\n".join(text)
    text += '"""' if not (details or described) else '\n    """'
    lines.append(text.replace("\\", "\\\\"))
    arguments = "{" + ", ".join(body) + "}"
    call = f'    return Request("{method["name"]}", {arguments})'
    if len(call) > 118:
        call = "\n".join([f'    return Request("{method["name"]}", {{'] + [f"        {item}," for item in body] + ["    })"])
    lines.append(call)
    return "\n".join(lines)


HEADER = '''"""Every method of nfcd as a function that makes its request, and what is returned as typed dictionaries.

`client.perform(request)` carries a request out, with `nfcd.Client` and with `nfcd.aio.Client`:

    client.perform(nfcd.methods.readers_identify(reader="simulated-0"))

Generated by tools/generate.py from rpc.discover. Do not edit.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, Dict, List, Optional, Sequence

from ._request import Bytes, Request, Shape

try:
    from typing import Literal, TypedDict
except ImportError:  # pragma: no cover
    raise ImportError("nfcd needs Python 3.9 or later") from None
'''


def methods_source(document):
    """The source of methods.py."""
    types = Types(document["components"]["schemas"])
    functions, results, notifications = [], [], []
    for method in document["methods"]:
        functions.append(method_source(method, types))
        results.append(f'    "{method["name"]}": {types.shape(method["result"]["schema"])},')
    for notification in document["x-notifications"]:
        for parameter in notification["params"]:
            types.annotation(parameter["schema"], f"{notification['name']}.{parameter['name']}")
        members = ", ".join(f'"{parameter["name"]}{"" if parameter["required"] else "?"}": {types.shape(parameter["schema"])}'
                            for parameter in notification["params"])
        notifications.append(f'    "{notification["name"]}": {{{members}}},')
    codes = sorted(document["components"]["errors"].items(), key=lambda item: item[1]["code"])
    codes = "\n\n".join(f"    # {error['message']}\n    {name} = {error['code']}" for name, error in codes)
    shapes = "\n".join(
        f"{constant}: Shape = {types.shape_of(document['components']['schemas'][name], 'object')}"
        for constant, name in (("RECORD", "NDEFRecord"), ("MESSAGE", "NDEFMessage")))
    return (HEADER.replace("\ntry:\n    from typing import Literal, TypedDict\nexcept ImportError:  # pragma: no cover\n"
                           '    raise ImportError("nfcd needs Python 3.9 or later") from None\n', "")
            .replace("import Any, Dict, List, Optional, Sequence", "import Any, Dict, List, Literal, Optional, Sequence, TypedDict")
            + f'\n\nclass ErrorCode(IntEnum):\n    """The codes of `NFCError`."""\n\n{codes}\n'
            + "\n".join(class_source(name, *described) for name, described in types.classes.items())
            + "\n" + "\n".join(functions)
            + f"\n\n\n# The members of an answer or a notification and their types; `?` marks those that may be absent.\n{shapes}\n"
            + "\nRESULTS: Dict[str, Shape] = {\n" + "\n".join(results) + "\n}\n"
            + "\nNOTIFICATIONS: Dict[str, Shape] = {\n" + "\n".join(notifications) + "\n}\n")


# The blocking front

# What differs between the two, beyond what unasync knows.
REPLACEMENTS = {"aclose": "close", "_asyncio_link": "_socket_link"}


MARK = "# ---\n"


def asyncio_source():
    """The part of aio.py that both have."""
    return (PACKAGE / "aio.py").read_text(encoding="utf-8").partition(MARK)[2]


def is_made_of(source, blocking):
    """Whether a _blocking.py was made of the source and not edited, by its digests: checking needs no unasync."""
    return blocking == blocking_file(source, blocking.partition(MARK)[2])


def blocking_file(source, made):
    """_blocking.py, with the digests of what it was made of and of what was made."""
    digests = " ".join(hashlib.sha256(text.encode()).hexdigest()[:16] for text in (json.dumps(REPLACEMENTS) + source, made))
    return f'"""The blocking front. Generated from aio.py by tools/generate.py with unasync. Do not edit."""\n\n# {digests}\n{MARK}{made}'


def blocking_source(source):
    """The source of _blocking.py: that of aio.py without `async` and `await`, as unasync makes it."""
    unasync = import_unasync()
    with tempfile.TemporaryDirectory(prefix="nfcd.") as folder:
        path = pathlib.Path(folder, "aio", "client.py")
        path.parent.mkdir()
        path.write_text(source, encoding="utf-8")
        unasync.unasync_files([str(path)], [unasync.Rule("/aio/", "/blocking/", REPLACEMENTS)])
        return blocking_file(source, pathlib.Path(folder, "blocking", "client.py").read_text(encoding="utf-8"))


def import_unasync():
    """The module of tools/requirements.txt, which is installed in an environment in .build if it is missing."""
    environment = ROOT.parent.parent / ".build" / "unasync"
    pattern = "lib/python*/site-packages"
    if importlib.util.find_spec("unasync") is None:
        if not list(environment.glob(f"{pattern}/unasync")):
            subprocess.run([sys.executable, "-m", "venv", environment], check=True)
            subprocess.run([environment / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement",
                            ROOT / "tools" / "requirements.txt"], check=True)
        sys.path += map(str, environment.glob(pattern))
    return importlib.import_module("unasync")


# API.md

def signature(thing):
    """The parameters and the result, without `self`."""
    shown, keyword_only = [], False
    found = inspect.signature(thing)
    for parameter in found.parameters.values():
        if parameter.name in ("self", "cls"):
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            shown.append("*")
        star = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        text = f"{star}{parameter.name}: {annotation(parameter.annotation)}"
        shown.append(text if parameter.default is parameter.empty else f"{text} = {default(parameter.default)}")
    result = "" if found.return_annotation is found.empty else annotation(found.return_annotation)
    return f"({', '.join(shown)})" + (f" -> {result}" if result and not inspect.isclass(thing) else "")


def annotation(text):
    # Names of classes that are defined later are in quotes, others not.
    text = text if isinstance(text, str) else getattr(text, "__name__", str(text))
    return re.sub(r"""(?<!\[)(?<!, )(["'])(\w+)\1""", r"\2", re.sub(r"\bmethods\.", "", text))


def default(value):
    return re.sub(r"\(.*\)", "(…)", repr(value)) if "Backoff" in repr(value) else repr(value)


def doc(thing):
    """The docstring as Markdown: the lists of `Args:` and the like become lists."""
    lines, listed = [], False
    for line in (inspect.getdoc(thing) or "").split("\n"):
        heading = re.fullmatch(r"(Args|Raises|Attributes):", line)
        entry = re.fullmatch(r" {4}(\w+): (.*)", line)
        if heading:
            listed = True
            lines += [{"Args": "Parameters:", "Raises": "Raises:", "Attributes": "Attributes:"}[heading[1]], ""]
        elif listed and entry:
            lines.append(f"- `{entry[1]}`: {entry[2]}")
        elif listed and line.startswith(" " * 8):
            lines.append("  " + line.strip())
        elif line.startswith("    "):
            lines += ([] if lines and lines[-1].startswith("    ") else [""]) + [line]
        else:
            listed = listed and not line
            lines.append(line)
    return "\n".join(lines)


# Classes that programs make themselves.
CONSTRUCTED = ("Client", "Record", "Message", "Backoff")


def public_members(thing):
    """The documented methods and properties of a class and of its bases that are not public."""
    members = {}
    for base in reversed(thing.__mro__):
        if base is thing or base.__name__.startswith("_"):
            members.update(vars(base))
    for member, value in sorted(members.items()):
        if isinstance(value, (classmethod, staticmethod)):
            value = value.__func__
        if not member.startswith("_") and (isinstance(value, property) or inspect.isfunction(value)) and inspect.getdoc(value):
            yield member, value


def block(name, thing):
    return ["```text", f"{name}{signature(thing)}", "```", ""]


def described(name, thing):
    if not inspect.isclass(thing):
        return [f"## `{name}`", "", *block(name, thing), doc(thing), ""]
    lines = [f"## `{name}`", ""] + (block(name, thing) if name in CONSTRUCTED else []) + [doc(thing), ""]
    if issubclass(thing, int):
        return lines + [f"- `{member.name}` = {int(member)}" for member in thing] + [""]
    for member, value in public_members(thing):
        lines += [f"### `{name}.{member}`", ""]
        lines += ([] if isinstance(value, property) else block(member, value)) + [doc(value), ""]
    return lines


def api_source():
    """The source of API.md."""
    sys.path.insert(0, str(ROOT / "src"))
    import nfcd
    import nfcd.aio
    import nfcd.methods
    lines = ["<!-- Generated by tools/generate.py from the docstrings. Do not edit. -->", "", "# The API of nfcd for Python", "",
             "`nfcd.aio` has the same classes and functions for asyncio: put `await` before a call, and use `async with` and",
             "`async for`.", ""]
    for name in nfcd.__all__:
        lines += described(name, getattr(nfcd, name))
    lines += ["## `nfcd.methods`", "", (nfcd.methods.__doc__ or "").split("\n\nGenerated")[0], ""]
    for name, thing in vars(nfcd.methods).items():
        if inspect.isfunction(thing) and thing.__module__ == "nfcd.methods":
            lines += [f"- `{name}{signature(thing)}`: {(inspect.getdoc(thing) or '').splitlines()[0]}"]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in lines)).rstrip() + "\n"


# What is compared

def known(source):
    """The shapes of a source of methods.py."""
    namespace = {"__name__": "nfcd.methods", "__package__": "nfcd"}
    sys.path.insert(0, str(ROOT / "src"))
    exec(compile(source, "methods.py", "exec"), namespace)
    return {"results": namespace["RESULTS"], "notifications": namespace["NOTIFICATIONS"],
            "codes": {code.name: int(code) for code in namespace["ErrorCode"]}}


def lost(old, new, path=""):
    """What `new` has no longer, or with another type."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key, value in old.items():
            other = key[:-1] if key.endswith("?") else key
            if other not in new and f"{other}?" not in new:
                yield f"{path}.{key}"
            else:
                yield from lost(value, new.get(other, new.get(f"{other}?")), f"{path}.{key}")
    elif isinstance(old, list) and isinstance(new, list):
        yield from lost(old[0], new[0], f"{path}[]")
    elif old != new:
        yield path


def main():
    parser = argparse.ArgumentParser(description="Generates files of the package.")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--nfcd")
    arguments = parser.parse_args()
    if not arguments.check and not arguments.nfcd:
        parser.error("--nfcd PATH is missing")
    failed = False

    def handle(path, source):
        nonlocal failed
        if not arguments.check:
            path.write_text(source, encoding="utf-8")
        elif path.read_text(encoding="utf-8") != source:
            print(f"generate: {path.relative_to(ROOT)} is not current; run tools/generate.py --nfcd PATH", file=sys.stderr)
            failed = True

    if arguments.nfcd:
        document = discover(arguments.nfcd)
        try:
            source = methods_source(document)
        except (LookupError, TypeError, ValueError) as error:
            if not arguments.check:
                raise
            print(f"generate: nfcd describes itself in a new way ({error!r})", file=sys.stderr)
            source = (PACKAGE / "methods.py").read_text(encoding="utf-8")
        path = PACKAGE / "methods.py"
        if not arguments.check:
            path.write_text(source, encoding="utf-8")
        elif path.read_text(encoding="utf-8") != source:
            for place in lost(known(path.read_text(encoding="utf-8")), known(source)):
                print(f"generate: nfcd does not have {place.lstrip('.')} of methods.py", file=sys.stderr)
                failed = True
            print("generate: nfcd has more than methods.py, or describes it in other words; "
                  "run Clients/python/tools/generate.py --nfcd PATH", file=sys.stderr)
    blocking, source = PACKAGE / "_blocking.py", asyncio_source()
    current = blocking.read_text(encoding="utf-8")
    if not is_made_of(source, current):
        handle(blocking, "" if arguments.check else blocking_source(source))
    handle(ROOT / "API.md", api_source())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
