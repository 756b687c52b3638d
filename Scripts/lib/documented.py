"""The check of boot-test that types every command of the pages as an ordinary user, and compares what it prints."""

import pathlib
import re
import secrets
import shlex
import threading

import printed
from bootchecks import CONFIGURATION, VPCD, adding_to, expect
from bootedsystem import wait_for

# Where the ordinary user types.
FOLDER = "/opt/typed"
# The keys of nfcd.
KEYS = "/etc/nfcd/keys.toml"
CHECKS = []
check = adding_to(CHECKS)
WEB_LINK = "https://example.com/door"
UID = "04112233445566"
DOOR = [["ntag215", "--uid", UID, "--uri", WEB_LINK]]


class Scene:
    """Commands of a page with the tags that lie on the reader meanwhile.

    `expected` are pairs: a command as the page prints it, and a regular expression that its output has to match. `tags` are the
    arguments of nfcctl virtual-tag; each stays until the commands are done, or for a few seconds if there are several.
    `names` are what stands for a reader's own names, and those of this system. An endless command gets Ctrl-C after some seconds.
    With `simulated`, nfcd has a simulated reader of this model instead of those of pcscd. With `keys`, it has keys of these names
    and the first profile that the page shows. With `recording`, the folder has this one of Tests/Recordings as tag.jsonl. A command
    that ends with & runs until the next one of this kind, or until the scene ends; the next command is typed once it has printed
    what is expected.
    """

    def __init__(self, page, expected, tags=(), names=(), endless=False, simulated=None, keys=(), recording=None):
        self.page, self.expected, self.tags, self.names, self.endless = page, expected, tags, names, endless
        self.simulated, self.keys, self.recording = simulated, keys, recording


