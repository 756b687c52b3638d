"""The links and anchors of the documentation site, with small pages."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Scripts/lib"))
from sitepages import Site, anchor  # noqa: E402


class SiteTests(unittest.TestCase):
    def made(self, files):
        """The problems of a site of these files, and its pages by their path."""
        with tempfile.TemporaryDirectory() as folder:
            root, output = pathlib.Path(folder, "root"), pathlib.Path(folder, "site")
            for path, text in files.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text, encoding="utf-8")
            site = Site(root)
            site.write(output)
            return site.problems, {
                str(path.relative_to(output)): path.read_text(encoding="utf-8") for path in output.rglob("*") if path.is_file()}

    def test_links_become_those_of_the_site(self):
        problems, pages = self.made({
            "README.md": "# One\n\n[a](Docs/guides/two.md#what-it-is) [b](Sources/x.swift) [c](https://example.com/a.md)\n",
            "Docs/guides/two.md": "# Two\n\n## What *it* is\n\n[up](../../README.md)\n", "Sources/x.swift": "",
        })
        self.assertEqual(problems, [])
        self.assertIn('href="Docs/guides/two.html#what-it-is"', pages["index.html"])
        self.assertIn('href="https://example.com/a.md"', pages["index.html"])
        self.assertIn('id="what-it-is"', pages["Docs/guides/two.html"])
        self.assertIn('href="../../index.html"', pages["Docs/guides/two.html"])

    def test_a_broken_link_is_named_with_file_and_line(self):
        problems, _ = self.made({
            "README.md": "# One\n\ntext\n\n[a](Docs/none.md)\n\n[b](Docs/two.md#none)\n\n![c](Docs/none.png)\n",
            "Docs/two.md": "# Two\n",
        })
        self.assertEqual(problems, [
            "README.md:5: there is no Docs/none.md", "README.md:7: Docs/two.md has no heading #none",
            "README.md:9: there is no Docs/none.png"])

    def test_the_index_has_the_text_of_each_section(self):
        _, pages = self.made({"README.md": "# One\n\nfirst\n\n## Again\n\n`code`\n\n## Again\n\n```sh\nrun it\n```\n"})
        for text in ["first", '"again-1"', "run it"]:
            self.assertIn(text, pages["search-index.js"])

    def test_anchors_are_those_of_github(self):
        for title, name in [("First tag", "first-tag"), ("`feliCa` and others!", "felica-and-others"), ("A_b-c d", "a_b-c-d")]:
            self.assertEqual(anchor(title.replace("`", "")), name)


if __name__ == "__main__":
    unittest.main()
