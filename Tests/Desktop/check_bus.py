"""Checks with mocks of python-dbusmock: no display is needed."""

import html
import json
import subprocess
import threading
import time

import dbus
import dbus.lowlevel
from hostile import INVISIBLE, MESSAGES
from world import NOTIFICATIONS, calls, check, text, until, uri

LINK = "https://example.com/a"


def notified(mock, count):
    return until(lambda: (found := calls(mock, "Notify")) and len(found) >= count and found, f"notification {count}")


def click(mock, action, number, token=None):
    """What a server sends when a person clicks: a token, then the action."""
    number = dbus.UInt32(number)
    if token:
        mock.EmitSignal(NOTIFICATIONS[0], "ActivationToken", "us", dbus.Array([number, token], signature="v"))
    mock.EmitSignal(NOTIFICATIONS[0], "ActionInvoked", "us", dbus.Array([number, action], signature="v"))


@check
def a_link(w):
    """a tap shows the host first, the address, and the actions; a click opens it through the portal, with the token of the click"""
    server, portal = w.notification_server(), w.portal()
    w.logind()
    w.xdg_open()
    w.desktop()
    w.tap(uri(LINK))
    application, replaced, _, summary, body, actions, hints, _ = notified(server, 1)[0]
    assert (application, replaced, summary, body) == ("NFC", 0, "example.com: link", LINK), (summary, body)
    assert list(actions) == ["default", "Open", "open", "Open", "copy", "Copy", "details", "Show details"], actions
    assert hints["desktop-entry"] == "org.nfcd.Desktop"
    click(server, "open", 1, token="token-1")
    parent, link, options = until(lambda: calls(portal, "OpenURI"), "the portal opens")[0]
    assert (parent, link, dict(options)) == ("", LINK, {"activation_token": "token-1"}), (link, options)
    # A click on the notification is the same; its token was used.
    click(server, "default", 1)
    found = until(lambda: len(found := calls(portal, "OpenURI")) == 2 and found, "the portal opens again")
    assert dict(found[1][2]) == {}
    assert not w.opened()


@check
def details(w):
    """the details show every record and the tag, and replace the notification"""
    server = w.notification_server()
    w.logind()
    w.desktop()
    identifier = w.tap(text("hello"))
    notified(server, 1)
    click(server, "details", 1)
    shown = notified(server, 2)[1]
    assert shown[1] == 1, shown
    lines = html.unescape(shown[4]).split("\n")
    assert lines[0] == '1. Text "hello" (en)' and lines[1].endswith(f"UID {identifier}") and lines[2].startswith("Reader: "), lines
    assert "details" not in list(shown[5])


@check
def without_portal(w):
    """without a portal, xdg-open opens the link, with the token in its environment and the link as its only argument"""
    server = w.notification_server()
    w.logind()
    w.xdg_open()
    w.desktop()
    w.tap(uri("https://example.com/$(id);'x"))
    notified(server, 1)
    click(server, "open", 1, token="token-2")
    assert until(w.opened, "xdg-open runs") == ["1|https://example.com/$(id);'x|token-2"], w.opened()


@check
def only_listed_hosts(w):
    """a link opens without a click if its host is on the user's list, and no other does; a kiosk shows no notification"""
    server = w.notification_server()
    w.logind()
    w.xdg_open()
    w.desktop('[notifications]\nshow = false\n[open]\nhosts = ["example.com", "*.example.org"]')
    for link in ("https://other.example/", "https://example.com.evil.example/", "http://example.com/", "https://example.com:8443/", LINK):
        w.tap(uri(link))
    assert until(w.opened, "the link opens") == [f"1|{LINK}|"], w.opened()
    w.tap(uri("https://a.example.org/"))
    until(lambda: len(w.opened()) == 2, "the other host opens")
    assert not calls(server, "Notify")


@check
def hostile(w):
    """hostile contents show visible characters alone, on their own lines, without markup, and offer nothing to be opened"""
    server = w.notification_server()
    w.logind()
    w.xdg_open()
    process = w.desktop()
    assert len(MESSAGES) >= 30
    for index, message in enumerate(MESSAGES, 1):
        w.tap(message)
        _, _, _, summary, body, actions, _, _ = notified(server, index)[index - 1]
        assert "open" not in actions and "default" not in actions, (index, list(actions), body)
        found = [hex(ord(letter)) for letter in summary + body.replace("\n", "") if letter in INVISIBLE]
        assert not found, (index, found, body)
        assert body.count("\n") <= 1 and summary.isascii(), (index, body)
        # The mock takes markup, so that no element is left.
        assert "<" not in body and ">" not in body, (index, body)
        click(server, "open", index)
        click(server, "default", index)
    assert not w.opened() and process.poll() is None


