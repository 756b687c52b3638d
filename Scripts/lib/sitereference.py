"""The reference of the libraries, from the symbol graphs that the compiler makes."""

import collections
import json
import pathlib
import re

from sitepages import Page

# Kinds of symbols that have a page of their own.
TYPES = {"swift.struct", "swift.class", "swift.enum", "swift.protocol", "swift.actor"}


def reference_pages(folder: pathlib.Path) -> list[Page]:
    """A page for each module, and for each public type at its top level, as Markdown."""
    pages = []
    for graph in sorted(folder.glob("*/*.symbols.json")):
        # Extensions of other modules are in files with an @.
        if "@" in graph.name:
            continue
        content = json.loads(graph.read_text(encoding="utf-8"))
        pages += module_pages(content["module"]["name"], content["symbols"])
    return pages


def module_pages(module: str, symbols: list) -> list[Page]:
    """The pages of a module."""
    types = [symbol for symbol in symbols if symbol["kind"]["identifier"] in TYPES and len(symbol["pathComponents"]) == 1]
    names = {symbol["pathComponents"][0] for symbol in types}
    members = collections.defaultdict(list)
    for symbol in symbols:
        if symbol in types or is_synthesized(symbol):
            continue
        owner = symbol["pathComponents"][0]
        members[owner if owner in names else ""].append(symbol)
    lines = [f"# {module}", ""]
    for symbol in sorted(types, key=title):
        lines.append(f"- [{title(symbol)}]({module}/{title(symbol)}.md): {summary(symbol)}")
    pages = [Page(f"reference/{module}.md", "\n".join(lines + [""] + described(members[""])), "Reference")]
    for symbol in types:
        text = [f"# {title(symbol)}", "", f"{symbol['kind']['displayName']} of [{module}](../{module}.md)", ""]
        text += declaration(symbol) + documentation(symbol) + described(members[title(symbol)])
        pages.append(Page(f"reference/{module}/{title(symbol)}.md", "\n".join(text), "Reference", in_navigation=False))
    return pages


def described(symbols: list) -> list[str]:
    """A section for each symbol."""
    lines = []
    for symbol in sorted(symbols, key=lambda symbol: symbol["pathComponents"]):
        lines += [f"## {title(symbol)}", ""] + declaration(symbol) + documentation(symbol)
    return lines


def title(symbol: dict) -> str:
    """The name within the module: `NDEFMessage`, or `encoded()` for a member."""
    path = symbol["pathComponents"]
    return ".".join(path[1:] or path)


def is_synthesized(symbol: dict) -> bool:
    """Whether the compiler or the standard library made the symbol."""
    return "::SYNTHESIZED::" in symbol["identifier"]["precise"] or "docComment" not in symbol


def declaration(symbol: dict) -> list[str]:
    """The declaration as a block of code."""
    fragments = "".join(part["spelling"] for part in symbol.get("declarationFragments", []))
    return ["```swift", fragments, "```", ""]


def documentation(symbol: dict) -> list[str]:
    """The comment, with names in double backticks as code."""
    lines = [line["text"] for line in symbol.get("docComment", {}).get("lines", [])]
    return [re.sub(r"``([^`]+)``", r"`\1`", re.sub(r"<doc:([^>]+)>", r"`\1`", line)) for line in lines] + [""]


def summary(symbol: dict) -> str:
    """The first paragraph of the comment."""
    lines = documentation(symbol)
    return " ".join(lines[:lines.index("")])
