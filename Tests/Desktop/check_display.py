"""Checks with displays that nobody sees: dunst and xterm in Xvfb, and foot in a headless sway."""

import json
import os
import subprocess
import time

from hostile import MESSAGES
from world import check, text, until, uri

LETTERS = "azAZ yz YZ 09 äöüß ÄÖÜ €µ @\\|~^`{}[]<>&%$#\"'?!/=+-_:;.,*() Ωж日"
UID = "04A1B2C3D4E5F6"
UNLOCKED = '[session]\nunknown-lock = "unlocked"\n'


def x_display(w, layout="us"):
    """An X server with a layout of the keyboard."""
    read, write = os.pipe()
    w.start("Xvfb", "-displayfd", str(write), "-screen", "0", "800x600x24", "-nolisten", "tcp", pass_fds=(write,))
    os.close(write)
    with open(read) as numbers:
        w.environment["DISPLAY"] = f":{numbers.readline().strip()}"
    subprocess.run(["setxkbmap", layout], env=w.environment, check=True)


def run(w, *command):
    return subprocess.run(command, env=w.environment, capture_output=True, text=True, timeout=60, check=True).stdout


def dunst(w):
    """dunst, whose menu of actions chooses what the file `choice` says."""
    w.program("menu", f'grep -m 1 -F "$(cat {w.folder}/choice)"')
    (w.folder / "dunstrc").write_text(f'[global]\ndmenu = {w.folder}/bin/menu\nmarkup = full\nhistory_length = 200\n')
    w.start("dunst", "-conf", str(w.folder / "dunstrc"))
    until(lambda: w.connection().name_has_owner("org.freedesktop.Notifications"), "dunst")


def displayed(w):
    return int(run(w, "dunstctl", "count", "displayed"))


def choose(w, label):
    """Clicks an action of the notification in dunst's menu."""
    (w.folder / "choice").write_text(label)
    run(w, "dunstctl", "context")


def last(w):
    """The notification that dunst shows: it is closed, and looked up in the history."""
    run(w, "dunstctl", "close-all")
    until(lambda: displayed(w) == 0, "the notification closes")
    entry = json.loads(run(w, "dunstctl", "history"))["data"][0][0]
    return entry["summary"]["data"], entry["body"]["data"]


@check
def dunst_actions(w):
    """dunst shows a tap; its actions open, copy and show details"""
    x_display(w)
    dunst(w)
    w.xdg_open()
    w.desktop(UNLOCKED)
    w.tap(uri("https://example.com/a?b=<c>".replace("<c>", "1&d=2")))
    until(lambda: displayed(w) == 1, "the notification")
    choose(w, "Open")
    assert until(w.opened, "the link opens")[0].startswith("1|https://example.com/a?b=1&d=2|"), w.opened()
    w.tap(text(LETTERS))
    until(lambda: displayed(w) == 1, "the next notification")
    choose(w, "Copy")
    until(lambda: subprocess.run(
        ["xclip", "-selection", "clipboard", "-o"], env=w.environment, capture_output=True, text=True).stdout == LETTERS, "the text is copied")
    w.tap(text("<b>third</b>"))
    until(lambda: displayed(w) == 1, "the third notification")
    choose(w, "Show details")
    until(lambda: displayed(w) == 1, "the details")
    summary, body = last(w)
    assert summary == "Text" and "Reader: " in body, (summary, body)


@check
def dunst_hostile(w):
    """dunst shows hostile contents as they are, without markup, and survives them"""
    x_display(w)
    dunst(w)
    process = w.desktop(UNLOCKED)
    for message in MESSAGES:
        w.tap(message)
        until(lambda: displayed(w) >= 1, "the notification")
        summary, body = last(w)
        # dunst keeps the body as markup: what would be an element was escaped.
        assert "<" not in body and ">" not in body and summary.isascii(), (summary, body)
    assert process.poll() is None
    assert w.connection().name_has_owner("org.freedesktop.Notifications"), "dunst has ended"


RULES = """
[notifications]
show = false
[[typing]]
reader = "simulated-0"
content = "text"
prefix = "<"
suffix = ">\\n"
[[typing]]
reader = "simulated-1"
form = "hexadecimal-colons"
suffix = "\\n"
"""


