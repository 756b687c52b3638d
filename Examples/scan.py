#!/usr/bin/env python3
"""Scans one tag and prints the URLs on it. Requires only Python's standard library."""

import json
import os
import socket
import sys

path = os.environ.get("NFCD_SOCKET", "/run/nfcd/nfcd.sock")
connection = socket.socket(socket.AF_UNIX)
try:
    connection.connect(path)
except OSError as error:
    sys.exit(f"cannot connect to nfcd on {path}: {error.strerror}")
lines = connection.makefile("rw", encoding="utf-8", newline="\n")

# Requests and answers are JSON-RPC 2.0, one object a line.
request = {"jsonrpc": "2.0", "id": 1, "method": "session.begin", "params": {"kind": "ndef"}}
request["params"]["invalidateAfterFirstRead"] = True
lines.write(json.dumps(request) + "\n")
lines.flush()

for line in lines:
    message = json.loads(line)
    method, params = message.get("method"), message.get("params")
    if "error" in message:
        sys.exit(f"request failed: {message['error']['message']}")
    if method == "session.didBecomeActive":
        print("Hold a tag to the reader.", file=sys.stderr)
    elif method == "session.didDetectNDEFs":
        if "error" in params:
            print(f"{params['error']['message']}: {params['error']['detail']}", file=sys.stderr)
        for record in (record for ndef in params["messages"] for record in ndef["records"]):
            if record.get("decoded", {}).get("kind") == "uri":
                print(record["decoded"]["uri"])
    elif method == "session.didInvalidate":
        # 204: the session ended because a message was read, as requested.
        sys.exit(0 if params["code"] == 204 else f"{params['message']}: {params['detail']}")
sys.exit("nfcd closed the connection")
