import NDEF
import NFCReaders
import NFCTags

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
        case .didInvalidate(let reason): "over \(reason.code.rawValue)"
        }
    }
}

extension NDEFReading {
    fileprivate var words: String {
        if let failure { return "failed \(failure.code.rawValue)" }
        let uris = messages.flatMap(\.records).compactMap { try? URIRecord(payload: $0.payload).uri }
        return uris.isEmpty ? "read" : uris.joined(separator: " ")
    }
}

extension SessionMachine.Action {
    /// One line for tables: `activate`, `read desk 1 for 0`, `end`, or the words of the event.
    var words: String {
        switch self {
        case .activate: "activate"
        case .read(let arrival, let polling): "read \(arrival.reader) \(arrival.number) for \(polling)"
        case .connect(let arrival, let polling): "connect \(arrival.reader) \(arrival.number) for \(polling)"
        case .hold(let tag): "hold \(tag)"
        case .letGo(let tag): "let go of \(tag)"
        case .notify(let event): event.words
        case .end: "end"
        }
    }
}