WRITTEN = r"Wrote \d+ bytes"
SCENES = [
    Scene("README.md", [
        ("nfcctl readers", r"Virtual PCD"),
        ("nfcctl scan --count 1", rf"URI {WEB_LINK}"),
        ("nfcctl read", rf"URI {WEB_LINK}"),
        ("nfcctl write --uri https://example.com/door --verify", r"[Vv]erified"),
        ("nfcctl read --json", rf'"uri":"{WEB_LINK}"'),
        ("nfcctl info", "NTAG215"),
        ("nfcctl dump", r"(?m)^ *\S*\b0*3\b.*E1 ?10 ?3E ?00"),
        ("nfcctl erase", r"(?i)erased"),
        ("nfcctl doctor", r"ok +daemon"),
    ], DOOR),
    Scene("Docs/first-hour.md", [
        ("nfcctl read", rf"URI {WEB_LINK}"),
        ("nfcctl write --uri https://example.com/door --verify", r"[Vv]erified"),
    ], DOOR),
    Scene("Docs/administration.md", [("nfcctl metrics", r"(?m)^nfcd_readers\S* \d")]),
    Scene("Docs/cookbook.md", [
        ("nfcctl write --uri https://example.com/menu --verify", r"[Vv]erified"),
        ("nfcctl write --wifi Guests --password 'correct horse'", WRITTEN),
        ("nfcctl write --contact 'Ada Lovelace' --contact-tel '+43 1 234567' --contact-email ada@example.com "
         "--contact-url https://ada.example", WRITTEN),
        ("nfcctl write --tel '+43 1 234567'", WRITTEN),
        ("nfcctl write --email service@example.com --subject 'Printer 7' --body 'The printer is out of paper.'", WRITTEN),
        ("nfcctl write --sms '+43 1 234567' --body 'Open the gate'", WRITTEN),
        ("nfcctl write --geo 48.2082,16.3738", WRITTEN),
        ("nfcctl write --text Welcome --language de --text Willkommen", WRITTEN),
        ("nfcctl write --external example.com:door --content 7", WRITTEN),
        ("nfcctl write --mime application/json --content '{\"door\":7}'", WRITTEN),
        ("nfcctl write --uri https://example.com/door/7 --aar com.example.door", WRITTEN),
        ("nfcctl read --json | jq -r '.message.records[0].decoded.uri'", rf"^{WEB_LINK}/7$"),
        ("nfcctl scan --count 1 --json | jq -r 'select(.event == \"tag\").tag.identifier'", rf"^{UID}$"),
        ("nfcctl read --json | jq -e '.message.records[0].decoded.uri | startswith(\"https://example.com/\")'", "^true$"),
        ("nfcctl read --hex | nfcctl ndef decode", rf"URI {WEB_LINK}/7"),
        ("nfcctl read --json >message.json", "^$"),
        ("nfcctl write --file message.json", WRITTEN),
        ("nfcctl info", "NTAG215"),
        ("nfcctl dump --output card.nfc", r"card\.nfc|^$"),
        ("nfcctl erase", r"(?i)erased"),
        ("nfcctl spool new --format material_type=PLA nominal_netto_full_weight=1000 empty_container_weight=187",
         r"remaining_weight +1000 g"),
        ("nfcctl spool weigh 843", r"remaining_weight +656 g"),
        ("nfcctl spool show --json | jq '.spool.data | .main.nominal_netto_full_weight - (.aux.consumed_weight // 0)'", "^656$"),
        ("nfcctl ndef encode --uri https://example.com/a/long/address --text Hello --binary | wc -c", r"^\d\d$"),
        ("nfcctl readers", "Virtual PCD"),
        ("nfcctl metrics | grep nfcd_reads_total", r"(?m)^nfcd_reads_total\S* [1-9]"),
    ], DOOR),
    Scene("Docs/nfcctl.md", [
        ("nfcctl ndef decode D1010C55046578616D706C652E636F6D", "URI https://example.com"),
        ("nfcctl ndef decode --json 0QEMVQRleGFtcGxlLmNvbQ==", '"uri":"https://example.com"'),
        ("nfcctl ndef encode --uri https://example.com --text Hello --language de --text Hallo", "^91010C55046578616D706C652E636F6D"),
        ("nfcctl ndef encode --smart-poster https://example.com --title Example --action save", "^D1[0-9A-F]+$"),
        ("nfcctl ndef encode --wifi Guests --password correct-horse --base64", "^[A-Za-z0-9+/]+=*$"),
        ("nfcctl ndef encode --mime text/plain --content Hello --aar com.example.door --json", r'"ok":true|"records"'),
    ]),
    Scene("Docs/guides/many-tags.md", [
        ("nfcctl write --each --uri 'https://ex.am/{n:05}' --count 3 --report numbers.csv", r"(?s)1.*2.*3"),
    ], [["ntag213", "--uid", f"0411223344550{number}"] for number in range(3)]),
    Scene("Docs/guides/many-tags.md", [
        ("nfcctl write --each --csv guests.csv --uri 'https://ex.am/guest/{id}' --text '{name}' --report guests-written.csv", ""),
    ], [["ntag213", "--uid", f"0411223344551{number}"] for number in range(3)]),
    Scene("Docs/guides/many-tags.md", [
        ("nfcctl copy --count 2", ""),
    ], [["ntag213", "--uid", f"0411223344552{number}", *(["--uri", WEB_LINK] if number == 0 else [])] for number in range(3)]),
    Scene("Docs/guides/watch.md", [
        ("nfcctl watch", rf"URI {WEB_LINK}|{WEB_LINK}"),
        ("nfcctl watch --json --uri-prefix https://", rf'"uri":"{WEB_LINK}"'),
        ("nfcctl watch --exec 'echo \"$NFC_UID on $NFC_READER: $NFC_URI\"'", rf"{UID} on \S+: {WEB_LINK}"),
        ("nfcctl watch --type iso7816 --type miFare --reader simulated-0 --exec 'test -n \"$NFC_URI\" && echo \"$NFC_URI\"'", rf"{WEB_LINK}"),
    ], DOOR, [("--reader simulated-0 ", "")], endless=True),
    Scene("Docs/guides/watch.md", [
        ("nfcctl watch --exec 'echo \"$NFC_URI\"' --on-removal 'echo \"$NFC_UID left\"'", rf"{WEB_LINK}\s[\s\S]*{UID} left"),
    ], [*DOOR, ["ntag215", "--uid", "04112233445577"]], endless=True),
    # The tag of OpenPrintTag needs a reader for ISO/IEC 15693, and vpcd has none.
    Scene("Docs/guides/spools.md", [
        ("nfcctl readers", r"Simulated ACR1552U 0"),
        ("nfcctl spool new --format material_type=PETG brand_name=Example material_name='Galaxy Black' nominal_netto_full_weight=1000 "
         "empty_container_weight=187", r"material_name +Galaxy Black"),
        ("nfcctl spool weigh 843", r"remaining_weight +656 g"),
        ("nfcctl spool use 12.5", r"remaining_weight +643\.5 g"),
        ("nfcctl spool show", r"consumed_weight +356\.5 g"),
        ("nfcctl spool set consumed_weight=356.5", r"remaining_weight +643\.5 g"),
        ("nfcctl dump --output ./spool.nfc", r"(?m)^Saved .* to \./spool\.nfc$"),
        ("nfcctl restore ./spool.nfc", r"^Restored OpenPrintTag Example Galaxy Black, 643\.5 g left .*; verified\n"
         r"The message replaced an OpenPrintTag\.$"),
    ], [["slix2", "--uid", "E004010803040506"]], simulated="acr1552u"),
    Scene("Docs/guides/spools.md", [
        ("nfcctl write --mime application/json --content '{\"protocol\":\"openspool\",\"version\":\"1.0\",\"type\":\"PETG\","
         "\"color_hex\":\"1A1A1A\",\"brand\":\"Example\",\"min_temp\":\"230\",\"max_temp\":\"250\"}'", WRITTEN),
        ("nfcctl spool show", r"OpenSpool Example PETG #1A1A1A"),
    ], [["ntag215", "--uid", UID]]),
    Scene("Docs/guides/spools.md", [
        ("sudo nfcctl relay test spoolman", ""),
        ("nfcctl relay status", r"(?m)^till "),
    ], names=[("spoolman", "till")]),
    Scene("Docs/guides/kiosk.md", [
        ("nfcctl readers", "Virtual PCD"),
        ("sudo nfcctl taps status", r"(?i)taps"),
        ("nfcctl doctor", r"ok +daemon"),
    ]),
    Scene("Docs/relay.md", [
        ("nfcctl relay status", r"(?m)^till .*connected|till"),
        ("nfcctl relay status --json", '"name":"till"'),
        ("sudo nfcctl relay test log", ""),
        ("nfcctl relay parked", ""),
        ("sudo nfcctl relay pause log", ""),
        ("sudo nfcctl relay resume log", ""),
        ("sudo nfcctl relay replay log --after 0", ""),
        ("nfcctl relay metrics", r"(?m)^nfcd_relay\S+ \d"),
    ], names=[(" log", " till")]),
    Scene("Docs/taps.md", [
        ("sudo nfcctl taps status", r"(?i)taps"),
        ("sudo nfcctl taps list --newest --limit 20", WEB_LINK),
        ("sudo nfcctl taps list --json --after 0", '"sequence":1,'),
        ("sudo nfcctl taps show 1", r"(?i)reader"),
        ("sudo nfcctl taps follow --after 0 --count 1", r"\S"),
        ("sudo nfcctl taps export --format csv", r"^sequence,id,time,.*uri,text"),
        ("sudo nfcctl taps follow --json --consumer till --after 0 --count 1", '"sequence":1,'),
        ("sudo nfcctl taps remove-consumer till", ""),
        ("sudo nfcctl taps prune --before 2020-01-31 --yes", ""),
        ("sudo nfcctl taps prune --through 1 --yes --include-undelivered", ""),
    ]),
    Scene("Docs/guides/keys.md", [
        ("nfcctl keys generate door --keys site.toml", r"^Key door version 1 was added to site\.toml"),
        ("nfcctl keys generate door-master --keys site.toml", "^Key door-master version 1 was added"),
        ("nfcctl keys list --keys site.toml", r"(?m)^key +door  version 1  current"),
        ("nfcctl keys check --keys site.toml", r"^site\.toml: .*ok"),
        ("nfcctl keys rotate door --keys site.toml", "version 2 is used from now on"),
        ("nfcctl keys rotate door --prepare --keys site.toml", "version 3 is prepared beside version 2"),
        ("nfcctl keys rotate door --keys site.toml", "is used from now on"),
    ]),
    Scene("Docs/guides/ntag424-web.md", [
        ("nfcctl secure check 'https://ex.am/?p=43B2C6B8B7BFD0C0B224F3B69B4096A1&c=917C1E23EA05F98E' --keys demo.toml",
         r"^proven tag 04A1B2C3D4E5F6 counter 1 \(no counters"),
        ("nfcctl secure check 'https://ex.am/?p=10FB499E3A64F9263720F3F204A0B3E4&c=42E6541482E40BCF' --keys demo.toml "
         "--counters web.counters", r"^proven tag 04A1B2C3D4E5F6 counter 2 \(new on this machine\)$"),
        ("cat web.counters web.counters >merged.counters", "^$"),
        ("nfcctl secure check 'https://ex.am/?p=295BA9400B84123F1BB36A128EB617D7&c=4BD078504E0CCAD7' --keys demo.toml "
         "--counters merged.counters", r"^proven tag 04A1B2C3D4E5F6 counter 5 \(new on this machine\)$"),
    ]),
    Scene("Docs/guides/door.md", [
        ("nfcctl write --uri https://door.example.com/", WRITTEN),
        ("sudo nfcctl secure setup --profile front-door --dry-run", r"(?m)^Nothing was changed\.$"),
        ("sudo nfcctl secure setup --profile front-door", r"(?s)^Set up .*UID +04:A1:B2:C3:D4:E5:F6.*keys +version 1"),
        ("sudo nfcctl secure status", r"(?m)^  state +current$"),
        ("sudo nfcctl secure verify", "^Verified "),
    ], [["ntag424", "--uid", "04A1B2C3D4E5F6"]], simulated="generic", keys=("door", "door-master")),
    Scene("Docs/guides/door.md", [
        ("sudo nfcctl write --each --csv people.csv --uri https://door.example.com/ --profile front-door --report cards.csv",
         r"(?s)1 of 2.*set up \(front-door\).*2 of 2"),
    ], [["ntag424", "--uid", f"04A1B2C3D4E5F{number}"] for number in (7, 8)], simulated="generic", keys=("door", "door-master")),
    # A password needs a reader that sends raw commands, which vpcd does not.
    Scene("Docs/guides/tag-settings.md", [
        ("(umask 077; od -An -N4 -tx1 /dev/urandom | tr -d ' ' > door.key)", "^$"),
        ("sudo nfcctl password set --new-password-file door.key --yes",
         r"(?m)^Set the password of .*UID 04:11:22:33:44:55:66, on Simulated ACR1252U 0; it is needed from page 4 on, to write$"),
        ("nfcctl write --uri https://example.com/door/7 --tag-password-file door.key", WRITTEN),
        ("(umask 077; od -An -N4 -tx1 /dev/urandom | tr -d ' ' > new.key)", "^$"),
        ("sudo nfcctl password change --tag-password-file door.key --new-password-file new.key --yes", "^Set the password of "),
        ("sudo nfcctl password remove --tag-password-file new.key", "(?i)^removed the password"),
        ("nfcctl write --uri 'https://ex.am/?t=00000000000000x000000'", WRITTEN),
        ("sudo nfcctl config --counter on --mirror uid-counter",
         r"; counter on, UID and counter from page 9, byte 1 on$"),
        ("nfcctl read", rf"URI https://ex\.am/\?t={UID}x00000\d"),
        ("sudo nfcctl config --mirror off", "^Configured .*no mirror$"),
    ], [["ntag213", "--uid", UID]], simulated="acr1252u"),
    Scene("Docs/guides/tag-settings.md", [
        ("(umask 077; od -An -N4 -tx1 /dev/urandom | tr -d ' ' > spool.key)", "^$"),
        ("sudo nfcctl password set --new-password-file spool.key --before-page aux --yes",
         r"(?m)^Set the password of .*, on Simulated ACR1552U 0; its write password is needed for pages 0 to 14, to write$"),
        ("nfcctl spool use 25", ""),
        ("nfcctl spool set nominal_netto_full_weight=900 --tag-password-file spool.key", ""),
        ("nfcctl info", r"(?m)^Passwords +writing blocks 0–14 needs the write password$"),
        ("sudo nfcctl password remove --tag-password-file spool.key", "(?i)^removed the password"),
        ("sudo nfcctl config --counter-value 0 --eas on --afi 07", "; counter 0, AFI 07, EAS on$"),
    ], [["slix2", "--uid", "E004010801020304", "--mime", "application/vnd.openprinttag", "--data",
         "A10217BF0800101903E81218BBFF000000000000000000BF001864FF0000000000000000000000"]], simulated="acr1552u"),
    Scene("Docs/support.md", [
        ("sudo nfcctl support --output report.tar", r"(?s)README\.txt .*doctor\.jsonl .*wrote report\.tar"),
        ("sudo nfcctl record --output tag.jsonl --for 20", r"recorded \d+ exchanges? in tag\.jsonl"),
        ("nfcctl record export tag.jsonl --to pcap --output tag.pcap", "^$"),
        ("nfcctl record export tag.jsonl --to pcsc-spy > tag.log", "^$"),
    ], [["ntag215", "--uid", UID, "--uri", "https://example.com"]], simulated="acr122u"),
    Scene("Docs/support.md", [
        ("nfcd --replay tag.jsonl --socket /tmp/nfcd.sock &", "listening on /tmp/nfcd.sock"),
        ("nfcctl scan --count 1 --socket /tmp/nfcd.sock", r"Text .*Hello Hello"),
        ("nfcctl virtual-tag --recording tag.jsonl &", r"^Virtual tag of tag\.jsonl, UID 04:6E:13:"),
        ("nfcctl scan --count 1", r"Text .*Hello Hello"),
    ], simulated="acr122u", recording="acr122u-ntag216-text"),
]


