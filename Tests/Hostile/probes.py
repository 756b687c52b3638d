"""What one hostile client tries once, and what has to come of it. Each probe returns what it saw, and whether that is right."""

import json
import threading
import time

from figures import Figure
from floods import MANY_RECORDS, RECORDS, begin_lines, many
from wire import FORK, MIB, Client, Closed, Refused, Worker, idle_connections, request


def answers(client, count):
    """The next answers, in the order in which they come."""
    return [client.line()[0] for _ in range(count)]


def pipelining(path):
    """20,000 requests, sent while nothing is read for a second: all are answered, in order."""
    count = 20_000
    with Client(path, 600) as client:
        requests = b"".join(request("server.info", {}, number) for number in range(count))
        sender = threading.Thread(target=send_all, args=(client.socket, requests), daemon=True)
        sender.start()
        time.sleep(1)
        numbers = [answer["id"] for answer in answers(client, count)]
        return f"{len(numbers)} of {count}", numbers == list(range(count))


def huge_batch(path):
    """A batch of 21,000 requests is refused as a whole, and the connection continues."""
    with Client(path) as client:
        calls = ",".join(['{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}'] * 21_000)
        client.send(f"[{calls}]\n".encode())
        answer, _ = client.line()
        client.call("server.info")
        return f"error {answer['error']['code']}" if "error" in answer else "carried out", (
            isinstance(answer, dict) and answer.get("error", {}).get("code") == -32600)


def batch_of_documents(path):
    """The largest batch that is allowed, of requests with long answers: one line within the limit."""
    with Client(path) as client:
        limit = client.call("server.info")["limits"]["requestsPerBatch"]
        calls = ",".join(f'{{"jsonrpc":"2.0","id":{number},"method":"rpc.discover"}}' for number in range(limit))
        client.send(f"[{calls}]\n".encode())
        _, length = client.line()
        return f"{length} bytes", length <= MIB


def no_request(path):
    """An object that is not a request is answered with -32600 and id null."""
    with Client(path) as client:
        client.send(b'{}\n{"jsonrpc":"2.0"}\n{"id":5}\n')
        seen = [(answer["error"]["code"], answer["id"]) for answer in answers(client, 3)]
        return f"{seen}", seen == [(-32600, None), (-32600, None), (-32600, 5)]


def long_texts(path):
    """A text of 1 MiB is refused, and `sessions.list` works with the longest texts that are allowed."""
    with Client(path) as client:
        begin = {"kind": "tag", "readers": ["simulated-0"], "whenBusy": "queue"}
        code = client.error("session.begin", {**begin, "alertMessage": "x" * (MIB - 400)})
        if code is None:
            return "a text of 1 MiB is accepted", False
        for _ in range(16):
            client.call("session.begin", {**begin, "alertMessage": "y" * 1024})
        try:
            count = len(client.call("sessions.list"))
        except Refused as refused:
            return f"sessions.list: {refused.code}", False
        return f"error {code}, {count} sessions", code == -32602 and count == 16


def long_lists(path):
    """A session may not name 90,000 readers."""
    with Client(path) as client:
        names = [f"r{number}" for number in range(90_000)]
        code = client.error("session.begin", {"kind": "tag", "readers": names, "whenBusy": "queue"})
        return f"error {code}", code == -32602


def many_records(path):
    """A tag of 13,000 records is delivered whole, and no line is over 1 MiB."""
    with Client(path) as client, Client(path) as presenter:
        client.call("background.subscribe", {"filter": {}})
        presenter.call("simulator.present", {"model": "type4-extended", "reader": "simulated-0", "ndef": MANY_RECORDS})
        while True:
            notification, length = client.line()
            if notification.get("method") == "background.didReadTag":
                break
        message = notification["params"]["messages"][0]
        whole = len(message.get("records", [])) == RECORDS or message.get("encoded") == MANY_RECORDS
        return f"{length} bytes, {'whole' if whole else list(message)}", length <= MIB and whole


def long_line(path):
    """A line over 1 MiB is answered with an error, and then the connection ends."""
    with Client(path) as client:
        sender = threading.Thread(target=send_all, args=(client.socket, b"x" * (2 * MIB)), daemon=True)
        sender.start()
        answer, _ = client.line()
        try:
            client.line()
            ended = False
        except (Closed, OSError):
            ended = True
        return f"error {answer['error']['code']}", answer["error"]["code"] == -32600 and ended


def send_all(connection, data):
    """Sends until the other side has enough."""
    try:
        connection.sendall(data)
    except OSError:
        pass


def hold_connections(path, count, end):
    """In a process of a user: opens connections, reports how many nfcd serves, and holds them while another user calls."""
    idle = idle_connections(path, count, 5)
    answered = 0
    for connection in idle:
        connection.settimeout(5)
        try:
            connection.sendall(request("server.info", {}, 1))
            answered += b'"result"' in connection.recv(1 << 16)
        except OSError:
            pass
    end.send(answered)
    end.recv()
    for connection in idle:
        connection.close()


def connections(path, user):
    """4,088 connections of one user: another user, root here, still gets an answer."""
    here, there = FORK.Pipe()
    holder = Worker(hold_connections, path, 4_088, there, user=user)
    answered = here.recv() if here.poll(120) else -1
    try:
        with Client(path, 10) as client:
            client.call("server.info")
            return f"{answered} served, root too", 0 < answered < 4_088
    except (OSError, Closed):
        return f"{answered} served, root not", False
    finally:
        here.send(None)
        holder.wait(60)


def unfinished_lines(path):
    """200 lines of nearly 1 MiB that do not end: another client is answered."""
    with many(path, 200) as connections:
        begin_lines(connections)
        with Client(path, 20) as client:
            client.call("readers.list")
    return "answered", True


def deep_nesting(path):
    """100,000 brackets are an error, and nfcd continues."""
    with Client(path) as client:
        client.send(b"[" * 100_000 + b"\n" + b'{"a":' * 100_000 + b"\n")
        codes = [answer["error"]["code"] for answer in answers(client, 2)]
        return f"{codes}", all(code in (-32700, -32600) for code in codes)


# Each is tried with its own nfcd.
PROBES = [
    pipelining, huge_batch, batch_of_documents, no_request, long_texts, long_lists, many_records, long_line, unfinished_lines,
    deep_nesting,
]


def tried(probe, path, *arguments):
    """What a probe saw, as a figure."""
    try:
        measured, is_right = probe(path, *arguments)
    except (Closed, Refused, OSError, KeyError, TypeError, json.JSONDecodeError) as error:
        measured, is_right = f"{type(error).__name__}: {error}", False
    return Figure(f"probe: {probe.__name__.replace('_', ' ')}", measured, "", is_right)


def figures(running, user):
    """Tries all probes; `running` starts an nfcd, `user` is the attacker."""
    for probe in PROBES:
        with running() as daemon:
            yield tried(probe, daemon.socket)
    if user is not None:
        with running() as daemon:
            yield tried(connections, daemon.socket, user)
