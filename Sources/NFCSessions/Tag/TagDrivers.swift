import NFCReaders
import NFCTags
import Synchronization

/// What the drivers of a held tag remember of it between its commands.
///
/// Whatever is done past a driver may select, open or change something it counts on. So the next one is made anew, and what
/// it needs is read again.
final class TagDrivers: Sendable {
    private enum Memory {
        case nothing
        case ndef(any NDEFTag)
        case classic(MIFAREClassic)
    }

    private let contact: TagContact
    private let memory = Mutex(Memory.nothing)

    init(_ contact: TagContact) { self.contact = contact }

    /// What the reader lets pass.
    var profile: ReaderProfile { contact.profile }

    /// The driver of the tag's technology; nil where there is none.
    func ndef() -> (any NDEFTag)? {
        memory.withLock { memory in
            if case .ndef(let driver) = memory { return driver }
            guard let driver = contact.ndef else { return nil }
            memory = .ndef(driver)
            return driver
        }
    }

    /// The blocks of a MIFARE Classic.
    func classic() -> MIFAREClassic {
        memory.withLock { memory in
            if case .classic(let card) = memory { return card }
            let card = MIFAREClassic(
                channel: contact.connection, size: contact.identity.classicSize,
                reader: profile.mifareClassic, reconnection: contact.reconnection)
            memory = .classic(card)
            return card
        }
    }

    /// Something else is said to the tag.
    func forget() {
        memory.withLock { $0 = .nothing }
    }
}

/// The connection to a held tag as its commands see it: each may have a time limit of its own, and it is noticed when an
/// exchange takes too long. The tag is in an unknown state then, and so is the reader.
final class CommandConnection: CardConnection {
    private struct State {
        var current: any CardConnection
        var hasTimedOut = false
    }

    private let whole: any CardConnection
    private let state: Mutex<State>

    init(_ connection: any CardConnection) {
        whole = connection
        state = Mutex(State(current: connection))
    }

    /// Whether an exchange ever took too long.
    var hasTimedOut: Bool { state.withLock(\.hasTimedOut) }

    /// The exchanges of the next command have so much time together; nil: each has the reader's.
    func begin(within limit: Duration?) {
        let current = limit.map { whole.limited(to: $0) } ?? whole
        state.withLock { $0.current = current }
    }

    var answerToReset: [UInt8] { whole.answerToReset }

    func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] {
        do throws(CardChannelError) {
            return try await current.transmit(command)
        } catch {
            throw noted(error)
        }
    }

    func reconnect() async throws(CardChannelError) {
        do throws(CardChannelError) {
            try await current.reconnect()
        } catch {
            throw noted(error)
        }
    }

    func limited(to limit: Duration) -> any CardConnection { whole.limited(to: limit) }

    func close() async { await whole.close() }

    private var current: any CardConnection { state.withLock(\.current) }

    private func noted(_ error: CardChannelError) -> CardChannelError {
        if error == .timedOut { state.withLock { $0.hasTimedOut = true } }
        return error
    }
}
