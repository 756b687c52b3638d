"""`python -m nfcd.demo`: which nfcctl it runs, and what it prints without one."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from support import ROOT

SCRIPT = "#!/bin/sh\necho \"$0 $*\"\nexit 3\n"


class DemoTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def nfcctl(self, folder):
        """Makes a program that prints how it was called."""
        path = self.folder / folder / "nfcctl"
        path.parent.mkdir(parents=True)
        path.write_text(SCRIPT)
        path.chmod(0o755)
        return path

    def run_demo(self, *arguments, scripts="nowhere"):
        """Runs the module, with the programs of the environment in a folder of this test."""
        lines = (
            "import runpy, sys, sysconfig\n"
            f"sysconfig.get_path = lambda name, scheme='': {str(self.folder / scripts)!r}\n"
            f"sys.argv = ['nfcd.demo', *{list(arguments)!r}]\n"
            "runpy.run_module('nfcd.demo', run_name='__main__')\n"
        )
        environment = dict(os.environ, PATH=f"{self.folder / 'path'}:/usr/bin:/bin", PYTHONPATH=str(ROOT / "src"))
        return subprocess.run(
            [sys.executable, "-c", lines], env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def test_nfcctl_of_the_environment_comes_first(self):
        own = self.nfcctl("scripts")
        self.nfcctl("path")
        done = self.run_demo("--help", scripts="scripts")
        self.assertEqual((done.stdout, done.returncode), (f"{own} demo --help\n", 3))

    def test_otherwise_that_of_the_path(self):
        done = self.run_demo() if self.nfcctl("path") else None
        self.assertEqual((done.stdout, done.returncode), (f"{self.folder}/path/nfcctl demo\n", 3))

    @unittest.skipIf(os.access("/usr/bin/nfcctl", os.X_OK), "nfcctl is installed")
    def test_without_nfcctl_it_says_what_to_do(self):
        done = self.run_demo()
        self.assertEqual((done.stdout, done.returncode), ("", 69))
        self.assertIn("install the packages of nfcd", done.stderr)


if __name__ == "__main__":
    unittest.main()
