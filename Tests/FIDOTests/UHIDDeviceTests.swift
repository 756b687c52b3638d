import CTAP
import TestSupport
import Testing

@testable import nfcd_fido

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A socket that takes the place of `/dev/uhid`.
private final class StandIn {
    let path = "/tmp/nfcd-fido-\(getpid())-\(UInt64.random(in: 0...UInt64.max)).sock"
    private let listener: CInt
    private var connection: CInt = -1

    init() throws {
        listener = socket(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        try #require(isBound && listen(listener, 4) == 0)
    }

    deinit {
        close(listener)
        if connection >= 0 { close(connection) }
        unlink(path)
    }

    func join() { connection = accept(listener, nil, nil) }

    func receive() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 8_192)
        let count = recv(connection, &buffer, buffer.count, 0)
        return Array(buffer.prefix(max(0, count)))
    }

    func send(_ event: [UInt8]) { _ = write(connection, event, event.count) }

    func leave() {
        close(connection)
        connection = -1
    }
}

@Suite("A device of /dev/uhid")
struct UHIDDeviceTests {
    private let standIn: StandIn
    private let device: any HIDDevice

    init() throws {
        standIn = try StandIn()
        device = try UHIDMaker(path: standIn.path).makeDevice(name: "Key", unique: "reader-1")
        standIn.join()
    }

    private func header(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number) { Array($0) } }

    @Test func `is created with its name, and removed`() {
        let creation = standIn.receive()
        #expect(creation.count == UHIDEvent.size)
        #expect(Array(creation.prefix(4)) == header(11))
        #expect(Array(creation[4..<8]) == [0x4B, 0x65, 0x79, 0x00])
        #expect(String(validating: creation[196..<204], as: UTF8.self) == "reader-1")
        device.remove()
        #expect(standIn.receive() == header(1))
    }

    @Test func `passes events on in their order`() async {
        _ = standIn.receive()
        for number: UInt32 in [2, 4, 5] { standIn.send(header(number)) }
        let events = [await device.next(), await device.next(), await device.next()]
        #expect(events == [.start, .open, .close])
        device.write(UHIDEvent.input([UInt8](repeating: 7, count: 64)))
        #expect(standIn.receive().count == 70)
    }

    @Test func `ends its events where the kernel is lost, or it was removed`() async {
        standIn.leave()
        #expect(await device.next() == nil)
        device.write(UHIDEvent.input([1]))
        device.remove()
        device.remove()
        device.write(UHIDEvent.input([1]))
        #expect(await device.next() == nil)
    }

    @Test func `keeps at most 2048 reports that were not handled`() async {
        _ = standIn.receive()
        let report = header(6) + [UInt8](repeating: 0, count: 4_096) + [65, 0, 1]
        for _ in 0..<3_000 { standIn.send(report) }
        standIn.send(header(5))
        standIn.leave()
        var reports = 0
        while let event = await device.next() {
            if case .output = event { reports += 1 }
        }
        #expect(reports == 2_048)
    }

    @Test func `keeps more once reports were handled`() async {
        _ = standIn.receive()
        let report = header(6) + [UInt8](repeating: 0, count: 4_096) + [65, 0, 1]
        var handled = 0
        while handled < 3_000 {
            standIn.send(report)
            guard let event = await device.next() else { break }
            device.handled(event)
            handled += 1
        }
        #expect(handled == 3_000)
    }

    @Test(arguments: [
        ("/nonexistent/uhid", "modprobe uhid"), ("/proc/self/mem/x", "nfcctl doctor"),
        ("/tmp/" + String(repeating: "x", count: 200), "modprobe uhid"),
    ])
    func `a device that cannot be made is an error with advice`(path: String, advice: String) throws {
        let error = try #require(throws: HIDDeviceError.self) {
            try UHIDMaker(path: path).makeDevice(name: "Key", unique: "reader-1")
        }
        #expect(error.description.contains(path) && error.description.contains(advice), "\(error)")
    }
}
