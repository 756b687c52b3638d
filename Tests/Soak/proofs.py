"""The kill test of proofs: tags that prove themselves, copies and recorded messages on two readers, while nfcd is killed at random
moments. At the end no counter was accepted twice, and every success that a client received is in the journal.

The messages of tags (SUN) are made here, so that the counters of tags outlive nfcd as those of real ones do; nfcd makes the tags that
answer a challenge."""

import collections
import pathlib
import random
import secrets
import sys
import threading
import time

import tagcrypto
from figures import Figure
from kills import Killer, Plan
from programs import is_listening, journal_path, nfcd, wait_for, work_folder
from taps import Subscriber, journal
from wire import Closed, Refused

READERS = 2
# Together 1,000 taps a minute.
RATE = 1000 / 60 / READERS
FULL = Plan(5000, 120, RATE, (), 0)
SHORT = Plan(300, 8, RATE, (), 0)
# UIDs of each reader, so that each counts often.
TAGS = 20
# No tag of the run counts as far.
ABOVE_ALL = 0x800000
# The most messages that are presented again at the end.
AGAIN = 400

KEYS = """
[[key]]
name = "meta"
version = 1
value = "{meta}"
[[key]]
name = "file"
version = 3
value = "{file}"
[[key]]
name = "door"
version = 2
value = "{door}"
[[profile]]
name = "web"
tag = "ntag424"
method = "sun"
meta-key = "meta"
file-key = "file"
url = "https://ex.am/?p={{picc}}&c={{mac}}"
[[profile]]
name = "door"
tag = "ntag424"
method = "mutual"
tag-key = "door"
uri-host = "door.example"
"""
# What nfcd may say of each kind of tag. A message of the other reader's tags, and the tag itself, may come first; a message whose
# report was lost in a kill may be stored.
EXPECTED = {
    "new": {"proven"}, "replay": {"replayed"}, "theirs": {"proven", "replayed"}, "raced": {"proven", "replayed"},
    "lost": {"proven", "replayed"}, "forged": {"failed"}, "moved": {"failed"}, "answers": {"proven"}, "copy": {"failed"},
}
SHARES = {"new": 8, "replay": 3, "theirs": 2, "forged": 1, "moved": 1, "answers": 3, "copy": 2}
# Where the counter decides.
APPLICATION, FILE_KEY = bytes.fromhex("D2760000850101"), 2


class Site:
    """Random keys, the file with them, and messages of tags."""

    def __init__(self, folder):
        self.keys = {name: secrets.token_bytes(16) for name in ("meta", "file", "door")}
        self.path = pathlib.Path(folder, "keys.toml")
        self.path.touch(0o600)
        self.path.write_text(KEYS.format(**{name: key.hex() for name, key in self.keys.items()}), encoding="utf-8")

    def message(self, uid, counter, is_right=True):
        """An NDEF message with the URL that the tag with this UID writes at this count."""
        key = tagcrypto.an10922(self.keys["file"], uid + APPLICATION + bytes([FILE_KEY]))
        key = key if is_right else secrets.token_bytes(16)
        return uri(tagcrypto.sun_message(self.keys["meta"], key, uid, counter, secrets.token_bytes(5), "ex.am/?p="))


def uri(text):
    """An NDEF message with a URI that begins with https://."""
    payload = b"\x04" + text.encode()
    return (bytes([0xD1, 1, len(payload)]) + b"U" + payload).hex().upper()


class Shown:
    """A message that was presented: of which tag, with which counter."""

    def __init__(self, uid, counter, ndef):
        self.uid, self.counter, self.ndef = uid, counter, ndef
        # Whether it was presented on the other reader too.
        self.is_raced = False


