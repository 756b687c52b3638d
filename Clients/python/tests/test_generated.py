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

    def test_a_stale_or_edited_blocking_form_is_noticed(self):
        source, blocking = generate.asyncio_source(), (generate.PACKAGE / "_blocking.py").read_text(encoding="utf-8")
        self.assertTrue(generate.is_made_of(source, blocking))
        for changed in [source + "\n", source.replace("await ", "await  ", 1), source.replace("# ", "#  ", 1), ""]:
            self.assertFalse(generate.is_made_of(changed, blocking))
        digests = blocking.splitlines()[2]
        for edited in [blocking + "\n", blocking.replace("def close", "def  close"), blocking.replace('"""The', '"""A', 1), "",
                       blocking.replace(digests, "# " + "0" * 16 + digests[18:]), blocking.replace(digests + "\n", "")]:
            self.assertFalse(generate.is_made_of(source, edited))

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
