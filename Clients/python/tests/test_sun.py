"""Messages of tags with nfcd.sun: true ones, and all kinds of false ones."""

import copy
import json
import os
import pathlib
import pickle
import random
import re
import subprocess
import sys
import traceback
import unittest

import sun_tag
from sun_tag import UID, Tag, secret
from support import ROOT, nfcd

from nfcd import sun
from nfcd.sun import _aes, _keys
from nfcd.sun._message import PICCData, Session, decrypted
from nfcd.sun._template import Template

needs_aes = unittest.skipUnless(sun_tag.CMAC, "the Python package cryptography is missing")

# The template, and the same as the model has it.
FORMS = [
    ("https://ex.am/?p={picc}&c={mac}", "https://ex.am/?p=<picc>&c=<in><mac>"),
    ("https://www.ex.am/t/{uid}x{ctr}/{mac}", "https://www.ex.am/t/<uid>x<ctr>/<in><mac>"),
    ("http://ex.am/{from}?u={uid}&n={ctr}&c={mac}", "http://ex.am/<in>?u=<uid>&n=<ctr>&c=<mac>"),
    ("https://ex.am/tag?picc_data={picc}&enc={enc:32}&cmac={mac}", "https://ex.am/tag?picc_data=<picc>&enc=<in><enc>&cmac=<mac>"),
    ("https://ex.am/?e={picc}{enc:64:tt}{mac}", "https://ex.am/?e=<picc><in><enc><mac>"),
    ("lnurlw://ex.am/ln?p={picc}&c={mac}", "lnurlw://ex.am/ln?p=<picc>&c=<in><mac>"),
    ("https://ex.am/?c={mac}&p={picc}", "https://ex.am/?c=<in><mac>&p=<picc>"),
    ("https://ex.am/?p={picc}&t={tt}&c={mac}", "https://ex.am/?p=<picc>&t=<in><tt>&c=<mac>"),
    ("{from}https://ex.am/?p={picc}&c={mac}", "<in>https://ex.am/?p=<picc>&c=<mac>"),
]
DATA = {"{enc:32}": b"badge 4711, west", "{enc:64:tt}": b"CC badge 4711, building north..."}


def keys(template, *, lrp=False, meta=(secret("meta"),), file=(secret("file"),), derivation="an10922", system_id=b""):
    """The keys of a site with one profile; the first versions are the oldest."""
    made = [
        sun.Key(name, value, version, "current" if version == len(values) else "previous")
        for name, values in (("door-meta", meta), ("door", file))
        for version, value in enumerate(values, 1)
    ]
    profile = sun.Profile("door", {"meta": "door-meta", "file": "door"}, template, lrp=lrp, derivation=derivation, system_id=system_id)
    return sun.Keys(made, [profile])


def verifier(template, **options):
    return sun.Verifier(keys(template, **options))


def tag(form, *, lrp=False, file=None, **options):
    template, layout = form
    data = next((data for field, data in DATA.items() if field in template), bytes(16))
    options = {"data": data, "keeps_prefix": template.startswith("{from}"), "meta": secret("meta"), **options}
    return Tag(layout, lrp=lrp, file=file or sun_tag.file_key(secret("file"), options.get("uid", UID)), **options)


