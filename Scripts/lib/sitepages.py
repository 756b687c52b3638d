"""The pages of the documentation site: Markdown in, HTML with navigation, checked links and a search index out."""

import dataclasses
import html
import json
import os
import pathlib
import re
import shutil

from markdown_it import MarkdownIt

# The order of the navigation. A page that is not named here comes at the end of its group.
GROUPS = {
    "Start": ["README.md", "Docs/first-hour.md", "Docs/nfcctl.md", "Docs/readers.md", "Docs/troubleshooting.md",
              "Docs/faq.md"],
    "Guides": ["Docs/cookbook.md", "Docs/guides/many-tags.md", "Docs/guides/watch.md", "Docs/guides/tag-settings.md",
               "Docs/guides/kiosk.md"],
    "Services": ["Docs/administration.md", "Docs/taps.md", "Docs/relay.md", "Docs/security-keys.md", "Docs/web-nfc.md"],
    "Programs": ["Docs/client-authors.md", "Docs/protocol.md", "Docs/ndef.md", "Docs/iphone.md", "Examples/README.md"],
    "Project": ["Docs/architecture.md", "Docs/runtime.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"],
    "Reference": [],
}
SOURCES = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "Docs/**/*.md", "Examples/README.md",
           "Clients/*/*.md", "Sources/*/*.docc/*.md"]
PARSER = MarkdownIt("commonmark").enable("table")


@dataclasses.dataclass
class Page:
    """A page before its links are resolved."""

    source: str  # the path in the repository, or a name for a page that is generated
    text: str
    group: str = "Project"
    title: str = ""
    body: str = ""
    anchors: set = dataclasses.field(default_factory=set)
    sections: list = dataclasses.field(default_factory=list)  # (level, anchor, title, text)
    in_navigation: bool = True

    @property
    def path(self) -> str:
        """The path in the site."""
        return "index.html" if self.source == "README.md" else re.sub(r"\.md$", "", self.source) + ".html"


