"""Chromium and Firefox, headless, with the extension: what the checks do with a browser.

Both kinds of pages have the same methods: `evaluate` (an expression, which may be a promise; its value as JSON), `click` (a real one,
which counts as user activation), `go`, `show`, `hide` and `close`.
"""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

from wire import PATIENCE, BrowserError, Wire

EXTENSION = {"chromium": "lnpchfbnbpebodealjjcimoekolinkho", "firefox": "web-nfc@nfcd"}
# The address of the extension's own pages in Firefox, which is random otherwise.
FIREFOX_UUID = "5d1f0a52-6a4e-4b3c-9a51-0c8a1f6c2b7e"
HOST = "org.nfcd.web"
POINT = """(() => { const box = document.querySelector(%s).getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2]; })()"""


def until(condition, what, patience=PATIENCE):
    """Waits until a function returns something true, and returns that."""
    end = time.monotonic() + patience
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"not within {patience} s: {what}")
        time.sleep(0.02)


def manifest(path, programs, browser, allowed):
    """The host manifest of a browser, which names a program."""
    who = {"allowed_origins": [f"chrome-extension://{name}/" for name in allowed]} if browser == "chromium" else {
        "allowed_extensions": allowed}
    path.mkdir(parents=True, exist_ok=True)
    for name, program in programs.items():
        (path / f"{name}.json").write_text(json.dumps(
            {"name": name, "description": "nfcd", "path": str(program), "type": "stdio", **who}))


def listening(port):
    """The port and the path of DevTools, from the file that Chromium writes them to; None while it is not written whole."""
    lines = port.read_text().split("\n") if port.exists() else []
    return lines if len(lines) == 2 and lines[1] else None


class Browser:
    """A browser with its own profile in a folder."""

    kind = None

    def __init__(self, folder, extension, programs, environment, allowed=None):
        self.folder = pathlib.Path(folder)
        self.profile = self.folder / "profile"
        self.profile.mkdir(parents=True, exist_ok=True)
        self.extension = pathlib.Path(extension)
        self.environment = {**os.environ, "HOME": str(self.folder), **environment}
        self.log = open(self.folder / "browser.log", "ab")
        manifest(self.manifests, programs, self.kind, allowed or [EXTENSION[self.kind]])
        self.process = None
        self.start()

    def run(self, command):
        self.process = subprocess.Popen(
            command, env=self.environment, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, start_new_session=True)

    def kill(self, number=signal.SIGKILL):
        """Ends the browser with all its processes."""
        self.wire.close()
        if self.process.poll() is None:
            os.killpg(self.process.pid, number)
        self.process.wait()

    def close(self):
        if self.process:
            self.kill()
        self.log.close()

    def own(self, page):
        """The address of a page of the extension."""
        return f"{self.scheme}{page}"


class Page:
    """What the pages of both browsers share."""

    def click(self, selector, closes=False):
        """Clicks; `closes`: the click may close the page, and then has no answer."""
        x, y = self.evaluate(POINT % json.dumps(selector))
        try:
            self.press(x, y, 2 if closes else PATIENCE)
        except BrowserError:
            if not closes:
                raise


class Chromium(Browser):
    kind = "chromium"
    scheme = f"chrome-extension://{EXTENSION['chromium']}/"

    @property
    def manifests(self):
        return self.profile / "NativeMessagingHosts"

    def start(self):
        # Outside developer mode, Chromium disables an unpacked extension when it is reloaded.
        preferences = self.profile / "Default/Preferences"
        preferences.parent.mkdir(exist_ok=True)
        preferences.write_text(json.dumps({"extensions": {"ui": {"developer_mode": True}}}))
        port = self.profile / "DevToolsActivePort"
        port.unlink(missing_ok=True)
        self.run([
            shutil.which("chromium") or "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
            "--remote-debugging-port=0", f"--user-data-dir={self.profile}", f"--load-extension={self.extension}",
            "--host-resolver-rules=MAP *.nfcd.test 127.0.0.1", "--window-size=1000,800", "about:blank"])
        lines = until(lambda: listening(port), "Chromium listens")
        self.wire = Wire(f"ws://127.0.0.1:{lines[0]}{lines[1]}")
        until(lambda: self.worker() is not None, "the extension runs")

    def targets(self):
        return self.wire.call("Target.getTargets")["targetInfos"]

    def worker(self):
        return next((t["targetId"] for t in self.targets() if t["type"] == "service_worker" and t["url"].startswith(self.scheme)), None)

    def open(self, address, window=False):
        target = self.wire.call("Target.createTarget", url="about:blank", newWindow=window)["targetId"]
        page = ChromiumPage(self, target)
        page.go(address)
        return page

    def question(self):
        """The window with the extension's question."""
        def find():
            return next((t["targetId"] for t in self.targets() if t["type"] == "page" and t["url"] == self.own("ui/question.html")), None)
        return ChromiumPage(self, until(find, "the extension asks"))

    def has_question(self):
        return any(t["url"] == self.own("ui/question.html") for t in self.targets())

    def in_background(self, expression):
        """Evaluates in the extension's background."""
        background = ChromiumPage(self, until(self.worker, "the extension's background runs"))
        until(lambda: background.evaluate("globalThis.chrome?.storage !== undefined"), "the extension's background has begun")
        return background.evaluate(expression)

    def reload_extension(self):
        old = until(self.worker, "the extension's background runs")
        # The page of the extension is closed with it, perhaps before it answers.
        try:
            self.open(self.own("ui/options.html")).evaluate("void setTimeout(() => chrome.runtime.reload())", 5)
        except BrowserError:
            pass
        until(lambda: self.worker() != old, "the extension ends")

    def stop_background(self):
        """Ends the service worker, as the browser does when nothing happens."""
        target = until(self.worker, "the extension's background runs")
        ChromiumPage(self, target).close()