@needs_aes
class MessageTests(unittest.TestCase):
    def assertStatus(self, proof, status):
        self.assertEqual(proof.status, status, proof.reason)
        self.assertEqual(proof.is_proven, status == "proven")
        self.assertEqual(proof.reason is None, status == "proven")

    def test_a_message_is_proven_once_in_every_form(self):
        for form in FORMS:
            for lrp in (False, True):
                with self.subTest(form[0], lrp=lrp):
                    book, checker, card = sun.CounterBook(), verifier(form[0], lrp=lrp), tag(form, lrp=lrp)
                    before = None
                    for counter in (1, 2, 700, 0xFFFFFE):
                        proof = checker.verify(card.url(counter), book, observed_uid=UID)
                        self.assertStatus(proof, "proven")
                        self.assertEqual(proof.to_json(), {
                            "status": "proven", "method": "sun", "profile": "door", "key": "door", "keyVersion": 1,
                            "identifier": "04A1B2C3D4E5F6", "counter": counter, "scope": "thisMachine",
                            **({"previousCounter": before} if before else {}),
                            **({"tamper": {"permanent": "C", "current": "C"}} if "tt}" in form[0] else {}),
                        })  # fmt: skip
                        again = checker.verify(card.url(counter), book)
                        self.assertStatus(again, "replayed")
                        self.assertEqual((again.counter, again.previous_counter, again.scope), (counter, counter, None))
                        before = counter
                    self.assertStatus(checker.verify(card.url(3), book), "replayed")

    def test_without_counters_the_scope_is_not_known(self):
        checker, url = verifier(FORMS[0][0]), tag(FORMS[0]).url(7)
        for _ in range(2):
            self.assertStatus(checker.verify(url), "proven")
            self.assertIsNone(checker.verify(url).scope)

    def test_a_counter_that_another_process_used_meanwhile_is_a_replay(self):
        class Late(sun.CounterBook):
            def highest(self, line):
                return None

        book, checker, url = Late(), verifier(FORMS[0][0]), tag(FORMS[0]).url(7)
        self.assertStatus(checker.verify(url, book), "proven")
        self.assertStatus(checker.verify(url, book), "replayed")

    def test_counters_of_any_class_are_used(self):
        class Empty(dict):
            def highest(self, line):
                return self.get(line)

            def record(self, line, counter):
                self[line] = counter
                return True

        counters = Empty()
        verifier(FORMS[0][0]).verify(tag(FORMS[0]).url(7), counters)
        self.assertEqual(counters, {sun.CounterLine("04A1B2C3D4E5F6", "door", 1): 7})

    def test_digits_scheme_and_host_may_have_any_case(self):
        for form in FORMS:
            with self.subTest(form[0]):
                checker, url = verifier(form[0]), tag(form).url(9)
                if "tt}" not in form[0]:
                    self.assertStatus(checker.verify(url.lower()), "proven")
                self.assertStatus(checker.verify(url.replace("ex.am", "EX.Am").replace("https", "HTTPS")), "proven")

    def test_a_server_may_pass_on_what_follows_the_host(self):
        for form in FORMS:
            with self.subTest(form[0]):
                url = tag(form).url(9)
                self.assertStatus(verifier(form[0]).verify(url[url.index("ex.am") + 5 :]), "proven")

    def test_a_changed_character_is_never_proven(self):
        for form in FORMS:
            checker, url = verifier(form[0]), tag(form).url(9)
            for index in range(len(url)):
                for other in "07%&":
                    if url[index] != other:
                        self.assertFalse(checker.verify(url[:index] + other + url[index + 1 :]).is_proven, (url, index))

    def test_text_that_is_cut_or_longer_is_not_of_the_template(self):
        for form in FORMS:
            checker, url = verifier(form[0]), tag(form).url(9)
            others = [url[:count] for count in range(len(url))]
            others += [url + "0", url + "&x=1", url + "#", " " + url, url + "\0", "x" + url, url + url, url + "\n"]
            for other in others:
                self.assertStatus(checker.verify(other), "notProven")

    def test_swapped_doubled_and_encoded_parameters_are_not_of_the_template(self):
        checker, url = verifier(FORMS[0][0]), tag(FORMS[0]).url(9)
        picc, code = url[17:49], url[-16:]
        self.assertStatus(checker.verify(f"https://ex.am/?p={picc}&c={code}"), "proven")
        for other in [
            f"https://ex.am/?c={code}&p={picc}", f"https://ex.am/?p={picc}&C={code}", f"https://ex.am?p={picc}&c={code}",
            f"https://ex.am/?p=%3{picc[2:]}&c={code}", f"https://ex.am/?p={picc}&amp;c={code}", f"https://ex.bm/?p={picc}&c={code}",
            f"http://ex.am/?p={picc}&c={code}", f"https://ex.am/?p=+{picc[1:]}&c={code}", f"https://ex.am/?p={code}&c={picc}",
            f"https://ex.am/?p={picc}&p={picc}&c={code}", f"https://ex.am/?p={picc}&c={code}&c={code}",
            f"https://ex.am/?p=\u0660{picc[1:]}&c={code}", f"https://ex.am/?p= {picc[1:]}&c={code}", f"https://ex.am/?p={picc}&c=",
            f"https://ex.am/?P={picc}&c={code}", f"https://ex.am/%3Fp={picc}&c={code}", f"//?p={picc}&c={code}",
        ]:  # fmt: skip
            self.assertStatus(checker.verify(other), "notProven")

    def test_the_text_that_was_written_to_the_tag_is_not_a_failure(self):
        for form in FORMS:
            card = tag(form)
            self.assertStatus(verifier(form[0]).verify(card.prefix + card.static), "notProven")

    def test_keys_that_do_not_fit_have_their_status(self):
        form = FORMS[0]
        url = tag(form).url(9)
        forged = verifier(form[0]).verify(tag(form, file=secret("another")).url(9))
        self.assertStatus(forged, "failed")
        self.assertEqual((forged.identifier, forged.counter, forged.key_version), (None, None, None))
        unknown = verifier(form[0], meta=[secret("another")]).verify(url)
        self.assertStatus(unknown, "unknownKey")
        self.assertEqual((unknown.identifier, unknown.counter), (None, None))
        self.assertStatus(sun.Verifier(sun.Keys([], [sun.Profile("door", {}, form[0])])).verify(url), "unknownKey")
        self.assertEqual(sun.Verifier(sun.Keys([], [])).verify(url).to_json(), {
            "status": "notProven", "profile": "", "reason": "the URL does not have the form of any profile"})  # fmt: skip

    def test_an_unknown_tag_takes_as_much_work_as_a_wrong_code(self):
        class Counted(_aes.AES):
            calls = 0

            def encrypt(self, blocks):
                Counted.calls += 1
                return super().encrypt(blocks)

        original, _aes.AES = _aes.AES, Counted
        self.addCleanup(setattr, _aes, "AES", original)
        for lrp in (False, True):
            checker = verifier(FORMS[0][0], lrp=lrp, file=[secret("old"), secret("file")])
            counts = []
            for card in (tag(FORMS[0], lrp=lrp, file=secret("another")), tag(FORMS[0], lrp=lrp, meta=secret("another"))):
                Counted.calls = 0
                status = checker.verify(card.url(9)).status
                counts.append(Counted.calls)
            self.assertEqual(status, "unknownKey")
            self.assertEqual(*counts)

    def test_a_published_key_proves_nothing(self):
        for digits in ("00" * 16, "FF" * 16, "00112233445566778899AABBCCDDEEFF", "5ACE7E50AB65D5D51FD5BF5A16B8205B"):
            published = bytes.fromhex(digits)
            for derivation, file in (("none", published), ("an10922", sun_tag.file_key(published))):
                book = sun.CounterBook()
                proof = verifier(FORMS[0][0], file=[published], derivation=derivation).verify(tag(FORMS[0], file=file).url(9), book)
                self.assertStatus(proof, "unknownKey")
                self.assertIn("published", proof.reason)
                self.assertEqual(book.lines, {})

    def test_the_published_keys_are_those_of_nfcd(self):
        source = ROOT.parent.parent / "Sources" / "SecureTags" / "Keys" / "PublishedKeys.swift"
        if not source.exists():
            self.skipTest("not in a clone of nfcd")
        found = {bytes.fromhex(digits) for digits in re.findall(r'\("([0-9A-F]{32})",', source.read_text(encoding="utf-8"))}
        self.assertEqual(found, set(_keys._PUBLISHED))

    def test_examples_of_NXP_verify_and_prove_nothing(self):
        checker = verifier("https://choose.url.com/ntag424?e={picc}&c={mac}", meta=[bytes(16)], file=[bytes(16)], derivation="none")
        proof = checker.verify("https://choose.url.com/ntag424?e=EF963FF7828658A599F3041510671E88&c=94EED9EE65337086")
        self.assertStatus(proof, "unknownKey")
        self.assertEqual((proof.identifier, proof.counter), ("04DE5F1EACC040", 61))

    def test_a_tag_that_may_have_the_previous_key_is_verified_with_both(self):
        form, book = FORMS[0], sun.CounterBook()
        checker = verifier(form[0], meta=[secret("meta"), secret("meta 2")], file=[secret("file"), secret("file 2")])
        old, new = tag(form), tag(form, file=sun_tag.file_key(secret("file 2")))
        before, after = checker.verify(old.url(80), book), checker.verify(new.url(1), book)
        self.assertEqual((before.status, before.key_version, after.status, after.key_version), ("proven", 1, "proven", 2))
        self.assertStatus(checker.verify(old.url(80), book), "replayed")

    def test_other_derivations(self):
        form, system = FORMS[0], b"castle"
        for derivation, file in (
            ("none", secret("file")),
            ("an10922", sun_tag.file_key(secret("file"), system=system)),
            ("cmac", sun_tag.cmac(secret("file"), b"\x01" + UID + bytes.fromhex("D2760000850101") + b"\x02" + system)),
        ):
            checker = verifier(form[0], derivation=derivation, system_id=system)
            self.assertStatus(checker.verify(tag(form, file=file).url(9)), "proven")
            self.assertEqual(checker.verify(tag(form).url(9)).status, "failed")

    def test_a_message_on_another_tag_is_refused(self):
        checker, book, url = verifier(FORMS[0][0]), sun.CounterBook(), tag(FORMS[0]).url(9)
        self.assertStatus(checker.verify(url, book, observed_uid=bytes.fromhex("04A1B2C3D4E5F7")), "failed")
        self.assertEqual(book.lines, {})
        self.assertStatus(checker.verify(url, book, observed_uid=bytes.fromhex("08A1B2C3")), "proven")

    def test_an_open_tamper_loop_is_not_proven_and_uses_the_counter(self):
        for loop, shown in (("OC", "OC"), ("OO", "OO"), ("CO", "CO"), ("II", "II"), ("cc", "??"), ("C ", "C?")):
            for form in (FORMS[4], FORMS[7]):
                data = loop.encode().ljust(32, b".") if "enc" in form[0] else bytes(16)
                book, url = sun.CounterBook(), tag(form, tamper=loop, data=data).url(4)
                proof = verifier(form[0]).verify(url, book)
                self.assertStatus(proof, "tamperOpen")
                self.assertEqual(("".join(proof.tamper), proof.scope), (shown, None))
                self.assertEqual(list(book.lines.values()), [4])

    def test_file_data_is_decrypted(self):
        for lrp in (False, True):
            for form, data in ((FORMS[3], DATA["{enc:32}"]), (FORMS[4], DATA["{enc:64:tt}"])):
                proof = verifier(form[0], lrp=lrp).verify(tag(form, lrp=lrp).url(5))
                self.assertEqual((proof.status, proof.file_data), ("proven", data))
                self.assertNotIn("badge", repr(proof))

    def test_the_first_profile_that_fits_decides(self):
        both = sun.Keys(
            keys(FORMS[0][0])._keys,
            [sun.Profile(name, {"meta": "door-meta", "file": "door"}, form[0]) for name, form in (("a", FORMS[0]), ("b", FORMS[1]))],
        )
        self.assertEqual(sun.Verifier(both).verify(tag(FORMS[1]).url(3)).profile, "b")
        self.assertEqual(sun.Verifier(both).verify("https://other.example").profile, "a")

    def test_any_text_has_a_result(self):
        generator = random.Random(1138)
        checkers = [(verifier(form[0]), tag(form).url(1)) for form in FORMS]
        letters = "0Aa%&?/:{}\0\n\u0660\U0001F511\udc80\xff "
        for number in range(3000):
            checker, url = checkers[number % len(checkers)]
            text = list(url)
            for _ in range(generator.randrange(1, 6)):
                place = generator.randrange(len(text))
                text[place : place + generator.randrange(3)] = generator.choice(letters) * generator.randrange(3)
            changed = "".join(text)
            proof = checker.verify(changed)
            self.assertIn(proof.status, ("proven", "failed", "unknownKey", "notProven", "tamperOpen"))
            if proof.is_proven:
                self.assertEqual(changed.lower(), url.lower())
        for text in ("", "/", "//", "\udc80", "x" * 100_000, "https://", "\0" * 60):
            for checker, _ in checkers:
                self.assertStatus(checker.verify(text), "notProven")


