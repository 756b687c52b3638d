"""A connection to a browser: JSON messages over a WebSocket, answers by their number (Chrome DevTools Protocol, WebDriver BiDi)."""

import itertools
import json
import threading

import websocket

PATIENCE = 60


class BrowserError(Exception):
    """What the browser answered instead of a result."""


class Wire:
    def __init__(self, address):
        self.socket = websocket.create_connection(address, suppress_origin=True, timeout=None)
        self.numbers = itertools.count(1)
        self.waiting = {}
        self.lock = threading.Condition()
        self.closed = False
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        try:
            while True:
                text = self.socket.recv()
                if not text:
                    break
                message = json.loads(text)
                with self.lock:
                    if message.get("id") in self.waiting:
                        self.waiting[message["id"]] = message
                        self.lock.notify_all()
        except (OSError, ValueError, websocket.WebSocketException):
            pass
        with self.lock:
            self.closed = True
            self.lock.notify_all()

    def call(self, method, patience=PATIENCE, session=None, **params):
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        with self.lock:
            self.waiting[number] = None
        try:
            self.socket.send(json.dumps(message))
        except (OSError, websocket.WebSocketException) as error:
            raise BrowserError(f"{method}: {error}") from error
        with self.lock:
            self.lock.wait_for(lambda: self.waiting[number] or self.closed, patience)
            answer = self.waiting.pop(number)
        if answer is None:
            raise BrowserError(f"{method}: no answer" + (", the browser has ended" if self.closed else f" in {patience} s"))
        if answer.get("error"):
            raise BrowserError(f"{method}: {answer['error']} {answer.get('message', '')}")
        return answer["result"]

    def close(self):
        try:
            self.socket.close()
        except (OSError, websocket.WebSocketException):
            pass