def lines(page):
    """The lines in the blocks of a page that its reader types."""
    blocks = re.findall(r"^```sh\n(.*?)^```", (printed.ROOT / page).read_text(), re.DOTALL | re.MULTILINE)
    typed_lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    return [re.sub(r" +", " ", re.sub(r"  +#.*", "", line).strip()) for line in typed_lines]


def demo_keys(page):
    """The key file that a page shows; None without one."""
    blocks = re.findall(r"^```toml\n(.*?)^```", (printed.ROOT / page).read_text(), re.DOTALL | re.MULTILINE)
    return next((block for block in blocks if block.startswith("[[key]]")), None)


def site_keys(scene):
    """The key file of nfcd for a scene."""
    blocks = re.findall(r"^```toml\n(.*?)^```", (printed.ROOT / scene.page).read_text(), re.DOTALL | re.MULTILINE)
    profile = next(block for block in blocks if block.startswith("[[profile]]"))
    keys = [f'[[key]]\nname = "{name}"\nvalue = "{secrets.token_hex(16)}"\n' for name in scene.keys]
    return "".join(keys) + profile


def is_command(line):
    return re.match(r"(sudo )?nfcctl ", line)


def pages():
    every = [printed.ROOT / "README.md", *sorted((printed.ROOT / "Docs").rglob("*.md"))]
    return [str(page.relative_to(printed.ROOT)) for page in every]


