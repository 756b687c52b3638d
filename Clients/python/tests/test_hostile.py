"""Daemons that misbehave: every one gives a clear error, in bounded time and memory."""

import json
import random
import threading
import unittest

from support import PATIENCE, FakeDaemon, nfcd

from nfcd import _core, methods


def reply(connection, line):
    """Answers the first request with `line`."""
    connection.recv(65536)
    connection.sendall(line)
    connection.recv(65536)


class HostileTests(unittest.TestCase):
    def client(self, handle, timeout=PATIENCE):
        fake = FakeDaemon(handle)
        self.addCleanup(fake.close)
        client = nfcd.Client(fake.path, timeout=timeout, backoff=nfcd.Backoff(initial=0.01, attempts=3))
        self.addCleanup(client.close)
        return client

    def test_lines_that_nfcd_never_sends(self):
        for line, words in (
            (b"{\n", "not JSON"),
            (b"\xff\xfe\n", "not JSON"),
            (b"[" * 100_000 + b"\n", "not JSON"),
            (b'{"id":1,"result":NaN}\n', "not JSON"),
            (b'{"id":1,"result":' + b"9" * 1_000_000 + b"}\n", "not JSON"),
            (b"[]\n", "not an object"),
            (b"{}\n", "neither an answer nor a notification"),
            (b'{"id":7,"result":{}}\n', "was not sent"),
            (b'{"id":true,"result":{}}\n', "was not sent"),
            (b'{"id":"1","result":{}}\n', "was not sent"),
            (b'{"id":1}\n', "without a result"),
            (b'{"id":1,"result":{}}\n', "result is not an array"),
            (b'{"id":1,"result":[{"reader":"a"}]}\n', "result[0].name is missing"),
            (b'{"id":1,"result":[{"reader":1,"name":"","state":"","technologies":[],"profile":""}]}\n', "is not text"),
            (b'{"method":"session.tagRemoved","params":[]}\n', "params is not an object"),
            (b'{"method":"taps.didRecord","params":{"subscription":"a","tap":7}}\n', "params.tap is not an object"),
        ):
            with self.subTest(line=line[:40]):
                client = self.client(lambda connection, line=line: reply(connection, line))
                with self.assertRaises(nfcd.ProtocolError) as raised:
                    client.readers()
                self.assertIn(words, str(raised.exception))
                self.assertLess(len(str(raised.exception)), 400)

    def test_an_endless_line(self):
        sent = []

        def handle(connection):
            connection.recv(65536)
            while True:
                sent.append(connection.send(b"x" * 65536))

        with self.assertRaises(nfcd.ProtocolError) as raised:
            self.client(handle).readers()
        self.assertIn("a line of more than 1048576 bytes", str(raised.exception))

    def test_a_socket_that_closes(self):
        for line in (b"", b'{"id":1,"resu'):
            client = self.client(lambda connection, line=line: connection.sendall(line) if connection.recv(9) else None)
            with self.assertRaises(nfcd.ConnectionLost) as raised:
                client.readers()
            self.assertNotIsInstance(raised.exception, nfcd.ProtocolError)

    def test_a_reason_for_closing(self):
        line = b'{"id":null,"error":{"code":203,"message":"System resource unavailable","data":{"detail":"too many connections"}}}\n'
        with self.assertRaises(nfcd.ConnectionLost) as raised:
            self.client(lambda connection: reply(connection, line)).readers()
        self.assertIn("too many connections", str(raised.exception))

    def test_no_answer(self):
        client = self.client(lambda connection: [None for _ in iter(lambda: connection.recv(65536), b"")], timeout=0.1)
        with self.assertRaises(nfcd.NoAnswer) as raised:
            client.readers()
        self.assertIn("did not answer readers.list within 0.1 s", str(raised.exception))
        self.assertIsInstance(raised.exception, TimeoutError)

    def test_a_daemon_that_does_not_read(self):
        finished = threading.Event()
        self.addCleanup(finished.set)
        client = self.client(lambda connection: finished.wait(PATIENCE), timeout=0.1)
        with self.assertRaises(nfcd.ConnectionLost) as raised:
            client.perform(methods.notices_show(text="x" * 1_000_000))
            client.perform(methods.notices_show(text="x" * 1_000_000))
        self.assertIn("does not read", str(raised.exception))
        finished.set()

    def test_a_daemon_that_hangs_while_a_program_waits_for_taps(self):
        def handle(connection):
            connection.recv(65536)
            connection.sendall(b'{"id":1,"result":{"subscription":"background-1"}}\n')
            while connection.recv(65536):
                pass

        with self.client(handle) as client, client.background(reconnect=False) as taps:
            client.timeout = 0.1
            with self.assertRaises(nfcd.ConnectionLost) as raised:
                taps.next()
        self.assertIn("did not answer", str(raised.exception))

    def test_a_flood_of_notifications(self):
        line = json.dumps({"method": "reader.tagArrived", "params": {"reader": "x" * 60_000}}).encode() + b"\n"

        def handle(connection):
            connection.recv(65536)
            connection.sendall(b'{"id":1,"result":{}}\n')
            connection.recv(65536)
            while True:
                connection.sendall(line)

        with self.client(handle) as client, client.events():
            with self.assertRaises(nfcd.ConnectionLost) as raised:
                client.readers()
        self.assertIn("notifications wait to be read", str(raised.exception))

    def test_what_a_client_does_not_know_is_ignored(self):
        answer = {"id": 1, "result": [], "later": True}
        lines = b'{"method":"later.event","params":7}\n{"method":7}\n' + json.dumps(answer).encode() + b"\n"
        self.assertEqual(self.client(lambda connection: reply(connection, lines)).readers(), [])

    def test_an_unknown_error(self):
        for error, text in (
            ({"code": 999, "message": "New", "data": {"name": 7, "detail": "later", "response": "6982", "statusWord": "x"}}, "New: later (999)"),
            ({"code": "x"}, "error 0"),
        ):
            line = json.dumps({"id": 1, "error": error}).encode() + b"\n"
            with self.assertRaises(nfcd.NFCError) as raised:
                self.client(lambda connection, line=line: reply(connection, line)).readers()
            self.assertEqual(str(raised.exception), text)
            self.assertIsNone(raised.exception.status_word)

    def test_a_message_that_cannot_be_read(self):
        event = {
            "session": "session-1", "reader": "r", "readerName": "R", "tag": "t", "type": "miFare", "identifier": "",
            "messages": [{"encoded": "FF"}],
        }  # fmt: skip
        lines = [
            {"id": 1, "result": {"session": "session-1"}},
            {"method": "session.didBecomeActive", "params": {"session": "session-1"}},
            {"method": "session.didDetectNDEFs", "params": event},
        ]
        data = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
        with self.client(lambda connection: reply(connection, data)) as client, client.read_session() as session:
            with self.assertRaises(nfcd.ProtocolError):
                session.next(PATIENCE)
            session._link.core.fail(nfcd.ConnectionLost("the test is done"))


    def test_a_flood_of_tags(self):
        def lines(tag):
            info = {"identifier": "", "reader": "r", "readerName": "R", "tag": tag, "technology": "", "type": "miFare"}
            yield {"method": "session.didDetectTags", "params": {"session": "session-1", "tags": [info]}}
            if leave and tag != "tag-0":
                yield {"method": "session.tagRemoved", "params": {"session": "session-1", "tag": tag}}

        def handle(connection):
            connection.recv(65536)
            first = [{"id": 1, "result": {"session": "session-1"}}]
            first.append({"method": "session.didBecomeActive", "params": {"session": "session-1"}})
            connection.sendall(b"".join(json.dumps(line).encode() + b"\n" for line in first))
            number = 0
            while True:
                connection.sendall(b"".join(json.dumps(line).encode() + b"\n" for line in lines(f"tag-{number}")))
                number += 1

        for leave, words in ((False, "that none has left"), (True, "tags wait")):
            with self.client(handle) as client, client.tag_session() as session:
                tag = session.next(PATIENCE)
                with self.assertRaises(nfcd.ConnectionLost) as raised:
                    tag.wait_until_removed(PATIENCE)
                self.assertIn(words, str(raised.exception))


