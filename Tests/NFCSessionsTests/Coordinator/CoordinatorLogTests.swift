import NFCReaders
import Synchronization
import Testing

@testable import NFCSessions

@Suite struct `The log of readers` {
    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        var log: EventLog {
            EventLog { level, message, _ in self.lines.withLock { $0.append("\(level) \(message())") } }
        }
    }

    @Test func `has a line for each reader that is plugged in, unplugged, held or broken, also without a session`() {
        let lines = Lines()
        let log = CoordinatorLog(logger: lines.log)
        let desk = Fixtures.desk
        let events: [ReaderEvent] = [
            .serviceStarting, .attached(desk), .blocked(desk.id, reason: "another program uses it exclusively"),
            .recovered(desk.id), .failed(desk.id, reason: "it hangs"), .detached(desk.id),
        ]
        for event in events { log.handled(event) }
        #expect(
            lines.all == [
                "info the PC/SC service is being started", "info reader desk attached: \(desk.name)",
                "warning reader desk cannot be used: another program uses it exclusively",
                "notice reader desk works again", "error reader desk failed: it hangs", "info reader desk detached",
            ])
    }
}