@check
def locked(w):
    """nothing happens while the session is locked or in the background, and clicks from before do nothing then"""
    server = w.notification_server()
    w.logind()
    w.xdg_open()
    w.desktop('[open]\nhosts = ["listed.example"]')
    w.tap(uri(LINK))
    notified(server, 1)
    for states in ({"LockedHint": True}, {"LockedHint": False, "Active": False}):
        w.set_session(**states)
        for act in (lambda: w.tap(uri("https://listed.example/")), lambda: click(server, "open", 1)):
            count = w.log().count("the session is locked")
            act()
            until(lambda: w.log().count("the session is locked") > count, "it is ignored")
    w.set_session(Active=True)
    w.tap(text("again"))
    assert notified(server, 2)[1][4] == "again"
    assert len(calls(server, "Notify")) == 2 and not w.opened(), w.opened()


def send(connection, destination, path, interface, member, signature, *values):
    """Sends a signal to one connection, which gets it whatever it has asked for."""
    signal = dbus.lowlevel.SignalMessage(path, interface, member)
    signal.set_destination(destination)
    signal.append(*values, signature=signature)
    connection.send_message(signal)
    connection.flush()


def connections(connection, process):
    """The connections of a process to the bus."""
    bus = connection.get_object("org.freedesktop.DBus", "/org/freedesktop/DBus")
    owners = ((name, bus.GetConnectionUnixProcessID(name)) for name in connection.list_names() if name.startswith(":"))
    return [name for name, owner in owners if owner == process.pid]


@check
def forged_clicks(w):
    """a click that another program on the bus reports does nothing, and one of the notification service then opens the link"""
    server, portal = w.notification_server(), w.portal()
    w.logind()
    process = w.desktop()
    w.tap(uri(LINK))
    notified(server, 1)
    other = w.connection()
    for name in connections(other, process):
        for member, value in (("ActivationToken", "forged"), ("ActionInvoked", "open"), ("ActionInvoked", "copy")):
            send(other, name, NOTIFICATIONS[1], NOTIFICATIONS[0], member, "us", dbus.UInt32(1), value)
    # It comes after the others.
    click(server, "open", 1)
    opened = until(lambda: calls(portal, "OpenURI"), "the portal opens")
    assert [(link, dict(options)) for _, link, options in opened] == [(LINK, {})], opened


@check
def forged_consent(w):
    """an answer that another program gives for the RemoteDesktop portal does not count"""
    portal = w.remote_desktop()
    w.logind()
    w.environment["WAYLAND_DISPLAY"] = "wayland-none"
    process = w.desktop('[[typing]]\nreader = "simulated-0"\ncontent = "text"')
    other, is_over = w.connection(), threading.Event()

    def refuse():
        refused = dbus.UInt32(1), dbus.Dictionary({}, signature="sv")
        while not is_over.wait(0.002):
            for name in connections(other, process):
                for number in range(3):
                    path = f"/org/freedesktop/portal/desktop/request/{number}"
                    send(other, name, path, "org.freedesktop.portal.Request", "Response", "ua{sv}", *refused)

    forger = threading.Thread(target=refuse)
    forger.start()
    try:
        w.tap(text("a"))
        until(lambda: calls(portal, "NotifyKeyboardKeysym") or "refused" in w.log(), "the portal types")
    finally:
        is_over.set()
        forger.join()
    assert "refused" not in w.log(), w.log()[-500:]


@check
def screen_saver(w):
    """an active screen saver locks, before systemd-logind knows it"""
    server = w.notification_server()
    w.logind()
    saver = w.mock(("org.gnome.ScreenSaver", "/org/gnome/ScreenSaver"), "org.gnome.ScreenSaver")
    saver.AddMethod("org.gnome.ScreenSaver", "GetActive", "", "b", "ret = True")
    w.desktop()
    w.tap(text("first"))
    until(lambda: "a tap was ignored" in w.log(), "the tap is ignored")
    saver.AddMethod("org.gnome.ScreenSaver", "GetActive", "", "b", "ret = False")
    w.tap(text("second"))
    assert notified(server, 1)[0][4] == "second"


