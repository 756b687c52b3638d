"""Taps in the background, the journal, events, and a restart of nfcd."""

import threading
import unittest

from support import PATIENCE, Daemon, DaemonCase, nfcd

QUICK = nfcd.Backoff(initial=0.02, maximum=0.2)


class BackgroundTests(DaemonCase):
    readers = 2

    def test_taps_without_a_session(self):
        with self.client.background() as taps, self.person.virtual_tag("ntag215", nfcd.uri("https://example.com")) as virtual:
            tap = next(iter(taps))
        self.assertEqual((tap.uri, tap.identifier, tap.reader), ("https://example.com", virtual.identifier, "simulated-0"))

    def test_a_filter(self):
        with self.client.background(uri_prefix="https://example.org") as taps:
            with self.person.virtual_tag("ntag215", nfcd.uri("https://example.com")):
                with self.person.virtual_tag("ntag215", nfcd.uri("https://example.org/x")):
                    self.assertEqual(taps.next(PATIENCE).uri, "https://example.org/x")
            with self.assertRaises(nfcd.NoTag):
                taps.next(timeout=0.05)

    def test_events(self):
        with self.client.events() as events:
            with self.person.virtual_tag("ntag215"):
                event = events.next(PATIENCE)
        self.assertEqual((event.name, event.members), ("reader.tagArrived", {"reader": "simulated-0"}))

    def test_the_uri_is_that_of_the_record_that_matched(self):
        uris = ["file:///etc/passwd", "tel:112", "https://other.example/", "https://kiosk.example/"]
        rows = [
            ({"uri_prefix": "https://kiosk.example/"}, "https://kiosk.example/", 3),
            ({"uri_host": "kiosk.example"}, "https://kiosk.example/", 3),
            ({"uri_prefix": "tel:"}, "tel:112", 1),
            ({"kind": "uri"}, "https://other.example/", 2),
            ({"kind": "uri", "uri_schemes": ["tel"]}, "tel:112", 1),
            ({"uri_schemes": ["*"]}, "file:///etc/passwd", None),
            ({}, "https://other.example/", None),
        ]
        for number, (criteria, uri, place) in enumerate(rows):
            with self.client.background(**criteria) as taps:
                records = [nfcd.uri(address) for address in uris]
                with self.person.virtual_tag("ntag215", records, identifier=f"0411223355{number:02X}80"):
                    tap = taps.next(PATIENCE)
            self.assertEqual(tap.uri, uri, criteria)
            self.assertEqual(tap.record, None if place is None else tap.message[place])
        with self.client.read_session() as session:
            with self.person.virtual_tag("ntag215", [nfcd.uri(address) for address in uris[:2]]):
                tap = next(iter(session))
        self.assertEqual((tap.uri, tap.message.uri), (None, "file:///etc/passwd"))

    def test_without_a_journal(self):
        with self.assertRaises(nfcd.NFCError) as raised:
            with self.client.journal("door"):
                pass
        self.assertEqual(raised.exception.code, nfcd.ErrorCode.UnsupportedFeature)
        with self.assertRaises(RuntimeError):
            self.client.background().next()


class JournalTests(DaemonCase):
    journal = True

    number = 0

    def tap(self, address):
        """Holds a tag to the reader until it is recorded. Each has another UID: the same one at once would count as resting."""
        JournalTests.number += 1
        before = self.person.journal_status()["newest"]
        virtual = self.person.virtual_tag("ntag215", nfcd.uri(address), identifier=f"0411223344{JournalTests.number:02X}80")
        with self.person.journal(after=before) as recorded, virtual:
            return recorded.next(PATIENCE)

    def test_a_consumer_gets_what_it_did_not_acknowledge(self):
        with self.client.journal("door") as journal:
            pass
        for number in range(3):
            self.tap(f"https://example.com/{number}")
        with self.client.journal("door") as journal:
            first = journal.next(PATIENCE)
            self.assertEqual(first.uri, "https://example.com/0")
            self.assertTrue(first.time and first.id and first.clock)
            journal.acknowledge(first)
            self.assertEqual(journal.next(PATIENCE).uri, "https://example.com/1")
        with self.client.journal("door") as journal:
            again = journal.next(PATIENCE)
            self.assertEqual((again.uri, again.sequence), ("https://example.com/1", first.sequence + 1))
            self.assertEqual(journal.next(PATIENCE).uri, "https://example.com/2")
            journal.acknowledge(again.sequence + 1)
            self.assertEqual(journal.status()["acknowledged"], again.sequence + 1)
        page = self.client.journal_taps(after=first.sequence - 1)
        self.assertEqual([tap.sequence for tap in page][:3], [first.sequence, first.sequence + 1, first.sequence + 2])
        self.assertEqual(self.client.journal_taps(limit=1, newest_first=True)[0], page[-1])

    def test_more_taps_than_nfcd_sends_at_once(self):
        start = self.person.journal_status()["newest"]
        for number in range(3):
            self.tap(f"https://example.com/{number}")
        with self.client.journal(after=start) as journal:
            for number, tap in zip(range(3), journal):
                self.assertEqual(tap.uri, f"https://example.com/{number}")
                journal.acknowledge(tap)
            self.assertIsNone(journal.status())