def readers_are(state, word):
    """Whether a reader is in this state: a tag that has just come or left takes pcscd a moment."""
    return f'"state":"{word}"' in state.system.do("nfcctl", "readers", "--json")


def present(state, scene, is_over):
    """Holds the tags of a scene to the reader, one after another if there are several."""
    for tag in scene.tags:
        several = len(scene.tags) > 1
        while not is_over.is_set():
            words = ["nfcctl", "virtual-tag", *tag, *(["--for", "4"] if several else [])]
            if not scene.simulated:
                wait_for(state.vpcd_listens, "vpcd does not listen")
                words += ["--vpcd", VPCD]
            process = state.system.start(*words)
            while process.poll() is None and not is_over.wait(0.2):
                pass
            if several and process.poll() == 0:
                break
            if is_over.is_set():
                state.system.run("pkill", "-INT", "-f", "nfcctl virtual-tag")
            process.wait()


def simulate(state, model):
    """Gives nfcd a simulated reader of a model."""
    state.system.do("cp", "-p", CONFIGURATION, f"{CONFIGURATION}.saved")
    for key, value in [("readers = 0", "readers = 1"), ('model = "generic"', f'model = "{model}"')]:
        state.system.do("sed", "-i", f"s/^# {key}$/{value}/", CONFIGURATION)
    state.restart()