class TemplateTests(unittest.TestCase):
    def test_templates_that_prove_nothing_or_are_wrong(self):
        for text in [
            "", "https://ex.am/", "https://ex.am/?p={picc}", "https://ex.am/?c={mac}", "https://ex.am/?u={uid}&c={mac}",
            "https://ex.am/?p={picc}&u={uid}&c={mac}", "https://ex.am/?p={picc}&c={mac}&c={mac}", "https://ex.am/?p={picc}&c={mac",
            "https://ex.am/?p={picc}&c={MAC}", "https://ex.am/?p={picc}&c={mac}&e={enc:32}", "https://ex.am/?p={picc}&c={mac}&t={tt}",
            "https://ex.am/?p={picc}&e={enc:33}&c={mac}", "https://ex.am/?p={picc}&e={enc:0}&c={mac}", "https://ex.am/{}{picc}{mac}",
            "https://ex.am/?p={picc}&e={enc:544}&c={mac}", "https://ex.am/?p={picc}&e={enc:32:xx}&c={mac}", "https://ex.am/{picc}} {mac}",
            "https://ex.am/?p={picc}&e={enc:32:tt}&t={tt}&c={mac}", "https://ex.am/?p={picc}&e={enc:32}{from}&c={mac}",
            "https://ex.am/{from}{from}?p={picc}&c={mac}", "https://ex.äm/?p={picc}&c={mac}", "https://ex.am/?p={picc}&c={mac} ",
            "https://ex.am/" + "x" * 250 + "?p={picc}&c={mac}", "https://ex.am/?p={picc}&e={enc: 32}&c={mac}",
        ]:  # fmt: skip
            with self.assertRaises(sun.TemplateError, msg=text):
                Template(text)

    def test_the_longest_text_of_a_file(self):
        # Of 256 bytes, 2 are the length of the message, 4 the header of the record, and 1 the prefix code; 54 are those behind the x.
        for count, fits in ((256 - 7 - 54, True), (256 - 7 - 53, False)):
            text = "https://" + "x" * count + "?p={picc}&c={mac}"
            if fits:
                Template(text)
            else:
                self.assertRaises(sun.TemplateError, Template, text)


