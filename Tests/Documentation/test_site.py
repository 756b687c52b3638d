"""What Docs/site adds to MkDocs, with small pages: links, anchors, the navigation, the types of the libraries."""

import json
import pathlib
import re
import subprocess
import tempfile
import unittest

SETTINGS = pathlib.Path(__file__).resolve().parents[2] / "Docs/site/mkdocs.yml"
TYPES = [{"title": "NDEFMessage", "type": "struct", "path": "/documentation/ndef/ndefmessage"},
         {"title": "static func check()", "type": "method", "path": "/documentation/ndef/check()"}]


class SiteTests(unittest.TestCase):
    def made(self, pages, navigation=None):
        """The warnings of a site of these pages, and what was written by its path."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in pages.items():
                self.write(root / "pages" / path, text)
            modules = [{"title": "NDEF", "type": "module", "path": "/documentation/ndef", "children": TYPES}]
            self.write(root / "reference/index/index.json", json.dumps({"interfaceLanguages": {"swift": [{"children": modules}]}}))
            for path in ["ndef", "ndef/ndefmessage", "corenfc/fromiphonetolinux"]:
                self.write(root / "reference/documentation" / path / "index.html", "")
            # The theme and the hooks are those of the site.
            self.write(root / "mkdocs.yml", json.dumps({
                "INHERIT": str(SETTINGS), "docs_dir": str(root / "pages"), "site_dir": str(root / "site"),
                "hooks": [str(SETTINGS.parent / "hooks.py")], "theme": {"custom_dir": str(SETTINGS.parent / "theme")},
                "nav": navigation or [path for path in pages if path.endswith(".md")]}))
            result = subprocess.run(["/usr/bin/mkdocs", "build", "--strict", "--config-file", root / "mkdocs.yml"], capture_output=True, text=True)
            warnings = re.findall(r"^(?:\x1b\[\d+m)?WARNING +-  (?:\x1b\[0m)?(.*)", result.stderr, re.MULTILINE)
            self.assertEqual(result.returncode != 0, bool(warnings), result.stderr)
            return warnings, {str(path.relative_to(root / "site")): path.read_text(encoding="utf-8")
                              for pattern in ["*.html", "search/*"] for path in (root / "site").rglob(pattern)}

    def write(self, path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def test_links_become_those_of_the_site(self):
        warnings, site = self.made({
            "README.md": "# One\n\n[a](Docs/guides/two.md#what-it-is) [b](Config/web.toml) [c](https://example.com/a.md)\n",
            "Docs/guides/two.md": "# Two\n\n## What *it* is\n\n[up](../../README.md) [here](#what-it-is)\n\n"
                                  "[b](../../Sources/CoreNFC/CoreNFC.docc/FromIPhoneToLinux.md)\n", "Config/web.toml": "",
        })
        self.assertEqual(warnings, [])
        self.assertIn('href="Docs/guides/two.html#what-it-is"', site["index.html"])
        self.assertIn('href="Config/web.toml"', site["index.html"])
        self.assertIn('href="https://example.com/a.md"', site["index.html"])
        self.assertIn('id="what-it-is"', site["Docs/guides/two.html"])
        self.assertIn('href="../../index.html"', site["Docs/guides/two.html"])
        self.assertIn('href="../../reference/documentation/corenfc/fromiphonetolinux/"', site["Docs/guides/two.html"])

    def test_a_broken_link_is_reported_with_its_page(self):
        pages = {"Docs/two.md": "# Two\n", "README.md": "# One\n"}
        for link, name in [
            ("[a](Docs/none.md)", "Docs/none.md"), ("[a](Docs/two.md#none)", "Docs/two.html#none"), ("[a](#none)", "index.html#none"),
            ("![a](Docs/none.png)", "Docs/none.png"), ("[a](Sources/x.swift)", "Sources/x.swift"), ("[a](Docs/none/)", "Docs/none"),
            ("[a](Sources/CoreNFC/CoreNFC.docc/None.md)", "reference/documentation/corenfc/none"),
        ]:
            warnings, _ = self.made({**pages, "README.md": f"# One\n\n{link}\n"})
            self.assertTrue(any("README.md" in warning and name in warning for warning in warnings), (link, warnings))

    def test_a_page_outside_the_navigation_is_reported(self):
        warnings, _ = self.made({"README.md": "# One\n", "Docs/two.md": "# Two\n"}, navigation=["README.md"])
        self.assertEqual(warnings, ["Docs/two.md is not in the navigation"])

    def test_the_index_has_the_text_of_each_section_and_the_types_of_the_libraries(self):
        warnings, site = self.made({
            "README.md": "# One\n\nfirst\n\n## Two\n\n`code`\n\n```sh\nrun it\n```\n", "Docs/reference.md": "# Reference\n"})
        self.assertEqual(warnings, [])
        for name in ["search/search_index.json", "search/from-file.js"]:
            for text in ["first", "index.html#two", "run it", "NDEFMessage"]:
                self.assertIn(text, site[name])
        self.assertIn('href="../reference/documentation/ndef/ndefmessage/">NDEFMessage</a>, structure', site["Docs/reference.html"])
        self.assertNotIn("check()", site["Docs/reference.html"])

    def test_anchors_are_those_of_github(self):
        titles = {"First tag": "first-tag", "`feliCa` and others!": "felica-and-others", "A_b-c d": "a_b-c-d", "a — b": "a--b"}
        _, site = self.made({"README.md": "# One\n\n" + "\n\n".join(f"## {title}" for title in titles)})
        for name in titles.values():
            self.assertIn(f'id="{name}"', site["index.html"])


if __name__ == "__main__":
    unittest.main()
