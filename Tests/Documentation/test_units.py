"""What the documentation and the programs have a person do with the units of systemd/."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# systemctl reload, and the unit if it is named.
RELOAD = re.compile(r"systemctl (--user )?reload (nfcd[a-z-]*)")


def texts():
    """Every page, program and file of the packages, by its path."""
    files = [ROOT / "README.md"]
    for folder in ("Config", "Docs", "Examples", "Sources", "packaging", "systemd"):
        files += (path for path in (ROOT / folder).rglob("*") if path.is_file())
    for path in files:
        try:
            yield path.relative_to(ROOT), path.read_text()
        except UnicodeDecodeError:
            pass


class ReloadTests(unittest.TestCase):
    def test_each_unit_that_is_to_be_reloaded_can_be(self):
        found = [(path, *match.groups()) for path, text in texts() for match in RELOAD.finditer(text)]
        for path, is_user, name in found:
            unit = ROOT / "systemd" / ("user" if is_user else "") / f"{name}.service"
            self.assertTrue("\nExecReload=" in unit.read_text(), f"{path}: systemctl refuses to reload {name}")
        self.assertIn("nfcd", [name for _, _, name in found])


if __name__ == "__main__":
    unittest.main()
