import Testing

@testable import nfcd

@Suite struct `The service manager` {
    @Test func `is told how nfcd does`() throws {
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
    func `says how often it wants a sign of life`(environment: [String: String], limit: Duration?) throws {
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
