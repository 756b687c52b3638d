"""The checks of boot-test for the journal and nfcd-relay, with mosquitto and the receiver of the guide about webhooks."""

import json
import re

import bootchecks
import printed
from bootchecks import VPCD, adding_to, expect
from bootedsystem import wait_for

RELAY = "nfcd-relay.service"
CONFIGURATION = "/etc/nfcd/relay.toml"
RECEIVER = "tap-receiver.service"
RECEIVED = "/tmp/taps.sqlite"
SECRET = "/etc/nfcd/secrets/till"
SETTINGS = f"""
[[mqtt]]
name = "home"
host = "127.0.0.1"
start = "oldest"
no-subscriber = "deliver"

[[webhook]]
name = "till"
url = "http://127.0.0.1:8080/taps"
start = "oldest"
secret-file = "{SECRET}"
"""
CHECKS = []
check = adding_to(CHECKS)


def add_receiver(folder, guide):
    """Writes the two programs in Python of the guide into a folder."""
    verify, receiver = re.findall(r"```python\n(.*?)```", guide.read_text(), re.DOTALL)
    folder.mkdir(parents=True)
    (folder / "verify.py").write_text(verify)
    (folder / "receiver.py").write_text(receiver)


def add_broker_names(hosts):
    """Makes the names of the guides' brokers those of this system, in a file that a minimal system need not have."""
    with hosts.open("a") as lines:
        lines.write("127.0.0.1 broker.example.com homeassistant.local\n")


def received(state):
    """The data of the taps that the receiver of webhooks has, in order."""
    program = ("import json, sqlite3; print(json.dumps([json.loads(row[0]) for row in "
               f"sqlite3.connect('{RECEIVED}').execute('SELECT event FROM tap ORDER BY rowid')]))")
    events = json.loads(state.system.do("python3", "-c", program))
    return [event["data"] for event in events if event["type"].startswith("org.nfcd.tap.")]


def start_receiver(state):
    state.system.do("systemd-run", f"--unit={RECEIVER}", "python3", "-B", "/opt/receiver/receiver.py", SECRET, RECEIVED, "8080")
    wait_for(lambda: state.system.run("test", "-e", RECEIVED).returncode == 0, "the receiver does not start")


def links(taps):
    """The links of the taps that have one: the spools of a guide have none."""
    decoded = [tap["message"]["records"][0].get("decoded") or {} for tap in taps if tap["message"]]
    return [content["uri"] for content in decoded if "uri" in content]


def tap(state, link):
    """Holds a tag to a vpcd reader that no session holds, until the journal has it."""
    # The connection of the relay keeps nfcd running, and that of nfcd pcscd.
    state.system.do("nfcctl", "readers")
    remove_tags(state)
    # vpcd listens again some time after a tag has left.
    wait_for(state.vpcd_listens, "vpcd does not listen")
    tag = state.system.start("nfcctl", "virtual-tag", "ntag215", "--uri", link, "--vpcd", VPCD)
    try:
        wait_for(lambda: link in links(map(json.loads, journal(state))), f"the journal has no {link}")
    finally:
        remove_tags(state)
        tag.wait()


def remove_tags(state):
    """Ends every nfcctl of the container, also those whose nsenter was killed: a tag would stay on its reader."""
    state.system.run("pkill", "-x", "nfcctl")
    wait_for(lambda: state.system.run("pgrep", "-x", "nfcctl").returncode != 0, "nfcctl still runs")


def journal(state):
    return state.system.do("nfcctl", "taps", "list", "--json").splitlines()


def expect_delivery(state, link):
    """A tap reaches the receiver of webhooks, and MQTT."""
    # A minimal system does not know the name localhost.
    words = ("-h", "127.0.0.1", "-t", "nfcd/+/+/+/tap", "-q", "1", "-C", "1", "-W", "60")
    subscriber = state.system.start("mosquitto_sub", *words)
    try:
        tap(state, link)
        wait_for(lambda: link in links(received(state)), f"the webhook did not receive {link}")
        output, errors = subscriber.communicate(timeout=90)
    finally:
        subscriber.kill()
        subscriber.wait()
    expect(output, f"no message on MQTT: {errors}")
    event = json.loads(output)
    expect(event["specversion"] == "1.0" and links([event["data"]]) == [link], output)


