package import NFCTags

/// What is done with a tag in the table.
package enum TableOperation: String, Sendable, CaseIterable {
    case readShort = "read short"
    case readFull = "read full"
    case writeShort = "write short"
    case writeFull = "write full"
    case erase
    case format
    case lock

    /// What came of it.
    package struct Outcome: Sendable {
        /// APDUs after detection; nil where the tag or reader cannot do it.
        package let exchanges: Int?
        /// Why not.
        package let refusal: TagError?
        /// What a second driver finds on the tag afterwards.
        package let found: NDEFReadResult
        /// The card, for more.
        package let card: CountingCard
    }

    /// A short message: a URL of about 20 bytes.
    package static let short = TagTable.message(20)

    /// What is on the tag before; nil as it leaves the factory.
    func before(full: [UInt8]) -> [UInt8]? {
        switch self {
        case .readShort, .erase, .lock: Self.short
        case .readFull: full
        case .writeShort, .writeFull: []
        case .format: nil
        }
    }

    /// Does it on a new tag.
    ///
    /// - Returns: nil where the reader does not see the tag.
    package func perform(at place: TagTable.Place) async throws -> Outcome? {
        let full = TagTable.message(try await place.capacity())
        guard let card = try place.card(message: before(full: full)), let tag = try await card.driver() else {
            return nil
        }
        let refusal = try await refusal { () throws(TagError) in
            switch self {
            case .readShort, .readFull: _ = try await tag.readNDEF()
            case .writeShort: try await tag.writeNDEF(Self.short, verifying: false)
            case .writeFull: try await tag.writeNDEF(full, verifying: false)
            case .erase: try await tag.writeNDEF([], verifying: false)
            case .format: try await tag.formatNDEF()
            case .lock: try await tag.makeReadOnly()
            }
        }
        let exchanges = card.exchanges
        guard let second = try await card.driver() else { return nil }
        return Outcome(
            exchanges: refusal == nil ? exchanges : nil, refusal: refusal, found: try await second.readNDEF(),
            card: card)
    }

    /// The error that says that something cannot be done here; all others are thrown.
    private func refusal(_ body: () async throws(TagError) -> Void) async throws(TagError) -> TagError? {
        do throws(TagError) {
            try await body()
            return nil
        } catch {
            guard error.code == .unsupportedFeature else { throw error }
            return error
        }
    }
}

extension TagTable.Place {
    /// What the tag says that it takes, behind this reader.
    package func capacity() async throws -> Int {
        guard let card = try card(message: []), let tag = try await card.driver() else { return 0 }
        return try await tag.readNDEF().capacity
    }
}
