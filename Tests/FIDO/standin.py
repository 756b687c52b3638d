"""A stand-in for the kernel's /dev/uhid: a Unix socket of type SOCK_SEQPACKET, one connection for each HID device, one uhid_event for
each packet (Linux, include/uapi/linux/uhid.h). Programs open its devices as they open hidraw nodes."""

import queue
import socket
import struct
import threading

from fido2.hid.base import CtapHidConnection, HidDescriptor

DESTROY, START, OPEN, CLOSE, OUTPUT, CREATE2, INPUT2 = 1, 2, 4, 5, 6, 11, 12
REPORT = 64


class Device:
    """A HID device that nfcd-fido created."""

    def __init__(self, kernel, connection, creation):
        self.kernel, self.connection = kernel, connection
        self.name = creation[4:132].rstrip(b"\0").decode()
        self.unique = creation[196:260].rstrip(b"\0").decode()
        size, self.bus, self.vendor, self.product = struct.unpack_from("<HHII", creation, 260)
        self.descriptor = creation[280:280 + size]
        self.nodes, self.lock, self.is_gone = [], threading.Lock(), threading.Event()

    def open(self):
        """Opens a node of the device, as open(2) of /dev/hidrawN."""
        node = Node(self)
        with self.lock:
            self.nodes.append(node)
            if len(self.nodes) == 1:
                self.send(struct.pack("<I", OPEN))
        return node

    def close(self, node):
        with self.lock:
            if node in self.nodes:
                self.nodes.remove(node)
                if not self.nodes:
                    self.send(struct.pack("<I", CLOSE))

    def send(self, event):
        try:
            self.connection.send(event)
        except OSError:
            self.is_gone.set()

    def output(self, report):
        """A report of a program; hidraw puts the report number in front."""
        data = b"\0" + report
        self.send(struct.pack("<I", OUTPUT) + data.ljust(4096, b"\0") + struct.pack("<HB", len(data), 1))

    def serve(self):
        """Passes reports to every open node until the device is destroyed."""
        while True:
            try:
                event = self.connection.recv(8192)
            except OSError:
                event = b""
            if len(event) < 4 or struct.unpack_from("<I", event)[0] == DESTROY:
                break
            if struct.unpack_from("<I", event)[0] == INPUT2:
                size = struct.unpack_from("<H", event, 4)[0]
                with self.lock:
                    for node in self.nodes:
                        node.reports.put(event[6:6 + size])
        self.is_gone.set()
        with self.lock:
            for node in self.nodes:
                node.reports.put(None)
        self.connection.close()
        self.kernel.remove(self)


class Node(CtapHidConnection):
    """An open node of a device, as python-fido2 uses it."""

    PATIENCE = 60

    def __init__(self, device):
        self.device, self.reports = device, queue.Queue()

    def read_packet(self):
        report = self.reports.get(timeout=self.PATIENCE)
        if report is None:
            raise OSError("the device is gone")
        return report

    def write_packet(self, data):
        self.device.output(data)

    def close(self):
        self.device.close(self)

    def descriptor(self):
        return HidDescriptor(
            self.device.unique, self.device.vendor, self.device.product, REPORT, REPORT, self.device.name, None)


class Kernel:
    """Takes the devices that nfcd-fido creates."""

    def __init__(self, path):
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listener.bind(path)
        self.listener.listen(64)
        self.devices, self.changed = [], threading.Condition()
        self.created = 0
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        creation = connection.recv(8192)
        if len(creation) < 4380 or struct.unpack_from("<I", creation)[0] != CREATE2:
            connection.close()
            return
        device = Device(self, connection, creation)
        with self.changed:
            self.devices.append(device)
            self.created += 1
            self.changed.notify_all()
        device.send(struct.pack("<IQ", START, 0))
        device.serve()

    def remove(self, device):
        with self.changed:
            if device in self.devices:
                self.devices.remove(device)
            self.changed.notify_all()

    def wait(self, count=1, patience=60):
        """The devices, once there are as many."""
        with self.changed:
            if not self.changed.wait_for(lambda: len(self.devices) == count, patience):
                raise AssertionError(f"{len(self.devices)} HID devices instead of {count}")
            return list(self.devices)
