"""Sessions and tags, with an nfcd that has simulated readers."""

import unittest

from support import PATIENCE, DaemonCase, nfcd


class ReadingTests(DaemonCase):
    def test_a_session_yields_what_is_tapped(self):
        with self.client as client, client.read_session(once=True) as session:
            with self.person.virtual_tag("ntag215", nfcd.uri("https://example.com"), identifier="04112233445566") as virtual:
                taps = list(session)
        self.assertEqual(virtual.reader, "simulated-0")
        self.assertEqual([tap.uri for tap in taps], ["https://example.com"])
        tap = taps[0]
        self.assertEqual((tap.identifier, tap.type, tap.technology), ("04112233445566", "miFare", "NFC Forum Type 2"))
        self.assertEqual((tap.reader, tap.reader_name, tap.error), ("simulated-0", "Simulated Reader 0", None))
        self.assertEqual(tap.message, nfcd.Message(nfcd.uri("https://example.com")))
        self.assertEqual(session.ended.code, nfcd.ErrorCode.FirstNDEFTagRead)

    def test_a_tag_without_a_message_is_a_tap_with_an_error(self):
        with self.client.read_session() as session, self.person.virtual_tag("ntag213"):
            tap = session.next(PATIENCE)
        self.assertEqual(tap.error.code, nfcd.ErrorCode.ZeroLengthMessage)
        self.assertEqual((tap.error.name, len(tap.message), tap.uri, tap.text), ("ZeroLengthMessage", 0, None, None))

    def test_the_loop_ends_with_the_time_limit(self):
        with self.client.read_session(timeout=0.2) as session:
            self.assertEqual(list(session), [])
        self.assertEqual(session.ended.code, nfcd.ErrorCode.SessionTimeout)
        with self.assertRaises(nfcd.SessionEnded) as raised:
            session.next()
        self.assertEqual(raised.exception.name, "SessionTimeout")

    def test_no_tag_in_time(self):
        with self.client.read_session() as session:
            with self.assertRaises(nfcd.NoTag):
                session.next(timeout=0.05)
            with self.person.virtual_tag("ntag213", nfcd.text("Hallo", "de")):
                self.assertEqual(session.next(PATIENCE).text, "Hallo")

    def test_a_session_that_cannot_begin_raises(self):
        with self.client.read_session():
            with self.assertRaises(nfcd.SessionEnded) as raised:
                with self.person.read_session():
                    pass
        self.assertEqual(raised.exception.code, nfcd.ErrorCode.SystemIsBusy)
        self.assertIn("(203)", str(raised.exception))

    def test_a_session_that_another_program_ends_raises(self):
        with self.client.read_session() as session:
            sessions = self.person.perform(nfcd.methods.sessions_list())
            self.person.perform(nfcd.methods.sessions_cancel(session=sessions[0]["session"]))
            with self.assertRaises(nfcd.SessionEnded) as raised:
                list(session)
        self.assertEqual(raised.exception.code, nfcd.ErrorCode.UserCanceled)

    def test_a_session_is_left_early_and_the_reader_is_free(self):
        for _ in range(3):
            with self.client.read_session():
                pass
        with self.person.read_session() as session:
            session.set_alert_message("Hold your badge to the reader")
            session.invalidate()
            self.assertEqual(list(session), [])
        with self.assertRaises(RuntimeError):
            session.__enter__()

    def test_a_session_waits_its_turn(self):
        with self.client.read_session() as first:
            first.invalidate()
            with self.person.read_session(queue=True, queue_timeout=PATIENCE) as second:
                self.assertIsNone(second.ended)

    def test_readers_and_info(self):
        self.assertEqual([reader["reader"] for reader in self.client.readers()], ["simulated-0"])
        self.assertEqual(self.client.info()["name"], "nfcd")