class SecrecyTests(unittest.TestCase):
    def test_nothing_shows_a_key(self):
        value = secret("file")
        site = keys(FORMS[0][0])
        key = site.versions("door")[0]
        shown = [repr(key), str(key), repr(site), repr(vars(site)), repr(site.profiles), repr(_keys.shared(key))]
        if sun_tag.CMAC:
            shown += [repr(sun.Verifier(site)), repr(vars(vars(sun.Verifier(site))["_checks"][0]))]
        for text in shown:
            self.assertNotIn(value.hex(), text.lower())
            self.assertNotIn(repr(value), text)
        for act in (copy.copy, copy.deepcopy, pickle.dumps):
            self.assertRaises(TypeError, act, key)

    def test_a_wrong_key_is_not_in_the_error(self):
        try:
            sun.Key("door", b"much too short")
        except ValueError:
            self.assertNotIn("much", traceback.format_exc().splitlines()[-1])

    def test_without_cryptography_the_error_names_the_package(self):
        program = (
            "import sys; sys.modules['cryptography'] = None\n"
            "import nfcd; from nfcd import sun\n"
            "try: sun.Verifier(sun.Keys([], []))\n"
            "except ImportError as error: print(error)"
        )
        environment = dict(os.environ, PYTHONPATH=str(pathlib.Path(nfcd.__file__).parent.parent))
        found = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
        self.assertEqual(found.stdout, 'nfcd.sun needs the package "cryptography"; run: pip install "nfcd[sun]"\n', found.stderr)


