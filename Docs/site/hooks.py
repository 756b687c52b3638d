"""What MkDocs does not do for the site: links to DocC's pages, anchors that do not exist, and the search without a server.

A warning ends `mkdocs build --strict`.
"""

import json
import logging
import pathlib
import posixpath
import re

log = logging.getLogger("mkdocs.hooks")
TYPES = {"actor": "actor", "class": "class", "enum": "enumeration", "protocol": "protocol", "struct": "structure"}
anchors = {}  # the anchors of each page
links = []  # (page, address that it links to, anchor)


def on_nav(nav, config, files):
    """Warns of pages that the navigation leaves out."""
    for file in files.documentation_pages():
        if file.page is None or file.page not in nav.pages:
            log.warning("%s is not in the navigation", file.src_path)


def on_page_markdown(markdown, page, config, files):
    """Links articles of a library to the pages that DocC makes of them, and lists the types of all libraries."""
    base = posixpath.relpath("reference", posixpath.dirname(page.file.src_path) or ".")
    if page.file.src_path == "Docs/reference.md":
        markdown += types(archive(config), base)
    return re.sub(r"\]\([./]*Sources/(\w+)/\1\.docc/(\w+)\.md\)",
                  lambda link: f"]({base}/documentation/{link[1].lower()}/{link[2].lower()}/)", markdown)


def archive(config):
    """The folder that DocC writes, which `make docs` moves into the site."""
    return pathlib.Path(config["docs_dir"]).parent / "reference"


def types(folder, base):
    """The public types of the libraries as Markdown, from the navigator that DocC writes."""
    lines = []
    navigator = json.loads((folder / "index/index.json").read_text(encoding="utf-8"))
    for module in navigator["interfaceLanguages"]["swift"][0]["children"]:
        lines += ["", f"## {module['title']}", "", f"[All of {module['title']}]({base}{module['path']}/)", ""]
        lines += sorted(f"- [{symbol['title']}]({base}{symbol['path']}/), {TYPES[symbol['type']]}"
                        for symbol in module["children"] if symbol["type"] in TYPES)
    return "\n".join(lines) + "\n"


def on_page_content(html, page, config, files):
    """Collects the anchors and the links of a page."""
    anchors[page.url] = set(re.findall(r'id="([^"]+)"', html))
    for path, anchor in re.findall(r'href="([^":#]*)(?:#([^"]+))?"', html):
        target = posixpath.normpath(posixpath.join(posixpath.dirname(page.url), path)) if path else page.url
        links.append((page, target, anchor))


def on_post_build(config):
    """Warns of links to what does not exist, and writes the script of the search for pages that are opened from files."""
    site = pathlib.Path(config["site_dir"])
    for page, target, anchor in links:
        folder = archive(config).parent if target.startswith("reference/") else site
        if not (folder / target).exists() or anchor and anchor not in anchors.get(target, ()):
            log.warning("%s links to %s, which does not exist", page.file.src_path, f"{target}#{anchor}" if anchor else target)
    index = (site / "search/search_index.json").read_text(encoding="utf-8")
    worker = next(site.glob("assets/javascripts/workers/search.*.js")).read_text(encoding="utf-8")
    (site / "search/from-file.js").write_text(
        f"window.__search = {{index: Promise.resolve({index}), worker: URL.createObjectURL(new Blob([{json.dumps(worker)}]))}};\n",
        encoding="utf-8")
