#!/usr/bin/python3
"""The native-messaging host of a test build: moves virtual tags on nfcd's simulated readers, one command at a time.

{"name": "put", "tag": …}   puts a tag on the reader, instead of the one there
{"name": "show", "tag": …}  puts a tag on the reader, unless one lies there
{"name": "hide"}            lifts the tag that "show" put there
{"name": "lift"}            lifts the tag
{"name": "plug", "connected": …}   plugs all readers in or out
"""

import itertools
import json
import os
import socket
import struct
import sys


class Simulator:
    def __init__(self):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(os.environ["NFCD_SOCKET"])
        self.lines = self.socket.makefile("r")
        self.numbers = itertools.count(1)
        self.tag, self.is_shown, self.connected = None, False, True

    def call(self, method, **params):
        number = next(self.numbers)
        self.socket.sendall(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n")
        for line in self.lines:
            answer = json.loads(line)
            if answer.get("id") == number:
                return answer
        sys.exit("nfcd ended")

    def put(self, tag):
        self.lift()
        answer = self.call("simulator.present", **tag)
        if "error" in answer:
            return answer["error"]["message"]
        self.tag = answer["result"]["presentation"]

    def lift(self):
        # It may have been torn away, or gone with its reader.
        if self.tag:
            self.call("simulator.remove", presentation=self.tag)
        self.tag, self.is_shown = None, False

    def plug(self, connected):
        if connected == self.connected:
            return
        self.connected = connected
        self.tag = None
        for number in (0, 1):
            self.call("simulator.plug", reader=f"simulated-{number}", connected=connected)

    def carry_out(self, command):
        match command["name"]:
            case "put":
                return self.put(command["tag"])
            case "show":
                if not self.tag and self.connected:
                    error = self.put(command["tag"])
                    self.is_shown = True
                    return error
            case "hide":
                if self.is_shown:
                    self.lift()
            case "lift":
                self.lift()
            case "plug":
                self.plug(command["connected"])
            case name:
                return f"unknown command {name}"


def main():
    simulator = Simulator()
    while header := sys.stdin.buffer.read(4):
        command = json.loads(sys.stdin.buffer.read(struct.unpack("=I", header)[0]))
        error = simulator.carry_out(command)
        answer = json.dumps({"error": error} if error else {}).encode()
        sys.stdout.buffer.write(struct.pack("=I", len(answer)) + answer)
        sys.stdout.buffer.flush()


main()
