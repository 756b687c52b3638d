import Glibc
import ServiceSupport
import Testing
import Threading

@testable import nfcd

@Suite struct `The service manager` {
    @Test func `receives the state of nfcd`() throws {
        let box = try DatagramBox()
        let manager = ServiceManager(["NOTIFY_SOCKET": box.path], processID: 7)
        #expect(manager.isPresent)
        manager.ready()
        #expect(box.nextText() == "READY=1")
        manager.status("1 reader\nREADY=0")
        #expect(box.nextText() == "STATUS=1 reader READY=0")
        manager.beat()
        #expect(box.nextText() == "WATCHDOG=1")
        manager.stopping()
        #expect(box.nextText() == "STOPPING=1\nSTATUS=stopping")
        let before = SystemClock.monotonic.now
        manager.reloading()
        let text = try #require(box.nextText())
        #expect(text.hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
        let time = try #require(Int64(text.split(separator: "=").last ?? ""))
        #expect(.microseconds(time + 1) >= before && .microseconds(time) <= SystemClock.monotonic.now)
        #expect(box.nextText() == nil)
    }

    static let limits: [(environment: [String: String], limit: Duration?)] = [
        ([:], nil), (["WATCHDOG_USEC": "30000000"], .seconds(30)),
        (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "7"], .seconds(30)),
        (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "8"], nil),
        (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": ""], nil), (["WATCHDOG_USEC": "0"], nil),
        (["WATCHDOG_USEC": "-5"], nil), (["WATCHDOG_USEC": "soon"], nil),
        (["WATCHDOG_USEC": "99999999999999999999"], nil),
    ]

    @Test(arguments: limits)
    func `sets the time between keep-alives`(environment: [String: String], limit: Duration?) throws {
        let box = try DatagramBox()
        let asked = environment.merging(["NOTIFY_SOCKET": box.path]) { $1 }
        #expect(ServiceManager(asked, processID: 7).watchdog == limit)
        #expect(ServiceManager(environment, processID: 7).watchdog == nil)
    }

    @Test(arguments: ["", "x", "vsock:2:1", "/" + String(repeating: "x", count: 108)])
    func `is not there where its socket cannot be`(path: String) {
        let manager = ServiceManager(["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "1000"], processID: 7)
        #expect(!manager.isPresent && manager.watchdog == nil)
        manager.ready()
    }

    @Test func `may be gone`() {
        ServiceManager(["NOTIFY_SOCKET": "/nowhere/at/all"], processID: 7).ready()
    }
}

@Suite(.timeLimit(.minutes(5))) struct `The status of a service` {
    @Test(arguments: [true, false], [true, false])
    func `is sent from its start to its end`(isReady: Bool, hasWatchdog: Bool) async throws {
        let box = try DatagramBox()
        let watchdog = hasWatchdog ? ["WATCHDOG_USEC": "30000000"] : [:]
        let manager = ServiceManager(["NOTIFY_SOCKET": box.path].merging(watchdog) { $1 }, processID: 7)
        let stop = StopSignal()
        await StatusService(manager, isReady: isReady) {
            stop.give()
            return "2 cards"
        }.run(until: stop)
        let expected =
            (isReady ? ["READY=1"] : []) + ["STATUS=2 cards"] + (hasWatchdog ? ["WATCHDOG=1"] : [])
            + ["STOPPING=1\nSTATUS=stopping"]
        #expect(expected.map { _ in box.nextText() } == expected)
        #expect(box.nextText() == nil)
    }

    @Test func `is not asked for without a service manager`() async {
        let stop = StopSignal()
        stop.give()
        await StatusService(ServiceManager([:], processID: 7), isReady: true) {
            Issue.record("the status was asked for")
            return ""
        }.run(until: stop)
    }
}

/// A Unix socket that takes datagrams, in a separate folder.
final class DatagramBox: Sendable {
    let path: String
    private let folder: String
    private let descriptor: Int32

    struct Failure: Error {}

    init() throws {
        var template = Array("/tmp/nfcd-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure() }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        path = "\(folder)/box"
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard code == 0 else { throw Failure() }
    }

    deinit {
        close(descriptor)
        unlink(path)
        rmdir(folder)
    }

    /// The next datagram that has come; nil: there is none.
    func next() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 256 * 1024)
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        return count < 0 ? nil : Array(buffer.prefix(count))
    }

    /// The next datagram as text.
    func nextText() -> String? { next().map { String(decoding: $0, as: UTF8.self) } }
}