class CoreTests(unittest.TestCase):
    def test_answers_and_notifications_in_any_pieces(self):
        lines = b"".join(
            json.dumps(line).encode() + b"\n"
            for line in (
                {"method": "session.didBecomeActive", "params": {"session": "session-1"}},
                {"id": 1, "result": {"session": "session-1"}},
                {"method": "session.tagRemoved", "params": {"session": "session-1", "tag": "tag-1"}},
                {"method": "session.tagRemoved", "params": {"session": "session-2", "tag": "tag-1"}},
            )
        )
        for size in (1, 2, 7, 64, 4096):
            core = _core.Core()
            identifier, _ = core.request(methods.session_begin(kind="ndef"))
            for start in range(0, len(lines), size):
                core.receive(lines[start : start + size])
            self.assertEqual(core.take(identifier).result, {"session": "session-1"})
            names = [core.next_event("session-1")[0], core.next_event("session-1")[0], core.next_event("session-1")]
            self.assertEqual(names, ["session.didBecomeActive", "session.tagRemoved", None])
            self.assertIsNone(core.next_event("session-2"))
            self.assertEqual((core.failure, core._queued), (None, 0))

    def test_a_session_that_began_too_late_is_ended(self):
        answer = b'{"id":1,"result":{"session":"session-1"}}\n'
        for answered_first in (False, True):
            core = _core.Core()
            identifier, _ = core.request(methods.session_begin(kind="ndef"))
            if answered_first:
                core.receive(answer)
                sent = core.forget(identifier)
            else:
                self.assertIn(b"$/cancelRequest", core.forget(identifier))
                core.receive(answer)
                sent = core.take_replies()
            self.assertEqual(json.loads(sent)["params"], {"session": "session-1"})
            self.assertEqual(core.forget(identifier), b"")

    def test_arbitrary_bytes(self):
        chance = random.Random(7)
        parts = [b'{"id":', b"1", b"null", b'"result":', b"{", b"}", b"[", b"]", b",", b"\n", b'"method":"session.tagRemoved"', b"\xff"]
        for _ in range(3000):
            core = _core.Core()
            core.request(methods.session_begin(kind="ndef"))
            core.receive(b"".join(chance.choice(parts) for _ in range(chance.randrange(1, 40))))
            self.assertIsInstance(core.failure, (nfcd.Error, type(None)))


if __name__ == "__main__":
    unittest.main()