class RestartTests(unittest.TestCase):
    def setUp(self):
        self.daemon = Daemon(journal=True)
        self.addCleanup(self.daemon.close)
        self.client = nfcd.Client(self.daemon.path, timeout=PATIENCE, backoff=QUICK)
        self.addCleanup(self.client.close)

    def restart(self):
        self.daemon.stop()
        self.daemon.start()

    def hold(self, address):
        """Holds a tag to the reader for a while; returns what ends that."""
        person = nfcd.Client(self.daemon.path, timeout=PATIENCE)
        virtual = person.virtual_tag("ntag215", nfcd.uri(address))
        virtual.__enter__()
        self.addCleanup(person.close)
        return virtual.remove

    def test_a_session_ends_and_the_next_call_connects_again(self):
        with self.client.read_session() as session:
            self.restart()
            # nfcd reports that the session ends because it stops, with 202, if there is time.
            with self.assertRaises((nfcd.SessionEnded, nfcd.ConnectionLost)):
                session.next(PATIENCE)
            with self.assertRaises(nfcd.ConnectionLost):
                session.restart_polling()
        self.assertEqual(self.client.readers()[0]["reader"], "simulated-0")
        with self.client.read_session() as session:
            self.assertIsNone(session.ended)

    def test_the_journal_continues(self):
        with self.client.journal("door") as journal:
            remove = self.hold("https://example.com/1")
            tap = journal.next(PATIENCE)
            remove()
            self.restart()
            # Acknowledging connects again; the tap does not come once more.
            journal.acknowledge(tap)
            self.hold("https://example.com/2")
            second = journal.next(PATIENCE)
            self.assertEqual((second.uri, second.sequence), ("https://example.com/2", tap.sequence + 1))
            self.restart()
            again = journal.next(PATIENCE)
            self.assertEqual(again.id, second.id)

    def test_many_taps_are_acknowledged_after_a_restart(self):
        # More than nfcd sends without an acknowledgement: it continues only if those that come again are acknowledged, too.
        with self.client.journal("door") as journal:
            pass
        with nfcd.Client(self.daemon.path, timeout=PATIENCE) as person, person.journal() as recorded:
            for number in range(105):
                with person.virtual_tag("ntag213", nfcd.text(str(number)), identifier=f"0411223344{number:02X}80"):
                    recorded.acknowledge(recorded.next(PATIENCE))
        with self.client.journal("door") as journal:
            taps = [journal.next(PATIENCE) for _ in range(100)]
            self.restart()
            journal.acknowledge(taps[-1])
            self.assertEqual([journal.next(PATIENCE).text for _ in range(5)], ["100", "101", "102", "103", "104"])
            with self.assertRaises(ValueError):
                journal.acknowledge(taps[-1].sequence + 100)
            self.restart()
            self.assertEqual(journal.next(PATIENCE).text, "100")
            journal.acknowledge(taps[-1].sequence + 5)
            self.assertEqual(journal.status()["backlog"], 0)

    def test_the_journal_without_a_consumer_continues(self):
        with self.client.journal() as journal:
            self.hold("https://example.com/1")
            tap = journal.next(PATIENCE)
            self.restart()
            journal.acknowledge(tap)
            self.hold("https://example.com/2")
            self.assertEqual(journal.next(PATIENCE).uri, "https://example.com/2")

    def test_background_taps_continue(self):
        with self.client.background() as taps:
            old = taps._link
            self.restart()
            while taps._link is old:
                with self.assertRaises(nfcd.NoTag):
                    taps.next(timeout=0.1)
            self.hold("https://example.com/1")
            self.assertEqual(taps.next(PATIENCE).uri, "https://example.com/1")

    def test_without_reconnection(self):
        with self.client.background(reconnect=False) as taps:
            self.daemon.stop()
            with self.assertRaises(nfcd.ConnectionLost):
                next(iter(taps))
        with self.assertRaises(nfcd.CannotConnect) as raised:
            self.client.readers()
        self.assertIn("sudo systemctl start nfcd.socket", str(raised.exception))

    def test_a_limit_of_attempts(self):
        client = nfcd.Client(self.daemon.path, backoff=nfcd.Backoff(initial=0.01, attempts=2))
        with client, client.background() as taps:
            self.daemon.stop()
            with self.assertRaises(nfcd.CannotConnect):
                taps.next()

    def test_waiting_for_nfcd_to_start(self):
        self.daemon.stop()
        starting = threading.Timer(0.2, self.daemon.start)
        starting.start()
        with nfcd.Client(self.daemon.path, wait=True, backoff=QUICK) as client:
            self.assertEqual(client.info()["name"], "nfcd")
        starting.join()

    def test_another_thread_ends_the_loop(self):
        with self.client.background() as taps:
            closing = threading.Timer(0.1, self.client.close)
            closing.start()
            with self.assertRaises(nfcd.ConnectionLost) as raised:
                next(iter(taps))
            self.assertIn("closed by this program", str(raised.exception))
            closing.join()

    def test_two_threads_at_once_are_refused(self):
        self.client.readers()
        link = self.client._link
        held, release = threading.Event(), threading.Event()

        def hold():
            with link._alone():
                held.set()
                release.wait(PATIENCE)

        thread = threading.Thread(target=hold)
        thread.start()
        held.wait(PATIENCE)
        with self.assertRaises(RuntimeError):
            self.client.readers()
        release.set()
        thread.join()
        self.assertEqual(len(self.client.readers()), 1)

    def test_a_closed_client_stays_closed(self):
        self.client.close()
        with self.assertRaises(nfcd.ConnectionLost):
            self.client.readers()


if __name__ == "__main__":
    unittest.main()
