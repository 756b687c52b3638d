"""The bill of materials of a release has what SPDX 2.3 requires."""

import importlib.machinery
import importlib.util
import pathlib
import re
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "Scripts/products/sbom"


def loaded():
    """Scripts/products/sbom as a module, without a cache beside it."""
    specification = importlib.util.spec_from_loader("sbom", importlib.machinery.SourceFileLoader("sbom", str(SCRIPT)))
    module = importlib.util.module_from_spec(specification)
    exec(compile(SCRIPT.read_text(encoding="utf-8"), str(SCRIPT), "exec"), module.__dict__)
    return module


RESOLVED = {"pins": [
    {"identity": "swift-nio", "location": "https://github.com/apple/swift-nio.git", "state": {"revision": "ab" * 20, "version": "2.1.0"}},
    {"identity": "other", "location": "https://example.com/other", "state": {"revision": "cd" * 20}},
]}
DEBIAN = [
    {"Package": "nfcd", "Version": "1.2.3", "Architecture": architecture,
     "Depends": "libc6 (>= 2.35), libsqlite3-0, pcscd, systemd | systemd-sysusers"} for architecture in ("amd64", "arm64")]


class BillTests(unittest.TestCase):
    def setUp(self):
        self.sbom = loaded()
        self.made = self.sbom.document(RESOLVED, DEBIAN, "1.2.3", "6.3.1", 86400)

    def test_the_document_has_the_required_fields(self):
        made = self.made
        self.assertEqual((made["spdxVersion"], made["dataLicense"], made["SPDXID"]), ("SPDX-2.3", "CC0-1.0", "SPDXRef-DOCUMENT"))
        self.assertRegex(made["documentNamespace"], r"^https://[^#\s]+$")
        self.assertEqual(made["creationInfo"]["created"], "1970-01-02T00:00:00Z")
        self.assertRegex(made["creationInfo"]["creators"][0], r"^(Tool|Person|Organization): .")

    def test_each_package_has_the_required_fields(self):
        for package in self.made["packages"]:
            self.assertTrue(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", package["SPDXID"]), package["SPDXID"])
            for field in ["name", "downloadLocation", "licenseConcluded", "licenseDeclared", "copyrightText"]:
                self.assertTrue(package[field], field)
            self.assertIs(package["filesAnalyzed"], False)
        identifiers = [package["SPDXID"] for package in self.made["packages"]]
        self.assertEqual(len(identifiers), len(set(identifiers)))

    def test_relationships_name_packages_of_the_document(self):
        known = {"SPDXRef-DOCUMENT", *(package["SPDXID"] for package in self.made["packages"])}
        found = [(r["spdxElementId"], r["relationshipType"], r["relatedSpdxElement"]) for r in self.made["relationships"]]
        self.assertIn(("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-nfcd"), found)
        self.assertIn(("SPDXRef-Package-nfcd-arm64", "DYNAMIC_LINK", "SPDXRef-Debian-libsqlite3-0"), found)
        for one, _, other in found:
            self.assertLessEqual({one, other}, known)

    def test_versions_are_those_of_the_input(self):
        packages = {package["name"]: package for package in self.made["packages"]}
        self.assertEqual(packages["swift-nio"]["versionInfo"], "2.1.0")
        self.assertEqual(packages["swift-nio"]["licenseDeclared"], "Apache-2.0")
        self.assertEqual(packages["other"]["versionInfo"], "cd" * 20)
        self.assertEqual(packages["other"]["licenseDeclared"], "NOASSERTION")
        self.assertEqual(packages["swift"]["versionInfo"], "6.3.1")
        self.assertNotIn("pcscd", packages)

    def test_equal_input_makes_equal_documents(self):
        self.assertEqual(self.made, self.sbom.document(RESOLVED, DEBIAN, "1.2.3", "6.3.1", 86400))


if __name__ == "__main__":
    unittest.main()
