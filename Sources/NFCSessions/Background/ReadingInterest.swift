import NFCReaders
import NFCTags
import Synchronization

/// Whether what is being read in the background is still wanted. Once it is not, no further command reaches the tag, so
/// that a session which begins waits for one exchange at most.
final class ReadingInterest: Sendable {
    private let isOver = Atomic(false)

    /// Nobody wants it any more.
    func end() { isOver.store(true, ordering: .relaxed) }

    fileprivate func check() throws(CardChannelError) {
        if isOver.load(ordering: .relaxed) { throw .tagLost }
    }
}

/// A driver whose connections end with the interest in them.
struct InterruptibleDriver: ReaderDriver {
    let driver: any ReaderDriver
    let interest: ReadingInterest

    func run(report: @escaping @Sendable (ReaderEvent) -> Void) async { await driver.run(report: report) }

    func refresh() async { await driver.refresh() }

    func connect(to reader: ReaderID) async throws(CardChannelError) -> any CardConnection {
        try interest.check()
        return InterruptibleConnection(connection: try await driver.connect(to: reader), interest: interest)
    }

    func learn(_ profile: ReaderProfile, of reader: ReaderID) { driver.learn(profile, of: reader) }

    func escape(_ command: [UInt8], to reader: ReaderID) async { await driver.escape(command, to: reader) }

    var hungReaders: [ReaderID] { driver.hungReaders }
}

private struct InterruptibleConnection: CardConnection {
    let connection: any CardConnection
    let interest: ReadingInterest

    var answerToReset: [UInt8] { connection.answerToReset }

    func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] {
        try interest.check()
        return try await connection.transmit(command)
    }

    func limited(to limit: Duration) -> any CardConnection {
        InterruptibleConnection(connection: connection.limited(to: limit), interest: interest)
    }

    func reconnect() async throws(CardChannelError) {
        try interest.check()
        try await connection.reconnect()
    }

    func close() async { await connection.close() }
}
