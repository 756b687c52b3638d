"""Checks with displays without a screen: dunst and xterm in Xvfb, and foot in a headless sway."""

import os
import subprocess

from hostile import MESSAGES
from world import check, text, until, uri

LETTERS = "azAZ yz YZ 09 äöüß ÄÖÜ €µ @\\|~^`{}[]<>&%$#\"'?!/=+-_:;.,*() Ωж日"
UID = "04A1B2C3D4E5F6"
NOBODY = 65534
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
    # dunst runs it for each notification that it shows, with its parts as arguments.
    w.program("note", f'printf "%s\\n%s\\0" "$2" "$3" >> {w.folder}/shown')
    (w.folder / "dunstrc").write_text(
        f'[global]\ndmenu = {w.folder}/bin/menu\nmarkup = full\n[all]\nsummary = *\nscript = {w.folder}/bin/note\n')
    w.start("dunst", "-conf", str(w.folder / "dunstrc"))
    until(lambda: w.connection().name_has_owner("org.freedesktop.Notifications"), "dunst")


def shown(w, count):
    """The notification that dunst shows as the count-th: its summary, and its body as markup."""
    def found():
        file = w.folder / "shown"
        entries = file.read_bytes().decode().split("\0")[:-1] if file.exists() else []
        return entries[count - 1] if len(entries) >= count else None
    return until(found, f"notification {count}").partition("\n")[::2]


def choose(w, label):
    """Clicks an action of the notification in dunst's menu."""
    (w.folder / "choice").write_text(label)
    run(w, "dunstctl", "context")


@check
def dunst_actions(w):
    """dunst shows a tap; its actions open, copy and show details"""
    x_display(w)
    dunst(w)
    w.xdg_open()
    w.desktop(UNLOCKED)
    w.tap(uri("https://example.com/a?b=1&d=2"))
    assert shown(w, 1) == ("example.com: link", "https://example.com/a?b=1&amp;d=2"), shown(w, 1)
    choose(w, "Open")
    assert until(w.opened, "the link opens")[0].startswith("1|https://example.com/a?b=1&d=2|"), w.opened()
    w.tap(text(LETTERS))
    shown(w, 2)
    choose(w, "Copy")
    until(lambda: subprocess.run(
        ["xclip", "-selection", "clipboard", "-o"], env=w.environment, capture_output=True, text=True).stdout == LETTERS, "the text is copied")
    w.tap(text("<b>third</b>"))
    assert shown(w, 3) == ("Text", "&lt;b&gt;third&lt;/b&gt;"), shown(w, 3)
    choose(w, "Show details")
    summary, body = shown(w, 4)
    assert summary == "Text" and "Reader: " in body, (summary, body)


@check
def dunst_hostile(w):
    """dunst shows hostile contents as they are, without markup, and survives them"""
    x_display(w)
    dunst(w)
    process = w.desktop(UNLOCKED)
    for index, message in enumerate(MESSAGES, 1):
        w.tap(message)
        summary, body = shown(w, index)
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
    file = w.typed
    until(lambda: file.read_text().count("\n") >= 1, f"the text is typed: {w.log()}")
    w.tap(text("not typed"), identifier=UID, reader="simulated-1")
    until(lambda: file.read_text().count("\n") >= 2, f"the UID is typed: {w.log()}")
    expected = f"<{LETTERS}[2J>\n{':'.join(UID[index:index + 2] for index in range(0, 14, 2))}\n"
    different = [(index, a, b) for index, (a, b) in enumerate(zip(file.read_text(), expected)) if a != b]
    assert file.read_text() == expected, (different[:5], file.read_text(), expected)


def terminal_x11(w, layout, caps):
    x_display(w, layout)
    w.start("xterm", "-u8", "-e", f"cat > {w.typed}")
    until(w.typed.exists, "xterm")
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
    # xdotool switches it on again after the last letter.
    until(lambda: "Caps Lock:   on" in run(w, "xset", "q"), "Caps Lock is on again")


def sway(w, layout):
    folder = w.folder / "wayland"
    folder.mkdir()
    w.typed = folder / "typed"
    (w.folder / "sway").write_text(f'input * xkb_layout {layout}\nexec foot -e sh -c "cat > {w.typed}"\n')
    # sway does not start as root.
    other = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    if other:
        w.folder.chmod(0o755)
        for place in (folder, w.folder / "run"):
            os.chown(place, NOBODY, NOBODY)
    w.start("sway", "-c", str(w.folder / "sway"), variables={
        "HOME": str(folder), "WLR_BACKENDS": "headless", "WLR_LIBINPUT_NO_DEVICES": "1", "WLR_RENDERER": "pixman",
        "WLR_HEADLESS_OUTPUTS": "1"}, **other)
    w.environment["WAYLAND_DISPLAY"] = until(
        lambda: [name.name for name in (w.folder / "run").glob("wayland-*") if not name.name.endswith(".lock")], "sway")[0]
    until(w.typed.exists, "foot")
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


@check
def portal_keyboard(w):
    """where the compositor has no virtual keyboards, the RemoteDesktop portal types, with a consent that is kept"""
    import check_bus
    portal = w.remote_desktop()
    w.logind()
    w.environment["WAYLAND_DISPLAY"] = "wayland-none"
    process = w.desktop(RULES)
    w.tap(text("aÄ€"))
    keys = until(lambda: len(found := check_bus.calls(portal, "NotifyKeyboardKeysym")) == 12 and found, "the keys")
    assert [(int(key[2]), int(key[3])) for key in keys] == [
        (symbol, state) for symbol in (0x3C, 0x61, 0xC4, 0x010020AC, 0x3E, 0xFF0D) for state in (1, 0)], keys
    w.tap(text("b"))
    until(lambda: len(check_bus.calls(portal, "NotifyKeyboardKeysym")) == 20, "more keys")
    assert len(check_bus.calls(portal, "CreateSession")) == 1, "one session for all taps"
    process.terminate()
    process.wait(20)
    (w.folder / "nfcd-desktop.log").write_text("")
    w.desktop(RULES)
    w.tap(text("c"))
    options = until(lambda: len(found := check_bus.calls(portal, "SelectDevices")) == 2 and found, "another session")[1][1]
    assert options["restore_token"] == "consent-1" and options["persist_mode"] == 2 and options["types"] == 1, options
    assert (w.folder / ".local/state/nfcd/desktop-keyboard").stat().st_mode & 0o777 == 0o600
