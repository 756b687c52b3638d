"""Proofs of taps, and the door that opens for them, with a daemon that sends what a test says."""

import json
import os
import pathlib
import subprocess
import sys
import unittest

from support import PATIENCE, FakeDaemon, nfcd

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROVEN = {"status": "proven", "method": "sun", "profile": "door", "key": "front", "keyVersion": 1, "counter": 7,
          "identifier": "04A1B2C3D4E5F6", "scope": "thisMachine"}


def tap(proof, **members):
    """The members of a tap in the background."""
    event = {
        "subscription": "s", "reader": "desk", "readerName": "Desk", "messages": [],
        "tag": {"type": "iso7816", "technology": "NFC Forum Type 4", "identifier": "04A1B2C3D4E5F6"}, **members,
    }
    return {**event, "proof": proof} if proof is not None else event


class ProofTests(unittest.TestCase):
    def daemon(self, taps):
        """A daemon that answers a subscription, and then sends taps."""
        requests = []

        def handle(connection):
            for line in connection.makefile("r", encoding="utf-8"):
                request = json.loads(line)
                requests.append(request)
                if "id" not in request:
                    continue
                lines = [{"jsonrpc": "2.0", "id": request["id"], "result": {"subscription": "s", "epoch": "e", "after": 0, "newest": 0}}]
                if request["method"] == "background.subscribe":
                    lines += [{"jsonrpc": "2.0", "method": "background.didReadTag", "params": event} for event in taps]
                connection.sendall("".join(json.dumps(line) + "\n" for line in lines).encode())

        fake = FakeDaemon(handle)
        self.addCleanup(fake.close)
        return fake, requests

    def taps(self, events):
        fake, requests = self.daemon(events)
        with nfcd.Client(fake.path, timeout=PATIENCE) as client, client.background(require="proven") as background:
            found = [background.next(PATIENCE) for _ in events]
        self.assertEqual(requests[0]["params"], {"require": "proven"})
        return found

    def test_a_tap_has_its_proof(self):
        proven, none, replayed = self.taps([tap(PROVEN), tap(None), tap({"status": "replayed", "profile": "door"})])
        self.assertEqual((proven.proof, proven.is_proven), (PROVEN, True))
        self.assertEqual((none.proof, none.is_proven), (None, False))
        self.assertEqual((replayed.proof["status"], replayed.is_proven), ("replayed", False))

    def test_no_other_word_is_proven(self):
        words = ["", "Proven", "proven ", "failed", "unknownKey", "tamperOpen", "weak", "notProven", "delayed", "incomplete", "new"]
        for found in self.taps([tap({"status": word, "profile": "door"}) for word in words]):
            self.assertFalse(found.is_proven, found.proof)

    def test_the_journal_is_subscribed_with_the_requirement(self):
        fake, requests = self.daemon([])
        with nfcd.Client(fake.path, timeout=PATIENCE) as client, client.journal("door", require="proven"):
            pass
        self.assertEqual(requests[0]["method"], "taps.subscribe")
        self.assertEqual(requests[0]["params"], {"consumer": "door", "require": "proven"})

    def test_the_door_opens_for_its_profile_alone(self):
        events = [
            tap(None), tap({"status": "replayed", "profile": "door"}), tap({**PROVEN, "profile": "till"}), tap(PROVEN),
        ]
        fake, _ = self.daemon(events)
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
        door = subprocess.run(
            [sys.executable, str(ROOT / "examples" / "door.py"), "--socket", fake.path, "--count", "4", "door", "echo", "opened"],
            env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)
        self.assertEqual((door.returncode, door.stderr), (0, ""))
        self.assertEqual(
            door.stdout.splitlines(),
            ["Desk: closed"] * 3 + ["Desk: open for 04A1B2C3D4E5F6 by front", "opened"])


if __name__ == "__main__":
    unittest.main()
