"""Generates the man page (man(7)) of a command from the --experimental-dump-help of swift-argument-parser."""

SPECIAL = {"\\": "\\e", "-": "\\-", "'": "\\(aq", "^": "\\(ha", "~": "\\(ti", "`": "\\(ga", '"': "\\(dq"}


def plain(text):
    """Escapes text: no requests, no escape sequences, only ASCII."""
    return "".join(SPECIAL.get(c) or (c if c < "\x7f" else f"\\[u{ord(c):04X}]") for c in text)


def line(text):
    """A line of text; a leading dot is escaped."""
    text = plain(text)
    return ("\\&" if text.startswith(".") else "") + text + "\n"


def bold(text):
    return f"\\fB{plain(text)}\\fR"


def italic(text):
    return f"\\fI{plain(text)}\\fR"


def heading(text):
    return f'.SH "{plain(text.upper())}"\n'


def paragraph(text):
    """A paragraph of help; indented lines are an example and are not filled."""
    result, in_example = "", False
    for piece in text.split("\n"):
        is_example = piece.startswith("  ")
        if is_example != in_example:
            result += ".PP\n.RS 4\n.nf\n" if is_example else ".fi\n.RE\n"
        result += line(piece[2:] if is_example else piece)
        in_example = is_example
    return result + (".fi\n.RE\n" if in_example else "")


def discussion(text):
    """The sections of the discussion: description, examples and exit status."""
    body, examples, codes = "", "", ""
    for piece in text.strip().split("\n\n"):
        first, _, rest = piece.partition("\n")
        if first.strip().lower() == "examples:":
            examples += paragraph(rest).removeprefix(".PP\n")
        elif first.lower().startswith("exit codes:"):
            codes += paragraph(piece[len("exit codes:"):].strip())
        else:
            body += (".PP\n" if body else "") + paragraph(piece)
    sections = [("Description", body), ("Examples", examples), ("Exit status", codes)]
    return {name: heading(name) + text for name, text in sections if text}


def names(argument):
    written = [("-" if n["kind"] == "short" else "--") + n["name"] for n in argument.get("names", [])]
    value = "" if argument["kind"] == "flag" else " " + italic(argument["valueName"])
    return ", ".join(map(bold, written)) + value if written else italic(argument["valueName"])


def in_synopsis(argument):
    text = bold("--" + argument["preferredName"]["name"]) if "preferredName" in argument else ""
    value = "" if argument["kind"] == "flag" else italic(argument["valueName"])
    text = " ".join(filter(None, [text, value])) + (" \\&..." if argument["isRepeating"] else "")
    return f"[{text}]" if argument["isOptional"] else text


def synopsis(words, arguments, below):
    own = [a for a in arguments if a.get("preferredName", {}).get("name") not in ("help", "version")]
    # As in the help, a command with many options does not list them in the synopsis.
    options = [a for a in own if a["kind"] != "positional"]
    shown = own if len(options) <= 12 else [a for a in own if a["kind"] == "positional"]
    parts = (["[" + italic("options") + "]"] if len(shown) != len(own) else []) + list(map(in_synopsis, shown))
    parts += [italic("command")] if below else []
    # .HP is deprecated; .TP also gives a hanging indent.
    return heading("Synopsis") + ".TP\n" + bold(" ".join(words)) + "\n" + "\n".join(parts) + "\n"


def facts(argument):
    found = [f"values: {', '.join(argument['allValues'])}"] if argument.get("allValues") else []
    found += [f"default: {argument['defaultValue']}"] if argument.get("defaultValue") else []
    return f" ({'; '.join(found)})" if found else ""


def options(arguments):
    """The groups of arguments under their headings, the general options last."""
    groups = {"Arguments": []}
    for argument in arguments:
        is_positional = argument["kind"] == "positional"
        groups.setdefault("Arguments" if is_positional else argument.get("sectionTitle", "Options"), []).append(argument)
    groups["Options"] = groups.pop("Options", [])
    text = ""
    for name, group in groups.items():
        text += heading(name) if group else ""
        for argument in group:
            text += f".TP\n{names(argument)}\n" + line(argument.get("abstract", "") + facts(argument))
    return text


def commands(words, below):
    text = heading("Commands") if below else ""
    for command in below:
        page = "-".join([*words, command["commandName"]])
        text += f".TP\n.BR {plain(page)} (1)\n" + line(command["abstract"])
    return text


def page(command, above, below):
    """A page without its title and without the sections in packaging/man."""
    words = [*above, command["commandName"]]
    arguments = [a for a in command.get("arguments", []) if a["shouldDisplay"]]
    parts = discussion(command.get("discussion", ""))
    abstract = command["abstract"].rstrip(".")
    return (
        heading("Name") + plain("-".join(words)) + " \\- " + line(abstract[0].lower() + abstract[1:])
        + synopsis(words, arguments, below)
        + parts.get("Description", "") + commands(words, below) + options(arguments)
        + parts.get("Examples", "") + parts.get("Exit status", ""))
