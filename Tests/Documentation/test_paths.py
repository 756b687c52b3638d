"""The five paths of Docs/architecture.md: its tables are those that Scripts/checks/paths writes, and what counts as passed."""

import importlib.machinery
import importlib.util
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "Scripts/checks/paths"


def loaded():
    """The script as a module, without a cache beside it."""
    specification = importlib.util.spec_from_loader("paths", importlib.machinery.SourceFileLoader("paths", str(SCRIPT)))
    module = importlib.util.module_from_spec(specification)
    module.__file__ = str(SCRIPT)
    exec(compile(SCRIPT.read_text(), str(SCRIPT), "exec"), module.__dict__)
    return module


class DocumentTests(unittest.TestCase):
    """Scripts/checks/paths --lines --check, with a copy of the document."""

    def check(self, change=lambda text: text):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for part in ("Scripts/checks", "Docs"):
                (root / part).mkdir(parents=True)
            for part in ("Sources", "Clients", "Tests", "Scripts/lib"):
                (root / part).symlink_to(ROOT / part)
            (root / "Scripts/checks/paths").write_text(SCRIPT.read_text())
            (root / "Docs/architecture.md").write_text(change((ROOT / "Docs/architecture.md").read_text()))
            return subprocess.run(
                ["/usr/bin/python3", root / "Scripts/checks/paths", "--lines", "--check"], capture_output=True, text=True)

    def test_the_tables_are_those_that_the_script_writes(self):
        done = self.check()
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_file_that_has_moved_is_an_error(self):
        done = self.check(lambda text: text.replace("| `PCSC/SCard.swift` |", "| `PCSC/Gone.swift` |", 1))
        self.assertEqual(done.returncode, 1)
        self.assertIn("names PCSC/Gone.swift, which does not exist. Run make paths.", done.stderr)

    def test_what_a_file_no_longer_says_is_an_error(self):
        for change in (
                ("Every call into libpcsclite", "Each call into libpcsclite"), ("| 1 | `", "| 7 | `"), ("files of nfcd<", "file of nfcd<")):
            done = self.check(lambda text: text.replace(*change, 1))
            self.assertEqual(done.returncode, 1, change)
            self.assertIn("run make paths", done.stderr)

    def test_each_path_has_a_place(self):
        done = self.check(lambda text: text.replace("<!-- path scan,", "<!-- path can,"))
        self.assertIn("does not have a place for each path", done.stderr)

    def test_each_path_names_files_of_each_program_on_it(self):
        paths = loaded()
        found = paths.tables(paths.DOCUMENT.read_text())
        self.assertEqual({name: list(programs) for name, programs in found.items()}, paths.PATHS)
        for programs in found.values():
            for files in programs.values():
                self.assertGreater(len(files), 10)
                self.assertEqual(len(files), len(set(files)))


class LineTests(unittest.TestCase):
    def line(self, text, name="Reader.swift"):
        paths = loaded()
        with tempfile.TemporaryDirectory() as folder:
            paths.SOURCES = pathlib.Path(folder)
            (paths.SOURCES / name).write_text(text)
            return paths.line_about(name)

    def test_the_line_is_the_first_sentence_about_the_type_of_the_file(self):
        for text, line in (
                ("/// What it is. More.\nstruct Reader {}\n", "What it is."),
                ("/// A state.\nenum State {}\n\n/// A reader, on\n/// its thread: ``Card``.\n///\n/// - Note: x.\n"
                 "@frozen\npublic final class Reader {}\n", "A reader, on its thread: `Card`."),
                ("/// The first.\nextension String {}\n/// Another.\nstruct Readers {}\n", "The first."),
                ("import A\n\n// The readers.\n\n/// One.\nstruct One {}\n", "The readers."),
                ("// swift-format-ignore-file: Rule\n// Why.\nimport A\n\n/// One.\nstruct One {}\n", "One."),
                ("// swift-format-ignore-file\n// Made by `make`.\nstruct One {}\n", "Made by `make`."),
                ("/// Takes e.g. one | two.\nstruct Reader {}\n", "Takes e.g. one \\| two."),
                ("struct Reader {}\n", "–")):
            self.assertEqual(self.line(text), line)

    def test_a_file_in_c_has_a_line_too(self):
        self.assertEqual(self.line('// Timers. More.\n#include "x.h"\n', "timer.c"), "Timers.")

    def test_a_file_of_the_extension_has_a_line_too(self):
        for text in ('"use strict";\n// The relay. More.\n(() => {\n', 'import "a";\n\n/** The relay. */\nclass A {}\n',
                     '/**\n * The relay.\n *\n * More.\n */\nclass A {}\n'):
            self.assertEqual(self.line(text, "relay.js"), "The relay.")


class PassedTests(unittest.TestCase):
    """What three runs give: each (idle, until the answer, in all) as pairs of file and line."""

    def setUp(self):
        self.passed = loaded().passed

    def test_files_are_in_the_order_in_which_they_were_passed(self):
        run = ([], [("b", 1)], [("b", 1), ("a", 2), ("b", 3)])
        self.assertEqual(self.passed([run] * 3), (["b", "a"], set()))

    def test_what_runs_when_idle_does_not_count(self):
        run = ([("timer", 1), ("both", 1)], [("a", 1)], [("a", 1), ("timer", 1), ("both", 1), ("both", 2)])
        self.assertEqual(self.passed([run] * 3), (["a", "both"], set()))

    def test_what_runs_when_idle_counts_before_the_answer_in_every_run(self):
        always = ([("clock", 1)], [("clock", 1), ("a", 1)], [("clock", 1), ("a", 1)])
        late = ([("clock", 1)], [("a", 1)], [("a", 1), ("clock", 1)])
        self.assertEqual(self.passed([always] * 3), (["clock", "a"], set()))
        self.assertEqual(self.passed([always, late, always]), (["a"], set()))

    def test_a_file_that_only_some_runs_pass_is_reported(self):
        whole = ([], [("a", 1)], [("a", 1), ("b", 1)])
        part = ([], [("a", 1)], [("a", 1)])
        self.assertEqual(self.passed([whole, part, whole]), (["a"], {"b"}))
        self.assertEqual(self.passed([part, part, whole]), (["a"], {"b"}))

    def test_differences_have_a_direction(self):
        paths = loaded()
        empty = {name: {} for name in paths.PATHS}
        lines = list(paths.differences(
            {**empty, "tap": {"nfcd": ["a", "b"]}}, {**empty, "tap": {"nfcd": ["b", "c"]}, "scan": {"x": ["d"]}}))
        self.assertEqual(lines, ["tap: nfcd no longer passes a", "tap: nfcd now passes c", "scan: x now passes d"])


if __name__ == "__main__":
    unittest.main()
