"""Generates the man page of a configuration file from the comments in it."""

import re

from manpage import bold, heading, line, plain

TABLE = re.compile(r"^(?:# )?(\[\[?[a-z-]+\]?\])$")
KEY = re.compile(r"^# ([a-z0-9-]+) = (.+)$")


class Page:
    """The text of the page so far, and the comment for the next item."""

    def __init__(self):
        self.text = ""
        self.comment = []

    def take_comment(self):
        paragraphs = "\n".join(self.comment).split("\n\n")
        self.comment = []
        return [" ".join(p.split()) for p in paragraphs if p.strip()]

    def take_paragraphs(self):
        """The pending comment as paragraphs, without a .PP after a heading."""
        found = self.take_comment()
        needs_break = not self.text.endswith((".SH \"DESCRIPTION\"\n", "TABLES\"\n"))
        for number, paragraph in enumerate(found):
            self.text += (".PP\n" if needs_break or number else "") + line(paragraph)

    def table(self, name):
        if not name.startswith("[["):
            self.take_paragraphs()
            self.text += f".SS {plain(name)}\n"
            return
        # The comment above a repeated table describes the table.
        said = self.take_comment()
        self.text += f".SS {plain(name)}\n" + ".PP\n".join(map(line, said))

    def key(self, name, value):
        self.text += f".TP\n{bold(name)} = {plain(value)}\n" + ".IP\n".join(map(line, self.take_comment()))


def page(name, program, configuration):
    """The page of a file of a program, without its title and without the sections in packaging/man."""
    page = Page()
    page.text = heading("Name") + plain(name) + " \\- configuration of " + plain(program) + "\n" + heading("Description")
    seen = set()
    for text in configuration.splitlines():
        if table := TABLE.match(text):
            if table[1] not in seen:
                if not seen:
                    page.take_paragraphs()
                    page.text += heading("Tables")
                page.table(table[1])
            seen.add(table[1])
        elif key := KEY.match(text):
            page.key(key[1], key[2])
        else:
            page.comment.append(text.removeprefix("#").strip())
    page.take_paragraphs()
    return page.text