def stop_simulating(state):
    state.system.do("mv", f"{CONFIGURATION}.saved", CONFIGURATION)
    state.restart()


def typed(state, scene, command):
    """Types a command, and returns how it ended."""
    for placeholder, name in scene.names:
        command = command.replace(placeholder, name)
    user = "member"
    if command.startswith("sudo "):
        command, user = command.removeprefix("sudo "), None
    if scene.endless:
        command = f"timeout --preserve-status --signal=INT 8 sh -c {shlex.quote('exec ' + command)}"
    return state.system.run("sh", "-c", f"cd {FOLDER} && {command}", user=user)


class Background:
    """A command that runs while the following ones are typed."""

    def __init__(self, state, command):
        self.state, self.words = state, command.removesuffix("&").strip()
        self.process = state.system.start("sh", "-c", f"cd {FOLDER} && exec {self.words} 2>&1", user="member")
        self.output = ""

    def prints(self, expected):
        """Whether it prints this before it ends; otherwise it has ended."""
        for line in self.process.stdout:
            self.output += line
            if re.search(expected, line):
                return True
        return False

    def stop(self):
        """What Ctrl-C does."""
        self.state.system.run("pkill", "-INT", "-f", f"^{re.escape(self.words)}$")
        self.process.communicate(timeout=60)