def typed(w):
    """Taps a text and a UID; what arrived in the terminal, letter by letter."""
    w.desktop(UNLOCKED + RULES)
    w.tap(text(LETTERS + "\x1b[2J\n\t"))
    file = w.folder / "typed"
    until(lambda: file.read_text().count("\n") >= 1, f"the text is typed: {w.log()}")
    w.tap(text("not typed"), identifier=UID, reader="simulated-1")
    until(lambda: file.read_text().count("\n") >= 2, f"the UID is typed: {w.log()}")
    expected = f"<{LETTERS}[2J>\n{':'.join(UID[index:index + 2] for index in range(0, 14, 2))}\n"
    different = [(index, a, b) for index, (a, b) in enumerate(zip(file.read_text(), expected)) if a != b]
    assert file.read_text() == expected, (different[:5], file.read_text(), expected)


def terminal_x11(w, layout, caps):
    x_display(w, layout)
    w.start("xterm", "-u8", "-e", f"cat > {w.folder}/typed")
    until(lambda: (w.folder / "typed").exists(), "xterm")
    window = until(lambda: subprocess.run(
        ["xdotool", "search", "--class", "xterm"], env=w.environment, capture_output=True, text=True).stdout.split(), "the window")
    run(w, "xdotool", "windowfocus", "--sync", window[0])
    if caps:
        run(w, "xdotool", "key", "Caps_Lock")
        assert "Caps Lock:   on" in run(w, "xset", "q"), "Caps Lock is off"


@check
def x11_us(w):
    """XTEST types letter by letter under a US layout"""
    terminal_x11(w, "us", caps=False)
    typed(w)


@check
def x11_german(w):
    """XTEST types letter by letter under a German layout with Caps Lock on, which stays on"""
    terminal_x11(w, "de", caps=True)
    typed(w)
    assert "Caps Lock:   on" in run(w, "xset", "q"), "Caps Lock was changed"


def sway(w, layout):
    (w.folder / "sway").write_text(f'input * xkb_layout {layout}\nexec foot -e sh -c "cat > {w.folder}/typed"\n')
    w.start("sway", "-c", str(w.folder / "sway"), variables={
        "WLR_BACKENDS": "headless", "WLR_LIBINPUT_NO_DEVICES": "1", "WLR_RENDERER": "pixman", "WLR_HEADLESS_OUTPUTS": "1"})
    w.environment["WAYLAND_DISPLAY"] = until(
        lambda: [name.name for name in (w.folder / "run").glob("wayland-*") if not name.name.endswith(".lock")], "sway")[0]
    until(lambda: (w.folder / "typed").exists(), "foot")
    until(lambda: '"foot"' in subprocess.run(
        ["swaymsg", "-s", str(next((w.folder / "run").glob("sway-ipc.*"))), "-t", "get_tree"], env=w.environment, capture_output=True,
        text=True).stdout, "the window of foot")


@check
def sway_german(w):
    """the virtual-keyboard protocol types letter by letter under a German layout"""
    sway(w, "de")
    typed(w)


@check
def sway_us(w):
    """the virtual-keyboard protocol types letter by letter under a US layout"""
    sway(w, "us")
    typed(w)


@check
def sway_copies(w):
    """in sway, a click copies the text of a tag as it is"""
    import check_bus
    sway(w, "us")
    server = w.notification_server()
    w.desktop(UNLOCKED)
    w.tap(text(LETTERS))
    check_bus.notified(server, 1)
    check_bus.click(server, "copy", 1)
    until(lambda: subprocess.run(
        ["wl-paste", "--no-newline"], env=w.environment, capture_output=True, text=True, timeout=20).stdout == LETTERS, "the text is copied")


@check
def no_keyboard(w):
    """without a way to type, the notification and --status say what is missing"""
    import check_bus
    server = w.notification_server()
    w.logind()
    w.desktop(RULES.replace("show = false", "show = true"))
    w.tap(text("a"))
    body = check_bus.notified(server, 1)[0][4]
    assert "Nothing was typed: the session has no display" in body, body
    report = run(w, str(w.programs / "nfcd-desktop"), "--status", "--config", str(w.folder / "desktop.toml"), "--socket", w.daemon.socket)
    assert "on for simulated-0, simulated-1; not possible: the session has no display" in report, report
    assert "taps are delivered" in report and "unlocked, on the screen" in report, report
