"""The files that tools/generate.py writes."""

import subprocess
import sys
import unittest

from support import ROOT, DaemonCase, nfcd, program

sys.path.insert(0, str(ROOT / "tools"))

import generate  # noqa: E402


class GeneratedTests(unittest.TestCase):
    def test_files_are_current(self):
        arguments = [sys.executable, str(ROOT / "tools" / "generate.py"), "--check", "--nfcd", program()]
        result = subprocess.run(arguments, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_what_is_lost_is_found(self):
        old = {"a": str, "b?": [{"c": int}], "d": float}
        self.assertEqual(list(generate.lost(old, dict(old, later=int))), [])
        self.assertEqual(list(generate.lost(old, {"a": int, "b": [{}]})), [".a", ".b?[].c", ".d"])


class InterfaceTests(DaemonCase):
    def test_every_method_has_a_function(self):
        known = set(nfcd.methods.RESULTS)
        self.assertLessEqual(known, set(self.client.info()["methods"]))
        self.assertIn("rpc.discover", known)
        found = self.client.perform(nfcd.methods.rpc_discover())
        self.assertEqual({method["name"] for method in found["methods"]} & known, known)


if __name__ == "__main__":
    unittest.main()
