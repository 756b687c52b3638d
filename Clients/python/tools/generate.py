#!/usr/bin/env python3
"""Generates the files of the package that a program can write.

    tools/generate.py --nfcd PATH             writes all of them
    tools/generate.py --check                 exits with 1 if a file made from other files of the package differs
    tools/generate.py --check --nfcd PATH     also compares those made from rpc.discover with that nfcd; with --exact, an nfcd that
                                              has more than they know is a difference too

--document FILE takes the answer of rpc.discover from a file; no nfcd is started then.

In src/nfcd, methods.py (requests, typed dictionaries, codes) and _asyncio_commands.py (the commands of a tag) come from
rpc.discover of a running nfcd. _blocking.py comes from aio.py, and _blocking_commands.py from _asyncio_commands.py: the same
classes without `await`, made by unasync. API.md comes from the docstrings.

Exit codes: 0 done, 1 a file differs. An nfcd that has more than methods.py knows is only reported: later daemons add
methods and members, and the client ignores what it does not know.
"""

import argparse
import hashlib
import importlib.util
import inspect
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile

from commands_file import commands_source
from interface import HEX, Types, snake
from methods_file import methods_source

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "nfcd"


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


# The blocking form

# The files for asyncio, and those of the blocking form.
FORMS = {"aio.py": "_blocking.py", "_asyncio_commands.py": "_blocking_commands.py"}

# What differs between the two, beyond what unasync knows.
REPLACEMENTS = {"aclose": "close", "_asyncio_link": "_socket_link", "_asyncio_commands": "_blocking_commands"}


MARK = "# ---\n"


def asyncio_source(name="aio.py"):
    """The part of a file that both forms have."""
    return (PACKAGE / name).read_text(encoding="utf-8").partition(MARK)[2]


def is_made_of(source, blocking, name="aio.py"):
    """Whether a file of the blocking form was made of the source and not edited, by its digests: checking needs no unasync."""
    return blocking == blocking_file(source, blocking.partition(MARK)[2], name)


def blocking_file(source, made, name="aio.py"):
    """A file of the blocking form, with the digests of what it was made of and of what was made."""
    digests = " ".join(hashlib.sha256(text.encode()).hexdigest()[:16] for text in (json.dumps(REPLACEMENTS) + source, made))
    return f'"""The blocking form. Generated from {name} by tools/generate.py with unasync. Do not edit."""\n\n# {digests}\n{MARK}{made}'


def blocking_source(source, name="aio.py"):
    """The source of a file of the blocking form: without `async` and `await`, as unasync makes it."""
    unasync = import_unasync()
    with tempfile.TemporaryDirectory(prefix="nfcd.") as folder:
        path = pathlib.Path(folder, "aio", "client.py")
        path.parent.mkdir()
        path.write_text(source, encoding="utf-8")
        unasync.unasync_files([str(path)], [unasync.Rule("/aio/", "/blocking/", REPLACEMENTS)])
        return blocking_file(source, pathlib.Path(folder, "blocking", "client.py").read_text(encoding="utf-8"), name)


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
CONSTRUCTED = ("Client", "Record", "Message", "Backoff", "sun.Verifier", "sun.Keys", "sun.Key", "sun.Profile", "sun.CounterFile",
               "sun.CounterBook", "sun.CounterLine")


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
        for command, value in commands(value):
            lines += [f"### `{name}.{member}.{command}`", "", *block(command, value), doc(value), ""]
    return lines


def commands(value):
    """The commands of a group that a property returns."""
    if not isinstance(value, property):
        return []
    kind = value.fget.__globals__.get(value.fget.__annotations__.get("return"))
    return public_members(kind) if inspect.isclass(kind) and kind.__name__.endswith("Commands") else []


def api_source():
    """The source of API.md."""
    sys.path.insert(0, str(ROOT / "src"))
    import nfcd
    import nfcd.aio
    import nfcd.methods
    import nfcd.sun
    lines = ["<!-- Generated by tools/generate.py from the docstrings. Do not edit. -->", "", "# The API of nfcd for Python", "",
             "`nfcd.aio` has the same classes and functions for asyncio: put `await` before a call, and use `async with` and",
             "`async for`.", ""]
    for name in nfcd.__all__:
        lines += described(name, getattr(nfcd, name))
    lines += ["## `nfcd.sun`", "", doc(nfcd.sun), ""]
    for name in nfcd.sun.__all__:
        if inspect.isclass(getattr(nfcd.sun, name)) or inspect.isfunction(getattr(nfcd.sun, name)):
            lines += described(f"sun.{name}", getattr(nfcd.sun, name))
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


def sources_of(document):
    """The sources of the files that come from an answer of rpc.discover, by their names."""
    types = Types(document["components"]["schemas"])
    return {"methods.py": methods_source(document, types), "_asyncio_commands.py": commands_source(document, types)}


class Comparison:
    """Compares the files with what they should be. `has_failed`: whether one differs.

    `is_exact`: whether an nfcd that has more than the files is a difference too, because it is built from the same sources.
    """

    def __init__(self, is_exact):
        self.has_failed = False
        self.is_exact = is_exact

    def report(self, text, *, fails=True):
        print(f"generate: {text}", file=sys.stderr)
        self.has_failed = self.has_failed or fails

    def handle(self, path, source):
        if path.read_text(encoding="utf-8") != source:
            self.report(f"{path.relative_to(ROOT)} is not current; run tools/generate.py --nfcd PATH")

    def handle_discovered(self, document):
        try:
            sources = sources_of(document)
        except (LookupError, TypeError, ValueError) as error:
            self.report(f"nfcd describes itself in a new way ({error!r})", fails=self.is_exact)
            return
        methods = (PACKAGE / "methods.py").read_text(encoding="utf-8")
        if methods == sources["methods.py"]:
            self.handle(PACKAGE / "_asyncio_commands.py", sources["_asyncio_commands.py"])
            return
        for place in lost(known(methods), known(sources["methods.py"])):
            self.report(f"nfcd does not have {place.lstrip('.')} of methods.py")
        self.report("nfcd has more than methods.py, or describes it in other words; "
                    "run Clients/python/tools/generate.py --nfcd PATH", fails=self.is_exact)

    def handle_blocking(self, name, source, blocking):
        self.handle(blocking, "")


class Generation:
    """Writes the files."""

    has_failed = False

    def handle(self, path, source):
        path.write_text(source, encoding="utf-8")

    def handle_discovered(self, document):
        for name, source in sources_of(document).items():
            self.handle(PACKAGE / name, source)

    def handle_blocking(self, name, source, blocking):
        self.handle(blocking, blocking_source(source, name))


def main():
    parser = argparse.ArgumentParser(description="Generates files of the package.")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--exact", action="store_true")
    parser.add_argument("--nfcd")
    parser.add_argument("--document", type=pathlib.Path)
    arguments = parser.parse_args()
    if not (arguments.check or arguments.nfcd or arguments.document):
        parser.error("--nfcd PATH is missing")
    work = Comparison(arguments.exact) if arguments.check else Generation()
    if arguments.document:
        work.handle_discovered(json.loads(arguments.document.read_text(encoding="utf-8")))
    elif arguments.nfcd:
        work.handle_discovered(discover(arguments.nfcd))
    for name, blocking in FORMS.items():
        source, path = asyncio_source(name), PACKAGE / blocking
        if not path.exists() or not is_made_of(source, path.read_text(encoding="utf-8"), name):
            work.handle_blocking(name, source, path)
    work.handle(ROOT / "API.md", api_source())
    return 1 if work.has_failed else 0


if __name__ == "__main__":
    sys.exit(main())
