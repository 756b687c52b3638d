"""Opens the site of the documentation in Chromium, from the file system and from a server. See Scripts/checks/check-site."""

import functools
import http.server
import pathlib
import sys
import tempfile
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/Web"))
from browsers import Chromium, listening, until  # noqa: E402
from wire import Wire  # noqa: E402

SITE = ROOT / ".build/docs"
RESULTS = "[...document.querySelectorAll('.md-search-result__link')].map(link => link.href)"
ERRORS = "addEventListener('error', event => (window.siteErrors ??= []).push(event.message ?? String(event.target?.src)), true)"


class Browser(Chromium):
    """Chromium without an extension and without a network."""

    def start(self):
        port = self.profile / "DevToolsActivePort"
        self.run([
            "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--disable-dev-shm-usage", "--remote-debugging-port=0",
            f"--user-data-dir={self.profile}", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "about:blank"])
        lines = until(lambda: listening(port), "Chromium listens")
        self.wire = Wire(f"ws://127.0.0.1:{lines[0]}{lines[1]}")


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


class SiteInBrowser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="nfcd-site.")
        cls.addClassCleanup(folder.cleanup)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=SITE))
        threading.Thread(target=server.serve_forever).start()
        cls.addClassCleanup(server.server_close)
        cls.addClassCleanup(server.shutdown)
        cls.places = [f"file://{SITE}", f"http://127.0.0.1:{server.server_port}"]
        browser = Browser(folder.name, folder.name, {}, {})
        cls.addClassCleanup(browser.close)
        cls.page = browser.open("about:blank")
        cls.page.command("Page.addScriptToEvaluateOnNewDocument", source=ERRORS)

    def opened(self, place, path):
        """The page, which has loaded nothing from elsewhere and whose scripts run without an error."""
        self.page.go(f"{place}/{path}")
        self.assertEqual(self.page.evaluate("window.siteErrors ?? []"), [], path)
        foreign = "performance.getEntriesByType('resource').map(entry => entry.name).filter(name => !name.startsWith('blob:'))"
        for name in self.page.evaluate(foreign):
            self.assertTrue(name.startswith(f"{place}/"), f"{path} loads {name}")
        return self.page

    def found(self, place, path, words):
        page = self.opened(place, f"{path}?q={words}")
        return until(lambda: page.evaluate(RESULTS), f"a search for {words} finds something")

    def test_a_search_finds_sections_and_leads_to_them(self):
        for place in self.places:
            links = self.found(place, "index.html", "journal+acknowledge")
            link = next((link for link in links if link.startswith(f"{place}/Docs/taps.html") and "#" in link), None)
            self.assertIsNotNone(link, links)
            page = self.opened(place, link[len(place) + 1:])
            self.assertTrue(page.evaluate("document.getElementById(decodeURIComponent(location.hash.slice(1))) !== null"), link)

    def test_a_search_from_any_page_finds_the_types_of_the_libraries(self):
        for place in self.places:
            links = self.found(place, "Docs/guides/watch.html", "NDEFMessage")
            self.assertTrue(any(link.startswith(f"{place}/Docs/reference.html") for link in links), links)

    def test_a_search_without_a_result_says_so(self):
        page = self.opened(self.places[0], "Docs/ndef.html?q=xyzzy")
        until(lambda: "No matching documents" in page.evaluate("document.querySelector('.md-search-result').textContent"), "it says so")

    def test_the_button_of_a_block_copies_its_code(self):
        for place in self.places:
            page = self.opened(place, "Docs/ndef.html")
            # A block gets its button when it comes into sight.
            page.evaluate("document.querySelector('pre').scrollIntoView({block: 'center'})")
            until(lambda: page.evaluate("document.querySelector('pre .md-clipboard') !== null"), "there is a button")
            page.evaluate("document.addEventListener('copy', () => { window.siteCopied = document.activeElement.value }), null")
            page.click("pre .md-clipboard")
            copied = until(lambda: page.evaluate("window.siteCopied"), "the button copies")
            self.assertEqual(copied.strip(), page.evaluate("document.querySelector('pre code').textContent.trim()"))

    def test_no_page_is_wider_than_a_telephone(self):
        # Tables and code scroll in themselves. DocC's pages and 404.html need a server.
        self.page.resize(390, 800)
        self.addCleanup(self.page.command, "Emulation.clearDeviceMetricsOverride")
        pages = [path for path in SITE.rglob("*.html") if SITE / "reference" not in path.parents]
        self.assertGreater(len(pages), 30)
        for path in [*pages, SITE / "reference/documentation/ndef/ndefmessage/index.html"]:
            page = self.opened(self.places[1], str(path.relative_to(SITE)).removesuffix("index.html"))
            until(lambda: page.evaluate("document.querySelector('h1') !== null"), f"{path} is shown")
            over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            self.assertEqual(over, 0, f"{path} is wider than the screen")

    def test_the_reference_describes_a_type_and_an_article(self):
        for path, name, text in [("reference.html", "NDEFMessage", "NDEFRecord"), ("iphone.html", "From an iPhone", "Info.plist")]:
            page = self.opened(self.places[1], f"Docs/{path}")
            link = page.evaluate(f"[...document.querySelectorAll('article a')].find(link => link.textContent.startsWith({name!r})).href")
            page = self.opened(self.places[1], link[len(self.places[1]) + 1:])
            until(lambda: text in page.evaluate("document.querySelector('main')?.textContent ?? ''"), f"{link} shows {text}")


if __name__ == "__main__":
    unittest.main()
