"""Brokers of the tests: one mosquitto, or a cluster of NATS servers with their MQTT gateway."""

import os
import pathlib
import shutil
import sys

from mqtt import Connection
from programs import Program, wait_for
from sinks import free_port


def installed(program):
    """The path of a broker's program."""
    return shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin") or sys.exit(
        f"soak: {program} is missing; run Scripts/setup --tests")


class Mosquitto(Program):
    """A mosquitto with persistence as Debian configures it: sessions and messages are saved when it is stopped, not when killed."""

    def __init__(self, folder, port):
        self.port = port
        data = os.path.join(folder, "mosquitto")
        os.mkdir(data)
        path = pathlib.Path(folder, "mosquitto.conf")
        user = "user root\n" if os.geteuid() == 0 else ""
        path.write_text(
            f"listener {port} 127.0.0.1\nallow_anonymous true\n{user}persistence true\npersistence_location {data}/\n"
            "max_queued_messages 100000\n")
        super().__init__("mosquitto", [installed("mosquitto"), "-c", str(path)], folder)


class Broker:
    """A broker as the fleet sees it: nodes that clients are spread over."""

    def __init__(self, name, nodes):
        self.name, self.nodes = name, nodes

    @property
    def ports(self):
        return [node.port for node in self.nodes]

    def start(self):
        """Starts all nodes; clients can connect to each when it returns."""
        for node in self.nodes:
            node.start()
        for node in self.nodes:
            wait_for(lambda: accepts_clients(node.port), f"the start of {node.name}, whose log is {node.log},")

    def kill(self):
        for node in self.nodes:
            node.kill()


def accepts_clients(port):
    try:
        Connection(port, "soak-probe", clean=True).close()
    except OSError:
        return False
    return True


def mosquitto(folder):
    return Broker("mosquitto", [Mosquitto(folder, free_port())])


def nats(folder):
    """A cluster of three nodes that replicate every message three times."""
    routes = [free_port() for _ in range(3)]
    return Broker("NATS cluster", [node(folder, index, routes) for index in range(len(routes))])


def node(folder, index, routes):
    port = free_port()
    path = pathlib.Path(folder, f"nats-{index}.conf")
    others = ", ".join(f'"nats://127.0.0.1:{route}"' for route in routes if route != routes[index])
    path.write_text(
        f"server_name: node-{index}\nlisten: 127.0.0.1:-1\n"
        f'jetstream {{ store_dir: "{folder}/nats-{index}" }}\n'
        f"mqtt {{ listen: 127.0.0.1:{port}, stream_replicas: 3 }}\n"
        f"cluster {{ name: soak, listen: 127.0.0.1:{routes[index]}, routes: [{others}] }}\n")
    program = Program(f"nats-{index}", [installed("nats-server"), "-c", str(path)], folder)
    program.port = port
    return program
