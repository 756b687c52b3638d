"""Answers like Spoolman and Moonraker do, and prints its port and then a line for each request: method, path and body."""

import http.server
import json
import sys

SCAN = {"matched_spool_id": 7}
ANSWERS = {
    "/api/v1/tag/scan": (200, SCAN),
    "/api/v1/spool/7/tag": (201, {"added": "2026-01-01T00:00:00Z"}),
    "/server/spoolman/proxy": (200, {"result": {"response": SCAN, "error": None}}),
    "/server/spoolman/spool_id": (200, {"result": {"spool_id": 7}}),
}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        print(self.command, self.path, body, flush=True)
        status, answer = ANSWERS.get(self.path, (404, {"message": "Not Found"}))
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
try:
    server.serve_forever()
except KeyboardInterrupt:
    sys.exit()
