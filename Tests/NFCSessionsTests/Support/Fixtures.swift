import NDEF
import TestSupport
import NFCReaders
import NFCTags
import Synchronization

@testable import NFCSessions

/// Readers, arrivals and readings for tests.
enum Fixtures {
    static let desk = reader("desk")
    static let door = reader("door")
    /// What a reader makes up for NTAG.
    static let storageCardATR = hex("3B8F8001804F0CA0000003060300030000000068")
    /// `https://example.com`.
    static let message = hex("D1010C55046578616D706C652E636F6D")
    static let url = "https://example.com"

    static func reader(_ name: String) -> ReaderDescription {
        ReaderDescription(
            id: ReaderID(rawValue: name), name: "The \(name) reader")
    }

    static func arrival(_ reader: ReaderDescription, _ number: UInt64) -> TagArrival {
        TagArrival(reader: reader.id, number: number, answerToReset: storageCardATR)
    }

    static let identity = TagIdentity(technology: .type2, identifier: hex("04A1B2C3D4E5F6"), atr: storageCardATR)
    /// What a reader makes of a card of ISO/IEC 14443-4.
    static let cardIdentity = TagIdentity(
        technology: .iso14443Part4(.a), identifier: hex("04A1B2C3D4E5F6"), atr: hex("3B80800101"))
    /// A tag that is held for an arrival: on the door a card, on other readers a Type 2 tag.
    static func held(_ arrival: TagArrival) -> HeldTag { heldTags[arrival] ?? other }
    private static let other = held(identity)
    private static let heldTags: [TagArrival: HeldTag] = [
        arrival(desk, 1): held(identity), arrival(desk, 2): held(identity), arrival(door, 1): held(cardIdentity),
    ]

    private static func held(_ identity: TagIdentity) -> HeldTag {
        HeldTag(TagContact(identity: identity, connection: FakeConnection(.url) {}, profile: .generic), on: desk)
    }

    static let read = NDEFReading(messages: [NDEFMessage()], status: .readWrite, capacity: 492)
    static let empty = NDEFReading(failure: TagError(.zeroLengthMessage, "empty"), status: .readWrite, capacity: 492)
}

extension SessionEvent {
    /// One line for tables: `active`, `tag-1 https://…`, `tag-1 failed 403`, `tag-1 left`, `over 201`.
    var words: String {
        switch self {
        case .didBecomeActive: "active"
        case .didDetectNDEFs(let tag, let reading): "\(tag.id) \(reading.words)"
        case .didDetectTags(let tags): tags.map { "\($0.id) found" }.joined(separator: " ")
        case .tagRemoved(let id): "\(id) left"
        case .tagFailed(let reader, let error): "\(reader.id) failed \(error.code.rawValue)"
        case .tagIgnored(let reader): "\(reader) ignored"
        case .didInvalidate(let reason): "over \(reason.code.rawValue)"
        }
    }
}

extension NDEFReading {
    fileprivate var words: String {
        if let failure { return "failed \(failure.code.rawValue)\(proofWord)" }
        let uris = messages.flatMap(\.records).compactMap { try? URIRecord(payload: $0.payload).uri }
        return (uris.isEmpty ? "read" : uris.joined(separator: " ")) + proofWord
    }

    /// What the tag has proven, behind a space; empty if no profile fits it.
    var proofWord: String { proof.map { " \($0.status.rawValue)" } ?? "" }
}

extension SessionMachine.Action {
    /// One line for tables: `activate`, `read desk 1 for 0`, `end`, or the words of the event.
    var words: String {
        switch self {
        case .activate: "activate"
        case .read(let arrival, let polling): "read \(arrival.reader) \(arrival.number) for \(polling)"
        case .connect(let arrival, let polling): "connect \(arrival.reader) \(arrival.number) for \(polling)"
        case .release(_, let reader): "release \(reader)"
        case .notify(let event): event.words
        case .end: "end"
        }
    }
}

/// Records the steps that were reported.
final class StepLog: Sendable {
    private let steps = Mutex<[(done: Int, total: Int)]>([])

    var all: [(done: Int, total: Int)] { steps.withLock { $0 } }

    func add(_ done: Int, _ total: Int) {
        steps.withLock { $0.append((done, total)) }
    }
}

/// The error that a call ends with.
func failure(_ body: () async throws -> Void) async -> TagError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? TagError
    }
}