@check
def relay_installs(state):
    """the command of the page installs nfcd-relay without starting it, and its user is in the group nfc"""
    printed.run(state.system, "Docs/relay.md", "sudo apt install ./.build/deb/nfcd-relay_")
    expect(state.unit("ActiveState", RELAY) == "inactive", "nfcd-relay was started")
    expect("nfc" in state.system.do("id", "-nG", "nfcd-relay").split(), "nfcd-relay is not in the group nfc")


@check
def shows_what_is_missing(state):
    """without journal and relay, nfcctl shows what to write and what to start"""
    taps = state.system.run("nfcctl", "taps", "list")
    expect(taps.returncode == 78 and "enabled = true" in taps.stderr, f"{taps.returncode}: {taps.stderr}")
    relay = state.system.run("nfcctl", "relay", "status", user="member")
    advice = "systemctl enable --now nfcd-relay"
    expect(relay.returncode == 69 and advice in relay.stderr, f"{relay.returncode}: {relay.stderr}")


@check
def delivers(state):
    """with journal and relay, started as the pages print it, a tap reaches a webhook, whose receiver verifies it, and MQTT"""
    # A tag that an earlier check left on a reader would be the first of the journal.
    remove_tags(state)
    state.system.do("sed", "-i", "s/^# enabled = false$/enabled = true/", bootchecks.CONFIGURATION)
    state.restart()
    printed.run(state.system, "Docs/guides/webhooks.md", "sudo install -d -m 0750 -g nfcd-relay /etc/nfcd/secrets")
    state.system.do("sh", "-c", f"cat >> {CONFIGURATION} <<'END'\n{SETTINGS}\nEND")
    start_receiver(state)
    printed.run(state.system, "Docs/relay.md", "sudo systemctl restart nfcd\nsudo nfcd-relay --check")
    expect_delivery(state, "https://example.com/first")


@check
def guides_run(state):
    """the commands of the guides to webhooks and Home Assistant, and of the page about a damaged journal, run as printed"""
    printed.run(state.system, "Docs/guides/webhooks.md", "sudo systemctl restart nfcd")
    printed.run(state.system, "Docs/guides/home-assistant.md", "sudo apt install ./nfcd-relay_")
    mode = state.system.do("stat", "-c", "%a %G", "/etc/nfcd/secrets/home")
    expect(mode == "640 nfcd-relay", f"the password is {mode}")
    printed.run(state.system, "Docs/guides/home-assistant.md", "sudo systemctl restart nfcd")
    names = [("NAME-OF-THE-DAMAGED-FILE", "taps.db")]
    if state.system.do("sqlite3", "--version").startswith("3.40."):
        names.append((".recover", ".dump"))
    printed.run(state.system, "Docs/taps.md", "sudo systemctl stop nfcd.socket", replacing=names)
    state.inode = state.system.do("stat", "-c", "%i", bootchecks.SOCKET)
    recovered = f"{printed.FOLDER}/taps.sql"
    expect("INSERT" in state.system.do("cat", recovered), "nothing was recovered")
    state.system.do("rm", recovered)
    wait_for(lambda: relay_status(state).get("daemonConnected"), "the relay does not connect again")


@check
def relay_reports(state):
    """a member of the group sees the state of the relay but may not change it; doctor finds no problem"""
    status = json.loads(state.system.do("nfcctl", "relay", "status", "--json", user="member"))
    states = {consumer["name"]: consumer["state"] for consumer in status["consumers"]}
    expect(status["daemonConnected"] and states == {"home": "connected", "till": "connected"}, status)
    pause = state.system.run("nfcctl", "relay", "pause", "till", user="member")
    expect(pause.returncode == 77, f"{pause.returncode}: {pause.stderr}")
    findings = map(json.loads, state.system.run("nfcctl", "doctor", "--json").stdout.splitlines())
    problems = [finding for finding in findings if finding["check"] in ("journal", "relay") and finding["verdict"] == "problem"]
    expect(not problems, problems)


