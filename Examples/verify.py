#!/usr/bin/env python3
"""A web server for the URLs that NTAG 424 DNA tags write: it answers 200 if the tag is genuine and the URL is new, and 403 otherwise.

    python3 verify.py --keys keys.toml --counters door.counters [--host HOST] [--port PORT]

Requires the package nfcd with its extra: pip install "nfcd[sun]". It speaks HTTP: put a server with TLS in front of it, which passes on
path and query unchanged.
"""

import argparse
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import nfcd
from nfcd import sun

# An unknown tag, a wrong code and any other address have one answer: a stranger learns nothing from it.
REFUSAL = "This link does not prove that a tag is genuine.\n"
REFUSALS = {
    "replayed": "This link was used before. Hold your phone to the tag again.\n",
    "tamperOpen": "The tag is genuine, but its seal was opened.\n",
}


class Handler(BaseHTTPRequestHandler):
    """Answers one connection."""

    server: "Server"
    timeout = 10

    def do_GET(self) -> None:
        try:
            proof = self.server.verify(self.path)
        except sun.CounterFileError as error:
            # What is not stored proves nothing.
            print(f"verify: {error}", file=sys.stderr, flush=True)
            return self.answer(503, "Try again later.\n")
        # The URL is not logged: until its counter is used, whoever reads it can use it.
        print(proof.status, proof.identifier or "-", proof.counter or "-", flush=True)
        if proof.is_proven:
            self.answer(200, f"This tag is genuine. Its number is {proof.identifier}, and it was read {proof.counter} times.\n")
        else:
            self.answer(403, REFUSALS.get(proof.status, REFUSAL))

    def answer(self, status: int, text: str) -> None:
        content = text.encode()
        self.send_response(status)
        for name, value in (
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Content-Length", str(len(content))),
            ("Cache-Control", "no-store"),
            ("Referrer-Policy", "no-referrer"),
        ):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments: object) -> None:
        """Logs nothing: the lines of the library have the URL."""


class Server(ThreadingHTTPServer):
    """A thread for each connection; keys and counters are shared."""

    def __init__(self, address: "tuple[str, int]", keys: str, counters: str) -> None:
        self.verifier = sun.Verifier(sun.load_keys(keys))
        self.counters = sun.CounterFile(counters)
        super().__init__(address, Handler)

    def verify(self, target: str) -> sun.Proof:
        """Verifies path and query of a request. The counter is on the disk before a success is returned."""
        return self.verifier.verify(target, self.counters)


def main() -> int:
    parser = argparse.ArgumentParser(description="Verifies the URLs of tags.")
    parser.add_argument("--keys", default="/etc/nfcd/keys.toml", help="the key file of nfcd (default: %(default)s)")
    parser.add_argument("--counters", required=True, help="the file of the counters that were seen; it is made where it is missing")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8424)
    arguments = parser.parse_args()
    try:
        with Server((arguments.host, arguments.port), arguments.keys, arguments.counters) as server:
            print(f"listening on port {server.server_port}", file=sys.stderr, flush=True)
            server.serve_forever()
    except (nfcd.Error, ImportError, OSError) as error:
        print(f"verify: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
