"""Reads the declarations of the protocol from formatted Swift: types, their doc comments, fields and constants.

The sources are formatted by swift format: the indentation of a declaration gives its nesting.
"""

import re

DOC = re.compile(r"^( *)///(?: (.*))?$")
TYPE = re.compile(
    r"^( *)(public |package )?(enum|struct|extension|protocol) ([\w.]+)(?:<[^>]*>)?(?:: ([^{]*))?.*\{")
FIELD = re.compile(r"^( *)(?:public |package )?(?:private\(set\) )?(?:var|let) (\w+): ([^{=]*)$")
CONSTANT = re.compile(r"^ *(?:public |package )?static let (\w+)(?:: \w+)? = (.*)$")
ALIAS = re.compile(r"^ *(?:public |package )?typealias (\w+) = (.*)$")
INITIALIZER = re.compile(r"^ *(?:public |package )?init\((?!from decoder)")

METHODS = {"Method", "TagMethod", "TimedTagMethod"}


class Declaration:
    """A type with its doc comment, and what it declares."""

    def __init__(self, name, kind, access, comment, conformances):
        self.name = name
        self.kind = kind
        self.access = access
        self.paragraphs = comment
        self.conformances = conformances
        self.fields = {}
        self.descriptions = {}
        self.constants = {}
        self.aliases = {}
        self.has_initializer = False

    @property
    def is_notification(self):
        return self.kind != "protocol" and "ServerNotification" in self.conformances

    @property
    def is_method(self):
        return self.kind == "enum" and bool(METHODS.intersection(self.conformances))

    @property
    def is_value(self):
        """Whether its fields are members of an object on the wire."""
        return self.kind == "struct" and "Codable" in self.conformances or self.is_notification


def paragraphs(lines):
    """The paragraphs of a doc comment, each as one line."""
    joined = [" ".join(one.split("\n")) for one in re.split(r"\n\s*\n", "\n".join(lines))]
    return [one.replace("``", "`").strip() for one in joined if one.strip()]


def declarations(path):
    """The types of a file, in their order."""
    found, comment, scopes = [], [], []
    for line in path.read_text().split("\n"):
        if doc := DOC.match(line):
            comment.append(doc.group(2) or "")
            continue
        indentation = len(line) - len(line.lstrip())
        if line.strip():
            scopes = [scope for scope in scopes if scope[0] < indentation or line.strip() == "}"]
        if match := TYPE.match(line):
            name = ".".join([scope[1].name for scope in scopes[-1:]] + [match.group(4)])
            conformances = set(re.split(r"[,\s]+", match.group(5) or ""))
            declared = Declaration(name, match.group(3), (match.group(2) or "").strip(), paragraphs(comment), conformances)
            found.append(declared)
            scopes.append((indentation, declared))
        elif scopes and indentation == scopes[-1][0] + 4:
            read_member(line, scopes[-1][1], comment)
        if not line.strip().startswith("@"):
            comment = []
    for extension in found:
        if extension.kind == "extension" and extension.has_initializer:
            for other in found:
                if other.name == extension.name:
                    other.has_initializer = True
    return found


def read_member(line, declared, comment):
    if match := FIELD.match(line):
        declared.fields[match.group(2)] = match.group(3).strip()
        declared.descriptions[match.group(2)] = " ".join(paragraphs(comment))
    elif match := CONSTANT.match(line):
        declared.constants[match.group(1)] = match.group(2)
    elif match := ALIAS.match(line):
        declared.aliases[match.group(1)] = match.group(2)
    elif INITIALIZER.match(line):
        declared.has_initializer = True


def qualified(text, declared, known):
    """A type as it is written outside of the declaration: with the types around it."""
    scopes = declared.name.split(".")

    def full(match):
        for depth in range(len(scopes), 0, -1):
            name = ".".join(scopes[:depth] + [match.group(0)])
            if name in known:
                return name
        return match.group(0)

    return re.sub(r"(?<![.\w])[A-Z]\w*", full, text)
