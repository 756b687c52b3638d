"""A USB bus with virtual devices: umockdev answers what libusb asks of usbdevfs and sysfs, in the processes that preload it.

Requests are those of linux/usbdevice_fs.h; the offsets are those of struct usbdevfs_urb on 64-bit systems.
"""

import errno
import struct
import threading
import time
import traceback

import gi

gi.require_version("UMockdev", "1.0")
from gi.repository import UMockdev  # noqa: E402

BUS = "/devices/pci0000:00/0000:00:14.0/usb1"
# Numbers of usbdevfs requests: the lowest byte.
SUBMIT, DISCARD, REAP, REAP_WITHOUT_DELAY = 10, 11, 12, 13
HARMLESS = {15: "CLAIMINTERFACE", 16: "RELEASEINTERFACE", 20: "RESET", 21: "CLEAR_HALT", 22: "DISCONNECT", 23: "CONNECT"}
GET_DRIVER, CAPABILITIES = 8, 26
URB_SIZE, STATUS, BUFFER, LENGTH, ACTUAL = 56, 4, 16, 24, 28
CONTROL = 2
SETUP_SIZE = 8
IN = 0x80
# poll(2) reports these devices as ready all the time. An answer "not yet" after this time keeps libusb from spinning.
REST = 0.003
# Addresses of USB devices begin with 1, which is the root hub here.
LAST_ADDRESS = 126


class Stall(Exception):
    """The endpoint is halted: the transfer fails with EPIPE."""


class Transfer:
    """A transfer that the host has submitted: an URB in the memory of its process."""

    def __init__(self, address, urb):
        head = bytes(urb.retrieve())
        self.address, self.urb = address, urb
        self.kind, self.endpoint = head[0], head[1]
        self.length, = struct.unpack_from("<i", head, LENGTH)
        self.buffer = urb.resolve(BUFFER, self.length) if self.length else None

    def data(self):
        return bytes(self.buffer.retrieve()) if self.buffer else b""

    def finish(self, status, data=b"", offset=0):
        """Sets the result; the host receives it when it reaps the transfer."""
        if data:
            data = data[:self.length - offset]
            self.buffer.update(offset, list(data))
        self.urb.update(STATUS, list(struct.pack("<i", status)))
        actual = len(data) if self.endpoint & IN or self.kind == CONTROL else self.length
        self.urb.update(ACTUAL, list(struct.pack("<i", actual if status == 0 else 0)))


class Handle:
    """A device that a process has opened: its transfers, as the kernel keeps them for each open file."""

    def __init__(self, client, condition):
        self.client, self.condition = client, condition
        self.pending, self.finished = [], []
        # Until when the host waits for a finished transfer; nil if it does not.
        self.deadline = None
        self.is_open = True

    def end(self, transfer, status, data=b""):
        """Finishes a transfer that was pending."""
        self.pending.remove(transfer)
        transfer.finish(status, data)
        self.finished.append(transfer)

    def discard(self, argument):
        """Cancels a transfer, and returns whether it was still pending."""
        address = bytes(argument.retrieve())
        found = [transfer for transfer in self.pending if transfer.address == address]
        for transfer in found:
            self.end(transfer, -errno.ENOENT)
        return bool(found)

    def answer(self, device):
        """Answers a host that waits for transfers, until it closes the device."""
        with self.condition:
            while self.is_open:
                if self.deadline is None:
                    self.condition.wait()
                elif self.finished:
                    self.deadline = None
                    self.client.get_arg().resolve(0, 8).set_ptr(0, self.finished.pop(0).urb)
                    self.client.complete(0, 0)
                elif not device.is_present or time.monotonic() >= self.deadline:
                    self.deadline = None
                    self.client.complete(-1, errno.EAGAIN if device.is_present else errno.ENODEV)
                else:
                    self.condition.wait(self.deadline - time.monotonic())


