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
LINKED = {"amd64": {"libtomlplusplus-dev": "3.3.0+ds-1"}, "wheel": {"libtomlplusplus-dev": "3.3.0+ds-1", "libssl-dev": "3.0.19-1~deb12u2"}}


class BillTests(unittest.TestCase):
    def setUp(self):
        self.sbom = loaded()
        self.made = self.sbom.document(RESOLVED, DEBIAN, "1.2.3", "6.3.1", 86400, LINKED, "amd64")

    def linked(self, spdx_id):
        """What a package contains: name, version, license and address of each."""
        packages = {package["SPDXID"]: package for package in self.made["packages"]}
        found = [packages[r["relatedSpdxElement"]] for r in self.made["relationships"]
                 if r["spdxElementId"] == spdx_id and r["relationshipType"] == "STATIC_LINK"]
        return sorted((p["name"], p.get("versionInfo"), p["licenseDeclared"], p.get("externalRefs", [{}])[0].get("referenceLocator"))
                      for p in found)

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

    def test_the_wheel_contains_libcrypto_with_debians_version_and_the_swift_runtime(self):
        toml = ("libtomlplusplus-dev", "3.3.0+ds-1", "MIT", "pkg:deb/debian/libtomlplusplus-dev@3.3.0%2Bds-1?arch=amd64")
        self.assertEqual(self.linked("SPDXRef-Wheel"), [
            ("libssl-dev", "3.0.19-1~deb12u2", "Apache-2.0", "pkg:deb/debian/libssl-dev@3.0.19-1~deb12u2?arch=amd64"), toml,
            ("swift", "6.3.1", "Apache-2.0", None)])
        self.assertEqual(self.linked("SPDXRef-nfcd"), [("swift", "6.3.1", "Apache-2.0", None)])
        self.assertEqual(self.linked("SPDXRef-Package-nfcd-amd64"), [toml])
        # What is in the programs of another architecture is not known from this one.
        self.assertEqual(self.linked("SPDXRef-Package-nfcd-arm64"), [])

    def test_without_a_wheel_there_is_none(self):
        made = self.sbom.document(RESOLVED, DEBIAN, "1.2.3", "6.3.1", 86400, {}, "amd64")
        self.assertNotIn("SPDXRef-Wheel", [package["SPDXID"] for package in made["packages"]])
        # What an earlier build for an architecture has left does not count without its packages.
        other = self.sbom.document(RESOLVED, [], "1.2.3", "6.3.1", 86400, {"amd64": LINKED["amd64"]}, "amd64")
        self.assertEqual([package["name"] for package in other["packages"]], ["nfcd", "other", "swift-nio", "swift"])

    def test_what_the_bill_cannot_describe_is_an_error(self):
        self.assertEqual(self.sbom.noted("libssl-dev 3.0.19-1~deb12u2\n"), {"libssl-dev": "3.0.19-1~deb12u2"})
        with self.assertRaises(SystemExit):
            self.sbom.noted("libpcsclite-dev 1\n")

    def test_versions_are_those_of_the_input(self):
        packages = {package["name"]: package for package in self.made["packages"]}
        self.assertEqual(packages["swift-nio"]["versionInfo"], "2.1.0")
        self.assertEqual(packages["swift-nio"]["licenseDeclared"], "Apache-2.0")
        self.assertEqual(packages["other"]["versionInfo"], "cd" * 20)
        self.assertEqual(packages["other"]["licenseDeclared"], "NOASSERTION")
        self.assertEqual(packages["swift"]["versionInfo"], "6.3.1")
        self.assertNotIn("pcscd", packages)

    def test_equal_input_makes_equal_documents(self):
        self.assertEqual(self.made, self.sbom.document(RESOLVED, DEBIAN, "1.2.3", "6.3.1", 86400, LINKED, "amd64"))


if __name__ == "__main__":
    unittest.main()