class ChromiumPage(Page):
    def __init__(self, browser, target):
        self.browser, self.wire, self.target = browser, browser.wire, target
        self.session = self.wire.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def command(self, method, patience=PATIENCE, **params):
        return self.wire.call(method, patience, session=self.session, **params)

    def evaluate(self, expression, patience=PATIENCE):
        result = self.command(
            "Runtime.evaluate", patience, expression=expression, awaitPromise=True, returnByValue=True, replMode=False)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description") or details["text"])
        return result["result"].get("value")

    def go(self, address):
        self.command("Page.enable")
        answer = self.command("Page.navigate", url=address)
        if answer.get("errorText"):
            raise BrowserError(f"{address}: {answer['errorText']}")
        until(lambda: self.is_loaded(address), f"{address} is loaded")

    def is_loaded(self, address):
        try:
            return self.evaluate("document.readyState === 'complete' && location.href !== 'about:blank'") or address == "about:blank"
        except BrowserError:
            return False

    def press(self, x, y, patience):
        for kind, limit in (("mousePressed", PATIENCE), ("mouseReleased", patience)):
            self.command("Input.dispatchMouseEvent", limit, type=kind, x=x, y=y, button="left", clickCount=1)

    def show(self):
        self.wire.call("Target.activateTarget", targetId=self.target)

    def close(self):
        self.wire.call("Target.closeTarget", targetId=self.target)

    def picture(self):
        """The page as PNG, in base64."""
        return self.command("Page.captureScreenshot", format="png")["data"]

    def resize(self, width, height):
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)


class Firefox(Browser):
    kind = "firefox"
    scheme = f"moz-extension://{FIREFOX_UUID}/"

    @property
    def manifests(self):
        return self.folder / ".mozilla/native-messaging-hosts"

    def start(self):
        port = free_port()
        preferences = {
            "extensions.webextensions.uuids": json.dumps({EXTENSION["firefox"]: FIREFOX_UUID}),
            "network.dns.localDomains": "pages.nfcd.test",
            "browser.shell.checkDefaultBrowser": False, "browser.startup.page": 0, "datareporting.policy.dataSubmissionEnabled": False,
            "toolkit.telemetry.enabled": False, "app.update.enabled": False, "dom.disable_beforeunload": True,
            "browser.tabs.remote.separatePrivilegedContentProcess": False, "remote.prefs.recommended": True,
            "dom.security.https_first": False,
        }
        (self.profile / "user.js").write_text("".join(
            f"user_pref({json.dumps(key)}, {json.dumps(value)});\n" for key, value in preferences.items()))
        self.run(["firefox-esr", "--headless", "--no-remote", "--remote-allow-system-access", "--profile", str(self.profile), "--remote-debugging-port", str(port)])

        def connect():
            try:
                return Wire(f"ws://127.0.0.1:{port}/session")
            except (OSError, Exception):  # noqa: BLE001  the library has its own errors for a port that is not open yet
                return None
        self.wire = until(connect, "Firefox listens")
        self.wire.call("session.new", capabilities={})
        self.install()

    def install(self):
        self.wire.call("webExtension.install", extensionData={"type": "path", "path": str(self.extension)})

    def open(self, address, window=False):
        context = self.wire.call("browsingContext.create", type="window" if window else "tab")["context"]
        page = FirefoxPage(self, context)
        page.go(address)
        return page

    def contexts(self):
        return self.wire.call("browsingContext.getTree", maxDepth=0)["contexts"]

    def question(self):
        def find():
            return next((c["context"] for c in self.contexts() if c["url"] == self.own("ui/question.html")), None)
        return FirefoxPage(self, until(find, "the extension asks"))

    def has_question(self):
        return any(c["url"] == self.own("ui/question.html") for c in self.contexts())

    def in_background(self, expression):
        """Evaluates in a page of the extension, which has the same interfaces as the background."""
        # A separate window: the tab in front stays visible.
        page = self.open(self.own("ui/options.html"), window=True)
        try:
            return page.evaluate(expression)
        finally:
            page.close()

    def reload_extension(self):
        self.install()


class FirefoxPage(Page):
    def __init__(self, browser, context):
        self.browser, self.wire, self.context = browser, browser.wire, context

    def evaluate(self, expression, patience=PATIENCE):
        # The value goes through JSON, so that it is the same as from Chromium.
        result = self.wire.call(
            "script.evaluate", patience, expression=f"(async () => JSON.stringify(await eval({json.dumps(expression)})))()",
            target={"context": self.context}, awaitPromise=True)
        if result["type"] == "exception":
            raise BrowserError(result["exceptionDetails"]["text"])
        value = result["result"].get("value")
        return None if value is None else json.loads(value)

    def go(self, address):
        self.wire.call("browsingContext.navigate", context=self.context, url=address, wait="complete")

    def press(self, x, y, patience):
        self.wire.call("input.performActions", patience, context=self.context, actions=[{
            "type": "pointer", "id": "mouse", "actions": [
                {"type": "pointerMove", "x": int(x), "y": int(y)}, {"type": "pointerDown", "button": 0},
                {"type": "pointerUp", "button": 0}]}])

    def show(self):
        self.wire.call("browsingContext.activate", context=self.context)

    def close(self):
        self.wire.call("browsingContext.close", context=self.context)

    def picture(self):
        return self.wire.call("browsingContext.captureScreenshot", context=self.context)["data"]

    def resize(self, width, height):
        self.wire.call("browsingContext.setViewport", context=self.context, viewport={"width": width, "height": height})


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


BROWSERS = {"chromium": Chromium, "firefox": Firefox}
