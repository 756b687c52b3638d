import NFCReaders
import NFCTags
import Synchronization
import Testing

/// A driver with one tag that records the commands to the tag and to the reader.
private final class RecordingDriver: ReaderDriver, CardConnection {
    let notes = Mutex<[String]>([])
    let hasTag: Bool

    init(hasTag: Bool) { self.hasTag = hasTag }

    var answerToReset: [UInt8] { [] }

    func run(report: @escaping @Sendable (ReaderEvent) -> Void) async {}
    func refresh() async {}
    func cache(_ profile: ReaderProfile, of reader: ReaderID) {}
    func reconnect() async throws(CardChannelError) {}

    func connect(to reader: ReaderID) async throws(CardChannelError) -> any CardConnection {
        guard hasTag else { throw .tagLost }
        return self
    }

    func escape(_ command: [UInt8], to reader: ReaderID) async { note("escape", command) }

    let hungReaders: [ReaderID] = []

    func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] {
        note("transmit", command)
        return [0x90, 0x03]
    }

    func limited(to limit: Duration) -> any CardConnection { self }

    var sharing: (any TagSharing)? { nil }

    func close() async { note("close", []) }

    private func note(_ what: String, _ bytes: [UInt8]) {
        notes.withLock { $0.append(([what] + bytes.map { String($0, radix: 16) }).joined(separator: " ")) }
    }
}

@Suite struct `Feedback at a reader` {
    struct Row: Sendable {
        let profile: ReaderProfile
        var isOn = true
        var hasTag = true
        let notes: [String]
    }

    @Test(arguments: [
        Row(profile: .acr122u, notes: ["transmit ff 0 40 a0 4 1 1 1 1", "close"]),
        Row(profile: .acr122u, hasTag: false, notes: []),
        Row(profile: .acr1552u, notes: ["escape e0 0 0 28 1 a"]), Row(profile: .acr122u, isOn: false, notes: []),
        Row(profile: .generic, notes: []),
    ]) func `uses the transport of its family, and only if enabled`(row: Row) async {
        let driver = RecordingDriver(hasTag: row.hasTag)
        let reader = ReaderDescription(
            id: ReaderID(rawValue: "desk"), name: "Desk", profile: row.profile, givesFeedback: row.isOn)
        await driver.signal(.success, on: reader)
        #expect(driver.notes.withLock { $0 } == row.notes)
    }
}