class ProofTapper(threading.Thread):
    """Presents tags on a reader, and continues where nfcd was killed."""

    def __init__(self, socket_path, site, reader, count, seed):
        super().__init__(daemon=True)
        self.site, self.reader, self.count = site, reader, count
        self.random = random.Random(f"{seed} {reader}")
        self.other = None
        start = self.random.randrange(1, 1000)
        self.counters = {bytes([0x04, 0x50 + reader]) + bytes(4) + bytes([index]): start for index in range(TAGS)}
        # What was presented, what nfcd reported as proven, and what it reported last before it was killed.
        self.shown, self.accepted, self.last_words = [], [], []
        self.results = collections.Counter()
        self.problems = []
        self.answers = collections.Counter()
        self.silent = 0
        self.again = []
        self.failure = None
        self.reader_id = f"simulated-{reader}"
        self.subscriber = Subscriber(socket_path, self.reader_id)

    @property
    def done(self):
        return sum(self.results.values()) + self.silent

    def run(self):
        try:
            began = time.monotonic()
            for index in range(self.count):
                time.sleep(max(0, began + index / RATE - time.monotonic()))
                self.tap(*self.choice())
        except BaseException as failure:
            self.failure = failure
        finally:
            self.subscriber.disconnect()

    def choice(self):
        """The kind of the next tag, and its message. After a kill, it is what was not reported, and what was accepted last."""
        if self.again:
            return self.again.pop()
        kind = self.random.choices(list(SHARES), SHARES.values())[0]
        if kind == "replay" and self.accepted:
            return kind, self.random.choice(self.accepted[-50:])
        if kind == "theirs" and self.other.shown:
            self.other.shown[-1].is_raced = True
            return kind, self.other.shown[-1]
        if kind in ("answers", "copy"):
            return kind, Shown(self.random.choice(list(self.counters)), None, None)
        return self.made("new" if kind in ("replay", "theirs") else kind)

    def made(self, kind):
        uid = self.random.choice(list(self.counters))
        # Others read the tag as well.
        self.counters[uid] += self.random.choice((1, 1, 1, 2, 7))
        message = Shown(uid, self.counters[uid], self.site.message(uid, self.counters[uid], kind != "forged"))
        if kind == "moved":
            return kind, Shown(uid[:-1] + b"\xEE", message.counter, message.ndef)
        return kind, message

    def tap(self, kind, shown):
        """Presents a tag until it is reported, and takes it away."""
        if kind == "new":
            self.shown.append(shown)
        try:
            self.judge(kind, shown, self.reported(self.subscriber.connected(), kind, shown))
        except (Closed, OSError):
            self.silent += 1
            self.subscriber.disconnect()
            self.remember(kind, shown)

    def remember(self, kind, shown):
        """Presents again what nfcd was killed with."""
        if self.accepted:
            self.again.append(("replay", self.accepted[-1]))
            self.last_words.append(self.accepted[-1])
        if kind in ("new", "theirs", "lost"):
            self.again.append(("lost", shown))

    def reported(self, client, kind, shown):
        """The proof that nfcd reports."""
        client.notifications.clear()
        what = {"model": "ntag424", "ndef": shown.ndef}
        if kind in ("answers", "copy"):
            what = {"profile": "door", "copy": kind == "copy", "ndef": uri("door.example/")}
        present = {"reader": self.reader_id, "identifier": shown.uid.hex().upper(), **what}
        presentation = client.call("simulator.present", present)["presentation"]
        report = client.wait("background.didReadTag")
        while report["tag"]["identifier"] != present["identifier"]:
            report = client.wait("background.didReadTag")
        try:
            client.call("simulator.remove", {"presentation": presentation})
        except (Closed, OSError, Refused):
            pass  # the report has arrived
        return report

    def judge(self, kind, shown, report):
        proof = report.get("proof") or {"status": f"no proof: {report.get('error')}"}
        status, scope = proof["status"], proof.get("scope")
        kind = "raced" if kind == "new" and shown.is_raced else kind
        self.results[kind, status] += 1
        if status not in EXPECTED[kind]:
            self.problems.append(f"{self.reader_id}: {kind} tag {shown.uid.hex()} at {shown.counter}: {proof}")
        if status == "proven" and kind == "answers":
            self.answers[shown.uid.hex().upper()] += 1
        elif status == "proven":
            self.accepted.append(shown)
        if status == "proven" and scope != ("everywhere" if kind == "answers" else "thisMachine"):
            self.problems.append(f"{self.reader_id}: {kind} tag {shown.uid.hex()}: scope {scope}")


def proven(taps, method):
    """The proofs of the journal that succeeded."""
    return [tap["proof"] for tap in taps if tap.get("proof", {}).get("status") == "proven" and tap["proof"]["method"] == method]


def counted(proof):
    """What may count once."""
    return proof["identifier"], proof["key"], proof["keyVersion"], proof["counter"]


def twice(proofs):
    """The counters that were accepted more than once."""
    return [count for count, number in collections.Counter(map(counted, proofs)).items() if number > 1]


def not_rising(proofs):
    """The counters that are not above an earlier one of their tag."""
    highest, found = {}, []
    for proof in proofs:
        *line, counter = counted(proof)
        if counter <= highest.get(tuple(line), -1):
            found.append(counted(proof))
        highest[tuple(line)] = counter
    return found


def forgotten(tappers, taps):
    """What nfcd reported as proven, and the journal does not have."""
    counters = {(proof["identifier"], proof["counter"]) for proof in proven(taps, "sun")}
    answers = collections.Counter(proof["identifier"] for proof in proven(taps, "mutual"))
    reported = sum((tapper.answers for tapper in tappers), collections.Counter())
    return [
        (shown.uid.hex(), shown.counter) for tapper in tappers for shown in tapper.accepted
        if (shown.uid.hex().upper(), shown.counter) not in counters] + list((reported - answers).items())


def accepted_again(tapper, messages):
    """The messages that nfcd accepts, presented once more."""
    found = []
    for shown in messages:
        report = tapper.reported(tapper.subscriber.connected(), "replay", shown)
        if report.get("proof", {}).get("status") != "replayed":
            found.append((shown.uid.hex(), shown.counter, report.get("proof")))
    return found