def anchor(title: str) -> str:
    """The anchor of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def group_of(source: str) -> str:
    """The group of the navigation that a page belongs to."""
    for group, sources in GROUPS.items():
        if source in sources:
            return group
    if source.startswith("Docs/guides/"):
        return "Guides"
    if source.startswith("Clients/"):
        return "Programs"
    return "Programs" if source.startswith("Sources/") else "Project"


class Site:
    """All pages, and what is wrong with their links."""

    def __init__(self, root: pathlib.Path):
        self.root = root
        self.problems: list[str] = []
        self.pages: dict[str, Page] = {}
        self.images: set[str] = set()
        for pattern in SOURCES:
            for path in sorted(root.glob(pattern)):
                source = str(path.relative_to(root))
                self.pages[source] = Page(source, path.read_text(encoding="utf-8"), group_of(source))

    def add(self, pages: list[Page]) -> None:
        """Adds generated pages."""
        self.pages.update({page.source: page for page in pages})

    def write(self, output: pathlib.Path) -> None:
        """Writes every page, its images and the search index."""
        parsed = {source: self.parse(page) for source, page in self.pages.items()}
        for source, tokens in parsed.items():
            page = self.pages[source]
            self.resolve(page, tokens)
            page.body = PARSER.renderer.render(tokens, PARSER.options, {}).replace(
                "<table>", '<div class="table"><table>').replace("</table>", "</table></div>")
        for page in self.pages.values():
            target = output / page.path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(self.document(page), encoding="utf-8")
        for image in self.images:
            (output / image).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(self.root / image, output / image)
        index = [
            {"page": page.path, "anchor": name, "title": title, "of": page.title, "text": text}
            for page in self.pages.values() for _, name, title, text in page.sections
        ]
        (output / "search-index.js").write_text(f"const searchIndex = {json.dumps(index, ensure_ascii=False)};\n", encoding="utf-8")

    # Parsing

    def parse(self, page: Page) -> list:
        """The tokens of a page, with anchors for its headings and its sections for the search."""
        # Directives of DocC, such as @Metadata { … }, are for its own pages.
        tokens = PARSER.parse(re.sub(r"^@\w+[^\n]*\{\n.*?^\}\n", "", page.text, flags=re.M | re.S))
        section = None
        for number, token in enumerate(tokens):
            if token.type == "heading_open":
                title = plain(tokens[number + 1])
                name = unused(anchor(title), page.anchors)
                page.anchors.add(name)
                token.attrSet("id", name)
                section = [int(token.tag[1]), name, title, ""]
                page.sections.append(section)
                page.title = page.title or title
            elif token.type in ("inline", "fence", "code_block") and section:
                text = plain(token) if token.type == "inline" else token.content
                section[3] += " " + " ".join(text.split())
        page.title = page.title or page.source
        return tokens

    def resolve(self, page: Page, tokens: list) -> None:
        """Makes the links of a page those of the site."""
        for token in tokens:
            for child in token.children or []:
                line = (token.map or [0])[0] + 1
                if child.type == "link_open":
                    child.attrSet("href", self.link(page, str(child.attrGet("href")), line))
                elif child.type == "image":
                    child.attrSet("src", self.image(page, str(child.attrGet("src")), line))

    def link(self, page: Page, target: str, line: int) -> str:
        """The address of a link in the site."""
        if target.startswith("doc:"):
            target = self.article(page, target[4:])
        if re.match(r"[a-z][a-z0-9+.-]*:", target):
            return target
        path, _, name = target.partition("#")
        source = os.path.normpath(os.path.join(os.path.dirname(page.source), path)) if path else page.source
        linked = self.pages.get(source)
        if linked is None:
            # A file of the sources: the site has no copy of it.
            if not (self.root / source).exists():
                self.problem(page, line, f"there is no {source}")
            return "#"
        if name and name not in linked.anchors:
            self.problem(page, line, f"{source} has no heading #{name}")
        address = os.path.relpath(linked.path, os.path.dirname(page.path) or ".")
        return address + (f"#{name}" if name else "")

    def article(self, page: Page, name: str) -> str:
        """The path of an article that DocC links by its name."""
        folder = os.path.dirname(page.source)
        return f"{name}.md" if f"{folder}/{name}.md" in self.pages else f"../../../reference/{name}.md"

    def image(self, page: Page, target: str, line: int) -> str:
        """The address of an image, which is copied."""
        source = os.path.normpath(os.path.join(os.path.dirname(page.source), target))
        if (self.root / source).exists():
            self.images.add(source)
        else:
            self.problem(page, line, f"there is no {source}")
        return os.path.relpath(source, os.path.dirname(page.path) or ".")

    def problem(self, page: Page, line: int, text: str) -> None:
        """Reports a broken link."""
        self.problems.append(f"{page.source}:{line}: {text}")

    # HTML

    def document(self, page: Page) -> str:
        """The page as HTML."""
        base = os.path.relpath(".", os.path.dirname(page.path) or ".")
        contents = "".join(
            f'<li class="level{level}"><a href="#{name}">{html.escape(title)}</a></li>'
            for level, name, title, _ in page.sections if level in (2, 3))
        return f"""<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(page.title)} – nfcd</title>
<link rel="stylesheet" href="{base}/site.css">
<script>const siteBase = "{base}/";</script>
<script src="{base}/search-index.js" defer></script>
<script src="{base}/site.js" defer></script>
<body>
<nav class="pages" aria-label="Pages">
<input id="search" type="search" placeholder="Search" aria-label="Search" autocomplete="off">
<ol id="results" hidden></ol>
{self.navigation(page)}
</nav>
<main>
{page.body}
</main>
<nav class="contents" aria-label="On this page"><ul>{contents}</ul></nav>
</body>
</html>
"""

    def navigation(self, current: Page) -> str:
        """The list of all pages."""
        parts = []
        for group, order in GROUPS.items():
            pages = [page for page in self.pages.values() if page.group == group and page.in_navigation]
            pages.sort(key=lambda page: (order.index(page.source) if page.source in order else len(order), page.title))
            items = "".join(
                f'<li><a href="{os.path.relpath(page.path, os.path.dirname(current.path) or ".")}"'
                f'{" aria-current=page" if page is current else ""}>{html.escape(page.title)}</a></li>'
                for page in pages)
            if items:
                parts.append(f"<h2>{group}</h2><ul>{items}</ul>")
        return "\n".join(parts)


def plain(token) -> str:
    """The text of an inline token."""
    return "".join(" " if child.type in ("softbreak", "hardbreak") else child.content for child in token.children or [])


def unused(name: str, names: set) -> str:
    """The name, with a number if another heading has it."""
    candidates = [name] + [f"{name}-{number}" for number in range(1, 10_000)]
    return next(candidate for candidate in candidates if candidate not in names)