@check
def unknown_lock(w):
    """where nothing reports the lock, taps are ignored with the reason in the log, until the user decides otherwise"""
    server = w.notification_server()
    process = w.desktop()
    w.tap(text("first"))
    until(lambda: "Set unknown-lock in section [session]" in w.log(), "the reason is logged")
    assert not calls(server, "Notify")
    process.terminate()
    process.wait(20)
    (w.folder / "nfcd-desktop.log").write_text("")
    w.desktop('[session]\nunknown-lock = "unlocked"')
    w.tap(text("second"))
    assert notified(server, 1)[0][4] == "second"


@check
def twice(w):
    """a tag that is tapped again within two seconds acts once, and after them again"""
    server = w.notification_server()
    w.logind()
    w.desktop()
    tag = "04AABBCCDDEE01"
    w.tap(text("one"), identifier=tag)
    notified(server, 1)
    began = time.monotonic()
    w.lift(away=0.5)
    w.tap(text("one"), identifier=tag)
    until(lambda: "the same tag acted a moment ago" in w.log(), "the tap is ignored")
    w.tap(text("two"))
    assert [call[4] for call in notified(server, 2)] == ["one", "two"]
    until(lambda: time.monotonic() - began > 2, "two seconds")
    w.tap(text("three"), identifier=tag)
    found = notified(server, 3)
    # Each replaces the one before on the same reader.
    assert [(call[1] > 0, call[4]) for call in found] == [(False, "one"), (True, "two"), (True, "three")], found


@check
def only_matched(w):
    """with a filter, only the record that matched is shown and opened"""
    server = w.notification_server()
    w.logind()
    w.xdg_open()
    w.desktop('[taps]\nuri-host = "two.example"\n[open]\nhosts = ["one.example", "two.example"]')
    first = bytes([0x91, 1, 21]) + b"U\0https://one.example/"
    second = bytes([0x51, 1, 21]) + b"U\0https://two.example/"
    w.tap(text("other"))
    w.tap((first + second).hex().upper())
    assert notified(server, 1)[0][3] == "two.example: link"
    assert until(w.opened, "the link opens") == ["1|https://two.example/|"], w.opened()
    click(server, "details", 1)
    assert "one.example" not in notified(server, 2)[1][4]


@check
def reconnects(w):
    """taps reach it again after nfcd was started again, and the service ends with the session bus"""
    server = w.notification_server()
    w.logind()
    process = w.desktop()
    w.client.close()
    w.daemon.stop()
    until(lambda: "connecting again" in w.log(), "it notices the end of nfcd")
    w.start_nfcd()
    until(lambda: w.log().count("waiting for taps") == 2, "it is connected again")
    w.tap(text("again"))
    assert notified(server, 1)[0][4] == "again"
    process.terminate()
    assert process.wait(20) == 0


def examined(w):
    """What nfcctl doctor finds about the desktop: pairs of verdict and summary with detail."""
    doctor = subprocess.run(
        [w.programs / "nfcctl", "doctor", "--json", "--socket", w.daemon.socket], env=w.environment, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=60)
    found = [json.loads(line) for line in doctor.stdout.splitlines()]
    return [(finding["verdict"], f"{finding['summary']} {finding['detail']}") for finding in found if finding["check"] == "desktop"]


@check
def doctor(w):
    """nfcctl doctor finds what a session lacks, in the words of nfcd-desktop, and nothing once it has that"""
    w.environment["WAYLAND_DISPLAY"] = "wayland-none"
    assert [verdict for verdict, _ in examined(w)] == ["note"], examined(w)
    (w.folder / "bin/nfcd-desktop").symlink_to(w.programs / "nfcd-desktop")
    file = w.folder / ".config/nfcd/desktop.toml"
    file.parent.mkdir(parents=True)
    file.write_text('[[typing]]\nreader = "till"\n')
    found = examined(w)
    for words in ("No program shows notifications", "nothing reports whether your session is locked", "for taps on till, and cannot type"):
        assert sum(words in text for verdict, text in found if verdict == "warning") == 1, (words, found)
    assert ("note", "nfcd-desktop does not run in your session. ") in found and len(found) == 4, found
    w.notification_server()
    w.logind()
    w.remote_desktop()
    w.desktop()
    assert examined(w) == [("ok", "nfcd-desktop waits for taps. ")], examined(w)
    file.write_text('[[typing]]\n')
    found = examined(w)
    assert len(found) == 1 and found[0][0] == "warning" and f"{file} is invalid" in found[0][1], found