class Device:
    """One USB device on the bus, from plugging it in to unplugging it.

    `function` has `control(setup, data)`, `written(endpoint, data)` and `read(endpoint)`, which returns bytes, or nil if it has
    nothing yet; each may raise Stall.
    """

    def __init__(self, function):
        self.function = function
        self.is_present = True
        # Requests that this program could not answer.
        self.mistakes = 0
        self.handles = {}
        self.condition = threading.Condition(threading.RLock())
        self.base = UMockdev.IoctlBase()
        self.base.connect("client-connected", self.opened)
        self.base.connect("client-vanished", self.closed)
        self.base.connect("handle-ioctl", self.handle)

    # Requests of the host, on umockdev's thread.

    def opened(self, _, client):
        with self.condition:
            handle = self.handles[client] = Handle(client, self.condition)
        threading.Thread(target=handle.answer, args=(self,), daemon=True).start()

    def closed(self, _, client):
        with self.condition:
            self.handles.pop(client).is_open = False
            self.condition.notify_all()

    def handle(self, _, client):
        with self.condition:
            handle = self.handles[client]
            number = client.get_request() & 0xFF
            if number in (REAP, REAP_WITHOUT_DELAY):
                handle.deadline = time.monotonic() + REST
                self.condition.notify_all()
            else:
                error = self.attempt(number, handle, client.get_arg()) if self.is_present else errno.ENODEV
                client.complete(-1 if error else 0, error)
        return True

    def attempt(self, number, handle, argument):
        """Carries out a request; a mistake of this program is reported here and ends the transfer, not umockdev."""
        try:
            return self.perform(number, handle, argument)
        except Exception:
            traceback.print_exc()
            self.mistakes += 1
            return errno.EIO

    def perform(self, number, handle, argument):
        """Carries out a request; returns 0 or an error number."""
        if number == SUBMIT:
            self.submit(handle, argument)
        elif number == DISCARD:
            return 0 if handle.discard(argument) else errno.EINVAL
        elif number == CAPABILITIES:
            argument.resolve(0, 4).update(0, [0, 0, 0, 0])
        elif number not in HARMLESS:
            # GETDRIVER: no kernel driver has the interface.
            return errno.ENODATA if number == GET_DRIVER else errno.ENOTTY
        return 0

    def submit(self, handle, argument):
        transfer = Transfer(bytes(argument.retrieve()), argument.resolve(0, URB_SIZE))
        try:
            if transfer.kind == CONTROL:
                self.control(transfer)
            elif transfer.endpoint & IN:
                handle.pending.append(transfer)
                self.deliver()
                return
            else:
                self.function.written(transfer.endpoint, transfer.data())
                transfer.finish(0)
        except Stall:
            transfer.finish(-errno.EPIPE)
        handle.finished.append(transfer)
        self.deliver()

    def control(self, transfer):
        data = transfer.data()
        answer = self.function.control(data[:SETUP_SIZE], data[SETUP_SIZE:])
        length, = struct.unpack_from("<H", data, 6)
        transfer.finish(0, answer[:length], offset=SETUP_SIZE)

    def deliver(self):
        """Finishes the transfers for which the device has data."""
        with self.condition:
            for handle in self.handles.values():
                for transfer in list(handle.pending):
                    self.offer(handle, transfer)
            self.condition.notify_all()

    def offer(self, handle, transfer):
        try:
            data = self.function.read(transfer.endpoint) if self.is_present else None
        except Stall:
            handle.end(transfer, -errno.EPIPE)
            return
        if data is not None:
            handle.end(transfer, 0, data)

    def disappear(self):
        """Ends every transfer as the kernel does when a device is unplugged."""
        with self.condition:
            self.is_present = False
            for handle in self.handles.values():
                for transfer in list(handle.pending):
                    handle.end(transfer, -errno.ESHUTDOWN)
            self.condition.notify_all()