@check
def delivers_after_an_outage(state):
    """taps during an outage of broker and receiver are delivered afterwards, also if nfcd and the relay were killed"""
    state.system.do("systemctl", "stop", "mosquitto.service")
    state.system.do("systemctl", "kill", "--signal=STOP", RECEIVER)
    tap(state, "https://example.com/outage")
    state.system.do("systemctl", "kill", "--signal=KILL", RELAY, "nfcd.service")
    state.system.do("systemctl", "kill", "--signal=CONT", RECEIVER)
    state.system.do("systemctl", "start", "mosquitto.service")
    wait_for(lambda: "https://example.com/outage" in links(received(state)), "the webhook did not receive the tap")
    wait_for(lambda: backlog(state) == 0, "there is a backlog")


@check
def records_after_a_reboot(state):
    """after a reboot, nfcd runs with the journal before any client connects, and a tap is in the journal"""
    remove_tags(state)
    # The relay would be a client that starts nfcd.
    state.system.do("systemctl", "disable", "--now", RELAY)
    enabled = state.system.run("systemctl", "is-enabled", "nfcd.service").stdout.strip()
    expect(enabled in ("disabled", "enabled-runtime"), f"nfcd.service is {enabled}")
    before = stored(state)
    state.system.reboot()
    wait_for(lambda: state.unit("ActiveState") == "active", "nfcd did not start at boot")
    wait_for(state.vpcd_listens, "vpcd does not listen")
    link = "https://example.com/rebooted"
    tag = state.system.start("nfcctl", "virtual-tag", "ntag215", "--uri", link, "--vpcd", VPCD)
    try:
        # A question to nfcd would be a client.
        wait_for(lambda: stored(state) > before, "the journal has no tap of after the reboot")
    finally:
        remove_tags(state)
        tag.wait()
    expect(link in links(map(json.loads, journal(state))), f"the journal has no {link}")
    state.inode = state.system.do("stat", "-c", "%i", bootchecks.SOCKET)
    start_receiver(state)
    state.system.do("systemctl", "enable", "--now", RELAY)
    wait_for(lambda: relay_status(state).get("daemonConnected"), "the relay does not connect again")


@check
def starts_at_boot_only_for_a_journal(state):
    """without the journal, a daemon-reload leaves nfcd to its first client; with it again, it wants nfcd at boot"""
    def wanted(setting, other):
        state.system.do("sed", "-i", f"s/^enabled = {other}$/enabled = {setting}/", bootchecks.CONFIGURATION)
        state.system.do("systemctl", "daemon-reload")
        return "nfcd.service" in state.unit("Wants", "multi-user.target").split()

    expect(not wanted("false", "true"), "nfcd starts at boot without a journal")
    expect(wanted("true", "false"), "nfcd does not start at boot with a journal")


def stored(state):
    """The number of taps in the file of the journal."""
    return int(state.system.do("sqlite3", "file:/var/lib/nfcd/taps.db?mode=ro", "SELECT count(*) FROM tap"))


@check
def guides_subscribe(state):
    """the commands of the guides that use a broker run as printed, with that of this system under their names"""
    printed.run(state.system, "Docs/guides/fleet.md", "mosquitto_pub")
    for page in ("Docs/guides/fleet.md", "Docs/guides/home-assistant.md"):
        lines = printed.block(page, "mosquitto_sub").splitlines()
        # The state of a machine is retained; a tap is expected by expect_delivery.
        for line in (line for line in lines if "/tap'" not in line):
            message = state.system.do("sh", "-c", f"{line} -C 1 -W 30")
            expect(message, f"{page}: no message for {line}")


def relay_status(state):
    """What the relay reports of itself; nothing while it does not answer."""
    status = state.system.run("nfcctl", "relay", "status", "--json")
    return json.loads(status.stdout) if status.stdout else {}


def backlog(state):
    consumers = relay_status(state).get("consumers")
    return sum(consumer["backlog"] for consumer in consumers) if consumers else -1


@check
def relay_is_hardened(state):
    """systemd-analyze security reports an exposure level of at most 2.5 for the relay, and verify no problems"""
    output = state.system.run("systemd-analyze", "security", "--no-pager", RELAY).stdout
    level = float(re.search(r"exposure level for nfcd-relay\.service: ([\d.]+)", output)[1])
    expect(level <= 2.5, f"the exposure level is {level}")
    verify = state.system.run("systemd-analyze", "verify", "--man=no", f"/usr/lib/systemd/system/{RELAY}")
    expect(verify.returncode == 0 and not verify.stdout + verify.stderr, verify.stdout + verify.stderr)