class TagTests(DaemonCase):
    readers = 2

    def test_write_and_read_back(self):
        records = [nfcd.uri("tel:+491701234567"), nfcd.text("Grüße", "de"), nfcd.media("text/plain", "x")]
        with self.client.tag_session() as session, self.person.virtual_tag("ntag215") as virtual:
            tag = session.next(PATIENCE)
            self.assertEqual((tag.identifier, tag.type, tag.reader), (virtual.identifier, "miFare", virtual.reader))
            self.assertEqual(tag.read(), nfcd.Message())
            progress = []
            tag.write(records, verify=True, progress=lambda done, total: progress.append((done, total)))
            message = tag.read()
            self.assertEqual(message, nfcd.Message(*records))
            self.assertEqual((message.uri, message.text, message[2].payload), ("tel:+491701234567", "Grüße", b"x"))
            self.assertTrue(progress)
            tag.write(nfcd.Message(nfcd.record("smartPoster", uri="https://example.com", titles=[{"text": "Menu"}])))
            self.assertEqual((tag.read()[0].kind, tag.read().uri), ("smartPoster", "https://example.com"))
            self.assertIn(virtual.identifier, repr(tag))

    def test_lock_describe_dump(self):
        with self.client.tag_session() as session, self.person.virtual_tag("ntag213", nfcd.uri("https://example.com")):
            tag = session.next(PATIENCE)
            self.assertEqual(tag.status()["status"], "readWrite")
            self.assertEqual((tag.describe()["product"], tag.describe()["lockState"]), ("NTAG213", "unlocked"))
            self.assertEqual(tag.dump()["layout"], "type2")
            tag.write_lock()
            self.assertEqual((tag.status()["status"], tag.describe()["lockState"]), ("readOnly", "locked"))
            with self.assertRaises(nfcd.NFCError) as raised:
                tag.write(nfcd.uri("https://example.org"))
            error = raised.exception
            self.assertEqual((error.code, error.name), (nfcd.ErrorCode.TagNotWritable, "TagNotWritable"))
            self.assertTrue(error.detail)
            self.assertIn(error.detail, str(error))

    def test_tags_in_a_row(self):
        written = []
        with self.client.tag_session() as session:
            for number in range(3):
                with self.person.virtual_tag("ntag213", reader="simulated-1"):
                    tag = session.next(PATIENCE)
                    tag.write(nfcd.uri(f"https://example.com/{number}"))
                    written.append(tag.read().uri)
                tag.wait_until_removed(PATIENCE)
                with self.assertRaises(nfcd.NFCError) as raised:
                    tag.read()
                self.assertEqual(raised.exception.code, nfcd.ErrorCode.TagConnectionLost)
        self.assertEqual(written, [f"https://example.com/{number}" for number in range(3)])

    def test_two_tags_at_once(self):
        with self.client.tag_session() as session:
            with self.person.virtual_tag("ntag213", nfcd.text("a")), self.person.virtual_tag("ntag213", nfcd.text("b")):
                tags = [session.next(PATIENCE), session.next(PATIENCE)]
                self.assertEqual(sorted(tag.read().text for tag in tags), ["a", "b"])
                self.assertEqual(sorted(tag.read().text for tag in reversed(tags)), ["a", "b"])

    def test_polling_again(self):
        with self.client.tag_session() as session, self.person.virtual_tag("ntag213", nfcd.text("a")) as virtual:
            session.next(PATIENCE)
            session.restart_polling()
            again = session.next(PATIENCE)
            self.assertEqual((again.identifier, again.read().text), (virtual.identifier, "a"))

    def test_a_refused_parameter_names_it(self):
        with self.assertRaises(nfcd.NFCError) as raised:
            with self.client.read_session(timeout=-1):
                pass
        self.assertEqual((raised.exception.code, raised.exception.path), (nfcd.ErrorCode.InvalidParams, "params.timeout"))

    def test_a_message_that_is_too_long_for_a_line(self):
        with self.client.tag_session() as session, self.person.virtual_tag("ntag213"):
            tag = session.next(PATIENCE)
            with self.assertRaises(nfcd.NFCError) as raised:
                tag.write(nfcd.media("a/b", bytes(600_000)))
            self.assertEqual(raised.exception.code, nfcd.ErrorCode.PacketTooLong)
            with self.assertRaises(TypeError):
                tag.write(["https://example.com"])
            tag.write(nfcd.text("still here"))
            self.assertEqual(tag.read().text, "still here")


