"""NDEF messages: the functions that make records, and the encoding."""

import json
import pathlib
import random
import unittest
from typing import get_type_hints

from support import PATIENCE, ROOT, DaemonCase, nfcd

# The same table as that of the JavaScript client and of nfcctl.
URIS = pathlib.Path(__file__).resolve().parents[3] / "Tests/Documentation/uris.json"


class RecordTests(unittest.TestCase):
    def test_uris(self):
        for value, payload in (
            ("https://www.example.com", b"\x02example.com"),
            ("https://example.com", b"\x04example.com"),
            ("tel:+49170", b"\x05+49170"),
            ("urn:epc:id:x", b"\x1ex"),
            ("unknown:x", b"\x00unknown:x"),
            ("https://example.com/ü", b"\x04example.com/\xc3\xbc"),
        ):
            record = nfcd.uri(value)
            self.assertEqual((record.payload, record.uri, record.kind, record.text), (payload, value, "uri", None))
        self.assertEqual(nfcd.Record("nfcWellKnown", b"U", b"\xffx").uri, "x")

    @unittest.skipUnless(URIS.exists(), "the table of URIs is only with the sources of nfcd")
    def test_uris_of_the_table_that_nfcctl_has(self):
        messages = {"scheme": "it has no scheme", "space": "a URI has no spaces or control characters"}
        for row in json.loads(URIS.read_text(encoding="utf-8")):
            with self.subTest(row=row):
                if row["doubt"] is None:
                    self.assertEqual(nfcd.uri(row["uri"]).uri, row["uri"])
                else:
                    with self.assertRaisesRegex(ValueError, messages[row["doubt"]]):
                        nfcd.uri(row["uri"])

    def test_texts(self):
        self.assertEqual(nfcd.text("Grüße", "de").payload, b"\x02deGr\xc3\xbc\xc3\x9fe")
        self.assertEqual((nfcd.text("x").text, nfcd.text("x").uri, nfcd.text("x").kind), ("x", None, "text"))
        self.assertEqual(nfcd.Record("nfcWellKnown", b"T", b"\x82en\x00x").text, "x")
        with self.assertRaises(ValueError):
            nfcd.text("x", "e" * 64)

    def test_other_records(self):
        self.assertEqual(nfcd.json_data({"a": 1}).payload, b'{"a":1}')
        self.assertEqual(nfcd.android_application("com.example").type, b"android.com:pkg")
        self.assertEqual(nfcd.external("Example.com:T", b"x").type, b"example.com:t")
        for wrong in (lambda: nfcd.media("text", b""), lambda: nfcd.external("x")):
            with self.assertRaises(ValueError):
                wrong()

    def test_records_that_nfcd_encodes(self):
        record = nfcd.record("uri", uri="https://example.com")
        self.assertEqual(record.to_json(), {"decoded": {"kind": "uri", "uri": "https://example.com"}})
        self.assertNotEqual(record, nfcd.record("uri", uri="https://example.org"))
        self.assertEqual(record, nfcd.record("uri", uri="https://example.com"))
        with self.assertRaises(ValueError):
            nfcd.Message(record).to_bytes()


class EncodingTests(unittest.TestCase):
    def test_the_same_after_encoding_and_decoding(self):
        message = nfcd.Message(
            nfcd.uri("https://example.com"),
            nfcd.media("application/x", bytes(300)),
            nfcd.Record("nfcExternal", b"a:b", b"x", b"id"),
        )
        self.assertEqual(nfcd.Message.from_bytes(message.to_bytes()), message)
        self.assertEqual(nfcd.Message.from_json({"encoded": message.to_bytes().hex()}), message)
        self.assertEqual(nfcd.Message.from_json(message.to_json()), message)
        self.assertEqual((len(message), message[1:], hash(message)), (3, message.records[1:], hash(nfcd.Message(*message))))
        self.assertEqual(nfcd.Message(nfcd.uri("https://example.com")).to_bytes().hex().upper(), "D1010C55046578616D706C652E636F6D")

    def test_chunks_are_put_together(self):
        data = bytes.fromhex("B10102550461" "36000162" "56000163")
        message = nfcd.Message.from_bytes(data)
        self.assertEqual([(record.type, record.payload) for record in message], [(b"U", b"\x04abc")])

    def test_every_prefix_and_arbitrary_bytes_end_with_an_answer(self):
        chance = random.Random(7)
        data = nfcd.Message(nfcd.uri("https://example.com"), nfcd.Record("nfcExternal", b"a:b", b"x", b"id")).to_bytes()
        for candidate in [data[:count] for count in range(len(data))] + [chance.randbytes(20) for _ in range(2000)]:
            try:
                nfcd.Message.from_bytes(candidate)
            except ValueError:
                pass


class WithNfcdTests(DaemonCase):
    def test_nfcd_reads_what_was_encoded_here(self):
        message = nfcd.Message(nfcd.uri("https://example.com/ü"), nfcd.text("Grüße", "de"), nfcd.android_application("com.example"))
        with self.client.read_session() as session, self.person.virtual_tag("ntag216", message):
            found = session.next(PATIENCE).message
        self.assertEqual(found, message)
        self.assertEqual([record.kind for record in found], ["uri", "text", "androidApplication"])


class ContentTests(unittest.TestCase):
    def read(self, **members):
        return nfcd.Record.from_json({"typeNameFormat": "nfcWellKnown", "type": "55", "payload": "0478", **members})

    def test_what_was_read_has_a_content(self):
        content = self.read(decoded={"kind": "uri", "uri": "https://x"}).content
        self.assertEqual((content["kind"], content["uri"]), ("uri", "https://x"))
        self.assertEqual(self.read(decoded={"kind": "inventedLater", "a": 1}).content["kind"], "inventedLater")

    def test_other_records_have_none(self):
        for record in (self.read(), self.read(decoded=None), self.read(decoded=7), nfcd.uri("https://x"), nfcd.record("text", text="a")):
            self.assertIsNone(record.content)

    def test_every_kind_of_the_documentation_is_a_typed_dictionary(self):
        path = ROOT.parent.parent / "Docs" / "ndef.md"
        if not path.exists():
            self.skipTest("not in a clone of nfcd")
        examples = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.startswith('{"kind"')]
        kinds = {get_type_hints(kind, vars(nfcd.methods))["kind"].__args__[0]: kind for kind in nfcd.methods.DecodedPayload.__args__}
        self.assertEqual({example["kind"] for example in examples}, set(kinds))
        for example in examples:
            kind = kinds[example["kind"]]
            self.assertLessEqual(kind.__required_keys__, set(example), example)
            self.assertLessEqual(set(example), kind.__required_keys__ | kind.__optional_keys__)


if __name__ == "__main__":
    unittest.main()