# Vectors


def vectors():
    """The rows of secure-tags.jsonl, by what they compute; none where the file is missing."""
    if "NFCD_VECTORS" in os.environ:
        folders = [pathlib.Path(os.environ["NFCD_VECTORS"])]
    else:
        folders = [folder / "shared" / "vectors" for folder in ROOT.parent.parent.parents]
    file = next((folder / "secure-tags.jsonl" for folder in folders if (folder / "secure-tags.jsonl").is_file()), None)
    found = {}
    for text in file.read_text(encoding="utf-8").splitlines() if file else ():
        row = json.loads(text)
        found.setdefault(row["op"], []).append(row)
    return found


VECTORS = vectors()


def octets(values, name):
    return bytes.fromhex(values[name])


@needs_aes
@unittest.skipUnless(VECTORS, "secure-tags.jsonl is missing: it is looked for in NFCD_VECTORS and ../shared/vectors")
class VectorTests(unittest.TestCase):
    def rows(self, operation, least=1):
        found = VECTORS.get(operation, [])
        self.assertGreaterEqual(len(found), least, operation)
        return [(row["inputs"], row["expected"]) for row in found]

    @staticmethod
    def data(inputs):
        return PICCData(octets(inputs, "uid"), int.from_bytes(octets(inputs, "ctr_le"), "little"))

    def test_sdm_session_keys(self):
        for inputs, expected in self.rows("sdm_session_keys"):
            session = Session(octets(inputs, "file_read_key"), self.data(inputs), False)
            for label, name, key in (("c33c", "sv1", "k_enc"), ("3cc3", "sv2", "k_mac")):
                vector = session._vector(bytes.fromhex(label))
                self.assertEqual(vector, octets(expected, name))
                self.assertEqual(_aes.AES(octets(inputs, "file_read_key")).cmac(vector), octets(expected, key))

    def test_sdm_picc_decrypt(self):
        for inputs, expected in self.rows("sdm_picc_decrypt"):
            found = decrypted(octets(inputs, "picc_enc"), octets(inputs, "meta_read_key"), False)
            self.assertEqual(found, PICCData(octets(expected, "uid"), expected["ctr"]))

    def test_sdm_mac(self):
        for inputs, expected in self.rows("sdm_mac", 3):
            session = Session(octets(inputs, "file_read_key"), self.data(inputs), False)
            self.assertTrue(session.is_code(octets(expected, "sdmmac"), inputs["mac_input_ascii"].encode()))
            self.assertFalse(session.is_code(octets(expected, "sdmmac"), inputs["mac_input_ascii"].encode() + b"0"))

    def check_message(self, inputs, expected, message, is_lrp=False):
        if "uid" in expected:
            self.assertEqual(message, PICCData(octets(expected, "uid"), expected["ctr"]))
        session = Session(octets(inputs, "file_read_key"), message, is_lrp)
        text = inputs.get("mac_input_ascii", "").encode()
        self.assertEqual(session.is_code(octets(inputs, "sdmmac"), text), expected["mac_ok"])
        if "file_data" in expected:
            self.assertEqual(session.decrypt(octets(inputs, "enc")), octets(expected, "file_data"))

    def test_sdm_verify(self):
        for inputs, expected in self.rows("sdm_verify", 6):
            self.check_message(inputs, expected, decrypted(octets(inputs, "picc_enc"), octets(inputs, "meta_read_key"), False))

    def test_sdm_verify_plain(self):
        for inputs, expected in self.rows("sdm_verify_plain", 2):
            self.check_message(inputs, expected, PICCData(octets(inputs, "uid"), int(inputs["ctr_msb"], 16)))

    def test_sdm_verify_lrp(self):
        for inputs, expected in self.rows("sdm_verify_lrp", 3):
            message = decrypted(octets(inputs, "picc_data"), octets(inputs, "meta_read_key"), True)
            self.check_message(inputs, expected, message, True)

    def test_an10922_of_aes_128(self):
        count = 0
        for inputs, expected in self.rows("an10922"):
            if "aes" in inputs["algorithm"] and len(inputs["master_key"]) == 32:
                count += 1
                padded = inputs.get("pad_to_two_blocks", True)
                found = _aes.diversified(octets(inputs, "master_key"), octets(inputs, "div_input"), is_padded_to_two_blocks=padded)
                self.assertEqual(found, octets(expected, "key"))
        self.assertGreater(count, 0)

    def test_lrp_keys(self):
        for inputs, expected in self.rows("lrp_plaintexts"):
            found = _aes.LRP.plaintexts(octets(inputs, "key"))
            self.assertEqual([found[index].hex() for index in inputs["indices"]], expected["plaintexts"])
        for inputs, expected in self.rows("lrp_updated_keys"):
            found = [_aes.LRP.updated_key(octets(inputs, "key"), number).hex() for number in range(inputs["count"])]
            self.assertEqual(found, expected["keys"])

    def test_lrp_evaluate(self):
        for inputs, expected in self.rows("lrp_evaluate", 11):
            key = _aes.LRP(octets(inputs, "key"), inputs["updated_key"])
            found = key.evaluate([int(digit, 16) for digit in inputs["iv_nibbles"]], bool(inputs["finalize"]))
            self.assertEqual(found, octets(expected, "result"))

    def test_lrp_cmac(self):
        for inputs, expected in self.rows("lrp_cmac", 6):
            key = _aes.LRP(octets(inputs, "key"))
            self.assertEqual(key.cmac(octets(inputs, "message")), octets(expected, "cmac"))
            if "k1" in expected:
                self.assertEqual(key.subkeys(), (octets(expected, "k1"), octets(expected, "k2")))

    def test_lricb(self):
        for inputs, expected in self.rows("lricb_encrypt", 11):
            found = _aes.LRP(octets(inputs, "key")).decrypt(octets(expected, "cipher"), octets(inputs, "counter"))
            plain = octets(inputs, "plain")
            self.assertEqual(found, (plain + b"\x80").ljust(len(found), b"\0") if inputs["padding"] else plain)

    def test_aes_cmac(self):
        for inputs, expected in self.rows("aes_cmac", 2):
            self.assertEqual(_aes.AES(octets(inputs, "key")).cmac(octets(inputs, "message")), octets(expected, "cmac"))