def play(state, scene):
    """Plays a scene; returns a line for each command that does not do what the page shows."""
    faults = []
    for command, output in scene.expected:
        # Each command finds its tag as its page leaves it: for an endless one, the tag comes again.
        if scene.endless:
            faults += run_beside_tags(state, scene, [(command, output)])
    if not scene.endless:
        faults += run_beside_tags(state, scene, scene.expected)
    return faults


def run_beside_tags(state, scene, expected):
    is_over, faults, background = threading.Event(), [], None
    # Root's question keeps nfcd and pcscd running, so that vpcd listens.
    wait_for(lambda: not readers_are(state, "present"), "the tag before is still there")
    tags = threading.Thread(target=present, args=(state, scene, is_over), daemon=True)
    tags.start()
    try:
        if len(scene.tags) == 1 and not scene.endless:
            wait_for(lambda: readers_are(state, "present"), "the reader does not see the tag")
        for command, output in expected:
            if command.endswith(" &"):
                if background:
                    background.stop()
                background = Background(state, command)
                if not background.prints(output):
                    faults.append(f"{scene.page}: {command}: {background.output[-300:]}")
                continue
            done = typed(state, scene, command)
            result = f"{done.returncode}: {done.stdout[-300:]}{done.stderr[-300:]}"
            statuses = (0, 130) if scene.endless else (0,)
            if done.returncode not in statuses or not re.search(output, done.stdout.strip() or done.stderr.strip()):
                faults.append(f"{scene.page}: {command}: {result}")
    finally:
        if background:
            background.stop()
        is_over.set()
        tags.join()
    return faults


@check
def every_command_has_its_output(state):
    """every nfcctl command of README and Docs has an expected output here"""
    known = {(scene.page, command) for scene in SCENES for command, _ in scene.expected}
    printed_lines = {(page, line) for page in pages() for line in lines(page)}
    missing = {(page, line) for page, line in printed_lines - known if is_command(line)}
    expect(not missing, f"without an expected output: {sorted(missing)}")
    expect(not known - printed_lines, f"no longer on its page: {sorted(known - printed_lines)}")


def add(scene):
    """Adds the check of a scene."""
    def played(state):
        state.system.do("install", "-d", "-o", "member", FOLDER)
        folder = pathlib.Path(state.system.tree) / FOLDER.lstrip("/")
        (folder / "guests.csv").write_text("id,name\n1,Ada\n2,Bob\n3,Cleo\n")
        if keys := demo_keys(scene.page):
            (folder / "demo.toml").write_text(keys)
            state.system.do("sh", "-c", f"cd {FOLDER} && chown member demo.toml && chmod 600 demo.toml")
        if scene.recording:
            (folder / "tag.jsonl").write_text((printed.ROOT / f"Tests/Recordings/{scene.recording}.jsonl").read_text())
        (folder / "people.csv").write_text("name,department\nAda,Engines\nGrace,Compilers\n")
        keys_file = pathlib.Path(state.system.tree) / KEYS.lstrip("/")
        if scene.keys:
            keys_file.touch(mode=0o600)
            keys_file.write_text(site_keys(scene))
        if scene.simulated:
            simulate(state, scene.simulated)
        try:
            faults = play(state, scene)
        finally:
            state.system.do("rm", "-r", FOLDER)
            keys_file.unlink(missing_ok=True)
            if scene.simulated:
                stop_simulating(state)
        expect(not faults, " | ".join(faults))

    played.__doc__ = f"the {len(scene.expected)} commands of {scene.page} print what they should for an ordinary user"
    CHECKS.append(played)


for each in SCENES:
    add(each)
