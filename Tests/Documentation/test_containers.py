"""The guide to containers and the files of Examples/containers, as far as they can be checked without containers."""

import json
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Scripts/lib"))
from containers import matrix  # noqa: E402

GUIDE = (ROOT / "Docs/guides/containers.md").read_text()
FOLDER = ROOT / "Examples/containers"
MOUNTS = re.compile(r"/run/nfcd(?:/sockets/\w+)?[:,]\S*/run/nfcd\b(?!/)|(?:path|mountPath): /run/nfcd$|--filesystem=/run/nfcd$", re.MULTILINE)


class GuideTests(unittest.TestCase):
    def test_the_table_has_the_rows_that_container_test_tries(self):
        for row in matrix.ROWS:
            self.assertIn(f"\n{row.line}\n", GUIDE)
        table = GUIDE.split("| Client | User that nfcd sees | May |\n|---|---|---|\n")[1].split("\n\n")[0]
        self.assertEqual(len(table.splitlines()), len(matrix.ROWS))

    def test_every_file_is_linked(self):
        for path in FOLDER.iterdir():
            if path.is_file():
                self.assertIn(f"(../../Examples/containers/{path.name})", GUIDE)


class FileTests(unittest.TestCase):
    def test_each_mounts_the_folder_and_not_the_socket(self):
        for path in FOLDER.iterdir():
            if path.is_file():
                text = path.read_text()
                self.assertRegex(text, MOUNTS, path.name)
                self.assertNotIn("nfcd.sock\"", text, path.name)

    def test_the_settings_of_a_dev_container_are_json_without_comments(self):
        settings = json.loads((FOLDER / "devcontainer.json").read_text())
        self.assertEqual(settings["mounts"], ["source=/run/nfcd,target=/run/nfcd,type=bind"])

    def test_the_app_has_the_version_and_its_password_is_not_readable(self):
        text = (FOLDER / "home-assistant/nfcd/run.py").read_text()
        self.assertLess(text.index("password.touch(0o600)"), text.index("password.write_text"))
        compile(text, "run.py", "exec")


if __name__ == "__main__":
    unittest.main()