@needs_aes
class SpecificationTests(unittest.TestCase):
    """Values that the specifications print."""

    def test_cmac_of_NIST_SP_800_38B(self):
        key = _aes.AES(bytes.fromhex("2B7E151628AED2A6ABF7158809CF4F3C"))
        message = bytes.fromhex("6BC1BEE22E409F96E93D7E117393172AAE2D8A571E03AC9C9EB76FAC45AF8E5130C81C46A35CE411")
        for count, code in ((0, "BB1D6929E95937287FA37D129B756746"), (16, "070A16B46B4D4144F79BDD9DD04A287C"),
                            (40, "DFA66747DE9AE63030CA32611497C827")):  # fmt: skip
            self.assertEqual(key.cmac(message[:count]), bytes.fromhex(code))

    def test_key_of_AN10922(self):
        found = _aes.diversified(bytes.fromhex("00112233445566778899AABBCCDDEEFF"), bytes.fromhex("04782E21801D803042F54E585020416275"))
        self.assertEqual(found.hex().upper(), "A8DD63A3B89D54B37CA802473FDA9175")

    def test_session_keys_of_AN12196(self):
        message = PICCData(bytes.fromhex("04C767F2066180"), 1)
        session = Session(bytes.fromhex("5ACE7E50AB65D5D51FD5BF5A16B8205B"), message, False)
        key = _aes.AES(bytes.fromhex("5ACE7E50AB65D5D51FD5BF5A16B8205B")).cmac(session._vector(b"\x3c\xc3"))
        self.assertEqual(key.hex().upper(), "3A3E8110E05311F7A3FCF0D969BF2B48")


if __name__ == "__main__":
    unittest.main()
