import Logging
import NFCReaders
import Synchronization
import Testing

@testable import NFCSessions

@Suite struct `The log of readers` {
    private final class Lines: LogHandler, Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        var metadata: Logger.Metadata {
            get { [:] }
            set {}
        }
        var logLevel: Logger.Level {
            get { .info }
            set {}
        }
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { nil }
            set {}
        }
        func log(event: LogEvent) { lines.withLock { $0.append("\(event.level) \(event.message)") } }
    }

    @Test func `has a line for each reader that is plugged in, unplugged, held or broken, also without a session`() {
        let lines = Lines()
        let log = CoordinatorLog(logger: Logger(label: "test") { _ in lines })
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
