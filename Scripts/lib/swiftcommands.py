"""Makes the commands of the Swift client's RemoteTag from the declarations of methods on tags."""

import re

from declarations import qualified

# The names of the groups in Swift, with what each is about.
GROUPS = {
    "iso7816": ("ISO7816Commands", "The commands of tags of type `iso7816`."),
    "miFare": ("MiFareCommands", "The commands of tags of type `miFare`."),
    "feliCa": ("FeliCaCommands", "The commands of tags of type `feliCa`."),
    "iso15693": ("ISO15693Commands", "The commands of tags of type `iso15693`."),
    "miFareClassic": (
        "MIFAREClassicCommands", "The commands of MIFARE Classic. One sector at a time is open: that of the block that was"
        " authenticated last."),
}


class Command:
    """A method on a tag: what the generated function takes and returns."""

    def __init__(self, method, all_types):
        self.method = method
        self.group, self.name = method.constants["name"].strip('"').split(".", 1)
        self.is_timed = "TimedTagMethod" in method.conformances
        self.is_reading = method.constants.get("requirement", "").endswith("(.read)")
        self.types = all_types
        self.arguments = self.declaration("Arguments")
        fields = dict(self.arguments.fields) if self.arguments else {}
        self.has_progress = fields.pop("progress", None) is not None
        self.fields = {name: qualified(text, self.arguments, all_types) for name, text in fields.items()}
        self.result = self.declaration("Result")

    def declaration(self, member):
        """The declaration of the method's arguments or result; None for nothing."""
        name = self.method.aliases.get(member)
        return self.types.get(name) if name else self.types.get(f"{self.method.name}.{member}")

    @property
    def required(self):
        return [name for name, text in self.fields.items() if not text.endswith("?")]

    @property
    def parameters(self):
        for name, text in self.fields.items():
            label = "_ " if self.required == [name] else ""
            if text == "HexBytes":
                yield f"{label}{name}: some Sequence<UInt8>"
            else:
                text = text.replace("HexBytes", "[UInt8]")
                yield f"{label}{name}: {text}{' = nil' if text.endswith('?') else ''}"
        if self.is_timed:
            yield "timeout: Duration? = nil"
        if self.has_progress:
            yield "progress onProgress: (@Sendable (_ done: Int, _ total: Int) -> Void)? = nil"

    @property
    def single(self):
        """The only member of the result, which is returned instead of it."""
        fields = self.result.fields if self.result else {}
        return next(iter(fields.items())) if len(fields) == 1 else None

    @property
    def returned(self):
        if self.result is None:
            return None
        return self.single[1].replace("HexBytes", "[UInt8]") if self.single else f"{self.method.name}.Result"

    def comment(self):
        yield from self.method.paragraphs[:1]
        for paragraph in self.method.paragraphs[1:]:
            yield ""
            yield paragraph
        described = [(name, self.arguments.descriptions[name]) for name in self.fields]
        if self.is_timed:
            described.append(("timeout", "The limit of the command, at most 60 s; nil for the reader's own limit of each exchange."))
        if self.has_progress:
            described.append(("onProgress", "Is called with the number of steps done and of all steps; it must not block."))
        if described:
            yield ""
            yield "- Parameters:"
            yield from (f"  - {name}: {text}" for name, text in described)
        if self.single:
            if not described:
                yield ""
            yield f"- Returns: {self.result.descriptions[self.single[0]]}"

    def value(self, name, text):
        if text == "HexBytes":
            return f"HexBytes(Array({name}))"
        if text == "HexBytes?":
            return f"{name}.map {{ HexBytes($0) }}"
        if text == "[HexBytes]?":
            return f"{name}.map {{ $0.map {{ HexBytes($0) }} }}"
        return name

    def body(self, tag, address):
        made = ", ".join(f"{name}: {self.value(name, text)}" for name, text in self.fields.items())
        arguments = "Empty()" if self.arguments is None else f".init({made})"
        timeout = ", timeout: timeout.map { $0 / .seconds(1) }" if self.is_timed else ""
        parameters = address if "Parameters" in self.method.aliases else f".init({address}, {arguments}{timeout})"
        progress = ", progress: onProgress" if self.has_progress else ""
        call = f"try await {tag}call({self.method.name}.self, {parameters}{progress})"
        if self.result is None:
            return f"_ = {call}"
        if self.single is None:
            return call
        return f"{call}.{self.single[0]}" + (".bytes" if self.single[1] == "HexBytes" else "")

    def lines(self, indentation, tag, address):
        pad = " " * indentation
        yield from (f"{pad}/// {line}".rstrip() for line in self.comment())
        if self.returned and not self.is_reading:
            yield f"{pad}@discardableResult"
        returned = f" -> {self.returned}" if self.returned else ""
        yield f"{pad}public func {self.name}({', '.join(self.parameters)}) async throws{returned} {{"
        yield f"{pad}    {self.body(tag, address)}"
        yield f"{pad}}}"


def is_command(method):
    is_on_tag = {"TagMethod", "TimedTagMethod"}.intersection(method.conformances)
    return method.is_method and (bool(is_on_tag) or method.constants["name"].startswith('"tag.'))


def remote_tag(methods, types):
    """The file with the commands of RemoteTag."""
    # An extension has only a part of a type.
    by_name = {one.name: one for one in types + methods if one.kind != "extension"}
    commands = [Command(one, by_name) for one in methods if is_command(one)]
    if unknown := {command.group for command in commands} - {"tag", *GROUPS}:
        raise SystemExit(f"generate: name the group {', '.join(sorted(unknown))} in GROUPS of Scripts/lib/swiftcommands.py")
    lines = ["public import NDEF", "public import NFCProtocol", "", "extension RemoteTag {"]
    for command in commands:
        if command.group == "tag":
            lines += [*command.lines(4, "", "address"), ""]
    for group, (name, comment) in GROUPS.items():
        lines += [f"    /// {comment}", f"    public var {group}: {name} {{ {name}(tag: self) }}", ""]
    lines[-1] = "}"
    for group, (name, comment) in GROUPS.items():
        lines += ["", f"/// {comment}", f"public struct {name}: Sendable {{", "    fileprivate let tag: RemoteTag"]
        for command in commands:
            if command.group == group:
                lines += ["", *command.lines(4, "tag.", "tag.address")]
        lines.append("}")
    return "\n".join(lines)