def figures(programs, is_short, seed, keep=None):
    plan = SHORT if is_short else FULL
    print(f"soak: proofs with seed {seed}", file=sys.stderr)
    with work_folder(keep) as folder:
        site = Site(folder)
        program, socket_path = nfcd(folder, programs, READERS, f'debounce = 0\n[keys]\nfile = "{site.path}"\n')
        try:
            program.start()
            wait_for(lambda: is_listening(socket_path), "the start of nfcd")
            yield from disturbed(program, socket_path, site, plan, seed)
            yield from without_journal(program, socket_path, site, folder, seed)
        finally:
            program.kill()


def disturbed(program, socket_path, site, plan, seed):
    """Taps and kills, and the verdict."""
    tappers = [ProofTapper(socket_path, site, reader, plan.taps // READERS, seed) for reader in range(READERS)]
    for tapper, other in zip(tappers, reversed(tappers)):
        tapper.other = other
    killer = Killer([program], tappers, plan, seed)
    began = time.monotonic()
    for thread in [*tappers, killer]:
        thread.start()
    for thread in [*tappers, killer]:
        thread.join()
    seconds = time.monotonic() - began
    for tapper in tappers:
        if tapper.failure:
            raise tapper.failure
    program.start()
    wait_for(lambda: is_listening(socket_path), "the start of nfcd")
    taps = journal(socket_path)
    yield from outcome(tappers, killer, taps, seconds)
    yield from verdict(tappers, taps)
    program.note_crash()
    yield Figure("proofs: nfcd ended by itself", f"{program.crashes or 'never'}", "never", not program.crashes)


def outcome(tappers, killer, taps, seconds):
    results = sum((tapper.results for tapper in tappers), collections.Counter())
    total, silent = sum(tapper.done for tapper in tappers), sum(tapper.silent for tapper in tappers)
    yield Figure("proofs: taps, and those without a report", f"{total}, {silent}")
    yield Figure("proofs: taps a minute, kills of nfcd", f"{total / seconds * 60:.0f}, {sum(killer.kills.values())}")
    for (kind, status), count in sorted(results.items()):
        yield Figure(f"proofs: {kind} tags: {status}", f"{count}")
    yield Figure("proofs: proven by SUN / challenge in the journal", f"{len(proven(taps, 'sun'))} / {len(proven(taps, 'mutual'))}")


def verdict(tappers, taps):
    problems = [problem for tapper in tappers for problem in tapper.problems]
    for problem in problems[:10]:
        print(f"soak: {problem}", file=sys.stderr)
    yield Figure("proofs: another status or scope than expected", f"{len(problems)}", "0", not problems)
    repeated, fallen = twice(proven(taps, "sun")), not_rising(proven(taps, "sun"))
    yield Figure("proofs: counters accepted twice", f"{len(repeated)}", "0", not repeated)
    yield Figure("proofs: counters accepted after a higher one", f"{len(fallen)}", "0", not fallen)
    lost = forgotten(tappers, taps)
    yield Figure("proofs: successes that the journal does not have", f"{len(lost)}", "0", not lost)
    for tapper in tappers:
        everything = tapper.last_words + tapper.accepted
        messages = tapper.last_words + tapper.random.sample(tapper.accepted, min(AGAIN // READERS, len(tapper.accepted)))
        again = accepted_again(tapper, messages)
        tapper.subscriber.disconnect()
        for problem in again[:5]:
            print(f"soak: accepted again: {problem}", file=sys.stderr)
        what = f"proofs: {len(messages)} of {len(everything)} accepted again, reader {tapper.reader}"
        yield Figure(what, f"{len(again)}", "0", not again)


def without_journal(program, socket_path, site, folder, seed):
    """What the checks find where counters are lost: without the journal, nfcd accepts a recorded message, and says that it may be one."""
    tapper = ProofTapper(socket_path, site, 0, 0, f"{seed} lost")
    # The same tags as before: their messages have to be new once.
    tapper.counters = dict.fromkeys(tapper.counters, ABOVE_ALL)
    _, shown = tapper.made("new")
    first = tapper.reported(tapper.subscriber.connected(), "new", shown)["proof"]
    program.kill()
    tapper.subscriber.disconnect()
    for suffix in ("", "-wal", "-shm"):
        pathlib.Path(journal_path(folder) + suffix).unlink(missing_ok=True)
    program.start()
    second = tapper.reported(tapper.subscriber.connected(), "new", shown)["proof"]
    tapper.subscriber.disconnect()
    found = len(twice([proof for proof in (first, second) if proof["status"] == "proven"]))
    yield Figure("proofs: the check notices a lost journal", "yes" if found else "no", "yes", found == 1)
    scope = second.get("scope")
    yield Figure("proofs: scope of a proof after that", f"{scope}", "limited", scope == "limited")