class Bus:
    """The bus, with one port for each device. Each plugged device has another address, as on a real bus."""

    def __init__(self):
        self.testbed = UMockdev.Testbed.new()
        self.address = 1
        self.ports, self.nodes = {}, set()
        # How often a device was plugged in.
        self.cycles = 0
        self.lock = threading.RLock()
        self.testbed.add_from_string("\n".join([
            f"P: {BUS}", "N: bus/usb/001/001", "E: DEVTYPE=usb_device", "E: SUBSYSTEM=usb", "E: DEVNAME=/dev/bus/usb/001/001",
            "A: busnum=1\\n", "A: devnum=1\\n", "A: idVendor=1d6b\\n", "A: idProduct=0002\\n", "A: speed=480\\n",
            "A: bConfigurationValue=1\\n", "A: bNumInterfaces=1\\n", ""]))

    def environment(self):
        """What makes programs see this bus and no other device."""
        return {"UMOCKDEV_DIR": self.testbed.get_root_dir()}

    def plug(self, port, function):
        """Plugs a device in, and returns it."""
        with self.lock:
            self.address = self.address % LAST_ADDRESS + 1 + (self.address == LAST_ADDRESS)
            self.cycles += 1
            device = Device(function)
            path, node = f"{BUS}/1-{port}", f"/dev/bus/usb/001/{self.address:03}"
            function.device = device
            self.attach(node, device)
            self.testbed.add_from_string(self.description(path, node, function.reader))
            places = [path, *(f"{path}/1-{port}:1.{number}" for number in range(len(function.reader.interfaces)))]
            self.ports[port] = (device, places)
            for place in places:
                self.testbed.uevent(f"/sys{place}", "add")
            return device

    def attach(self, node, device):
        """Connects a device with its node. The node of a device that is gone keeps its own, for programs that still have it open,
        until the address is used again."""
        if node in self.nodes:
            self.testbed.detach_ioctl(node)
        self.nodes.add(node)
        self.testbed.attach_ioctl(node, device.base)

    def unplug(self, port):
        """Unplugs the device of a port, if there is one."""
        with self.lock:
            if port not in self.ports:
                return
            device, places = self.ports.pop(port)
            device.disappear()
            for place in reversed(places):
                self.testbed.uevent(f"/sys{place}", "remove")
            self.testbed.remove_device(f"/sys{places[0]}")

    def description(self, path, node, reader):
        """A device and its interfaces in umockdev's form: sysfs attributes and properties of udev."""
        lines = [
            f"P: {path}", f"N: {node.removeprefix('/dev/')}",
            "E: DEVTYPE=usb_device", "E: SUBSYSTEM=usb", f"E: DEVNAME={node}", "E: BUSNUM=001", f"E: DEVNUM={self.address:03}",
            "A: busnum=1\\n", f"A: devnum={self.address}\\n", f"A: idVendor={reader.vendor:04x}\\n",
            f"A: idProduct={reader.product:04x}\\n", f"A: bcdDevice={reader.release:04x}\\n",
            f"A: manufacturer={reader.manufacturer}\\n", f"A: product={reader.name}\\n", "A: speed=12\\n",
            "A: bConfigurationValue=1\\n", f"A: bNumInterfaces={len(reader.interfaces)}\\n",
            f"H: descriptors={reader.descriptors().hex().upper()}"]
        if reader.serial:
            lines.append(f"A: serial={reader.serial}\\n")
        for number, interface in enumerate(reader.interfaces):
            lines += ["", f"P: {path}/{path.rsplit('/', 1)[1]}:1.{number}",
                      "E: DEVTYPE=usb_interface", "E: SUBSYSTEM=usb",
                      f"A: bInterfaceNumber={number:02}\\n", "A: bInterfaceClass=0b\\n", "A: bInterfaceSubClass=00\\n",
                      "A: bInterfaceProtocol=00\\n", "A: bAlternateSetting= 0\\n"]
            if interface.name:
                lines.append(f"A: interface={interface.name}\\n")
        return "\n".join([*lines, ""])