class SettingTests(DaemonCase):
    model = "acr122u"

    def test_a_password_is_set_given_and_removed(self):
        with self.client.tag_session() as session:
            with self.person.virtual_tag("ntag215", nfcd.text("door")):
                tag = session.next(PATIENCE)
                answer = tag.perform(nfcd.methods.tag_authenticate, password="FFFFFFFF")
                self.assertEqual((answer["acknowledge"], tag.authenticate(b"\xff" * 4)), ("0000", b"\0\0"))
                settings = tag.set_password("C1D2E3F4", pack=b"\xa1\xa2", protects="readWrite")
                self.assertEqual((settings["firstPage"], settings["protects"]), (4, "readWrite"))
                self.assertEqual(tag.authenticate("C1D2E3F4"), b"\xa1\xa2")
                self.assertIsNone(tag.remove_password())
                self.assertEqual(tag.authenticate("FFFFFFFF"), b"\0\0")

    def test_a_counter_and_a_mirror_are_configured(self):
        with self.client.tag_session() as session:
            with self.person.virtual_tag("ntag215", nfcd.uri("https://example.com/00000000000000"), identifier="04112233445566"):
                tag = session.next(PATIENCE)
                settings = tag.configure(counter="on", mirror="uid", mirror_page=8, mirror_byte=3)
                self.assertEqual((settings["counter"], settings["mirror"], settings["mirrorPage"]), ("on", "uid", 8))
                self.assertEqual(tag.read().uri, "https://example.com/04112233445566")
                self.assertEqual(tag.configure()["mirror"], "uid")

    def test_memory_is_written(self):
        with self.client.tag_session() as session, self.person.virtual_tag("ntag213", nfcd.text("a")):
            tag = session.next(PATIENCE)
            steps = []
            blocks = [{"number": 8, "bytes": b"\1\2\3\4"}, {"number": 9, "bytes": "05060708"}]
            self.assertEqual(tag.write_memory(blocks, progress=lambda done, total: steps.append((done, total))), 2)
            self.assertEqual(tag.write_memory(blocks), 0)
            found = {block["number"]: block.get("bytes") for block in tag.dump()["sections"][0]["blocks"]}
            self.assertEqual((found[8], found[9]), ("01020304", "05060708"))
            self.assertTrue(steps)


class RawCommandTests(DaemonCase):
    model = "acr1552u"

    def test_raw_commands(self):
        with self.client.tag_session(kind="tag") as session:
            with self.person.virtual_tag("ntag215", identifier="04112233445566") as virtual:
                tag = session.next(PATIENCE)
                self.assertEqual(tag.send_command(bytes([0x60])).hex(), "0004040201001103")
                self.assertEqual(tag.send_command("3000")[:3].hex(), virtual.identifier[:6])
                self.assertEqual(tag.read(), nfcd.Message())
                self.assertEqual(tag.perform(nfcd.methods.tag_cancel_commands)["cancelled"], 0)
                self.assertEqual(tag.cancel_commands(), 0)
                self.assertEqual(tag.mifare.send_command("60"), tag.send_command(b"\x60"))
            tag.wait_until_removed(PATIENCE)
            with self.person.virtual_tag("type4", nfcd.text("card")):
                tag = session.next(PATIENCE)
                answer = tag.send_apdu("00A4040007D276000085010100")
                self.assertTrue(answer.ok)
                self.assertEqual((answer.status_word, answer.sw1, answer.sw2), (0x9000, 0x90, 0))
                self.assertEqual(tag.iso7816.send_command(b"\0\xa4\0\x0c\2\xe1\3"), {"data": "", "sw1": 0x90, "sw2": 0})
            tag.wait_until_removed(PATIENCE)
            with self.person.virtual_tag("slix"):
                tag = session.next(PATIENCE)
                self.assertEqual(tag.type, "iso15693")
                self.assertEqual(len(tag.send_iso15693(0x20, b"\x00")), 4)
                self.assertEqual(tag.iso15693.send_request(2, 0x20, data=b"\0", timeout=5)["responseFlag"], 0)
            tag.wait_until_removed(PATIENCE)
            with self.person.virtual_tag("mifare-classic-1k"):
                tag = session.next(PATIENCE)
                tag.classic_authenticate(4, b"\xff" * 6)
                tag.classic_write(4, bytes(range(16)))
                self.assertEqual(tag.classic_read(4), bytes(range(16)))
                with self.assertRaises(nfcd.NFCError):
                    tag.mifare_classic.write_block(7, bytes(16))

    def test_the_value_blocks_of_a_classic(self):
        def value(number, block=4):
            stored = number.to_bytes(4, "little")
            return stored + bytes(255 - byte for byte in stored) + stored + bytes((block, 255 - block)) * 2

        with self.client.tag_session(kind="tag") as session, self.person.virtual_tag("mifare-classic-1k"):
            classic = session.next(PATIENCE).mifare_classic
            self.assertIsNone(classic.authenticate(4, "a", "FFFFFFFFFFFF"))
            classic.write_block(4, value(100))
            classic.increment(4, 30)
            self.assertEqual(classic.read_block(4), value(130))
            classic.decrement(4, 1)
            classic.restore(4, 5)
            self.assertEqual((classic.read_block(4), classic.read_block(5)), (value(129), value(129)))

    def test_a_felica_command(self):
        with self.client.tag_session(kind="tag") as session, self.person.virtual_tag("felica-lite-s"):
            tag = session.next(PATIENCE)
            self.assertEqual(tag.felica.send_command(b"\0\xff\xff\0\0")[0], 1)
            self.assertEqual(tag.send_command("00FFFF0000"), tag.felica.send_command("00FFFF0000"))


if __name__ == "__main__":
    unittest.main()
