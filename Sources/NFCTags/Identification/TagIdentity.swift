import ISO7816

/// What is known about a tag before its content is read.
public struct TagIdentity: Sendable, Hashable {
    /// The protocol and memory layout of the tag.
    public let technology: TagTechnology
    /// The UID (type A), PUPI (type B), IDm (FeliCa) or UID with E0 first (ISO/IEC 15693); empty if the reader gave
    /// none.
    public let identifier: [UInt8]
    /// The answer to reset as the reader gave it.
    public let atr: [UInt8]
    /// The historical bytes of the answer to reset; empty if it has none or is malformed.
    public let historicalBytes: [UInt8]
    /// Standard and card name, if the answer to reset is that of a storage card.
    public let storageCard: StorageCardATR?

    /// Creates an identity; an answer to reset that cannot be parsed leaves the parts taken from it empty.
    public init(technology: TagTechnology, identifier: [UInt8], atr: [UInt8]) {
        let answer = AnswerToReset.parsed(atr)
        self.technology = technology
        self.identifier = identifier
        self.atr = atr
        historicalBytes = answer?.historicalBytes ?? []
        storageCard = StorageCardATR(historicalBytes: historicalBytes)
    }

    /// The CoreNFC tag type under which the tag is delivered.
    public var type: TagType { technology.tagType }
}

extension AnswerToReset {
    static func parsed(_ bytes: [UInt8]) -> AnswerToReset? {
        do throws(AnswerToResetError) {
            return try AnswerToReset(bytes)
        } catch {
            return nil
        }
    }
}

/// Identifies the tag on the reader: the technology from the answer to reset, the identifier with `FF CA`
/// (PC/SC Part 3, Get Data).
///
/// A malformed answer to reset gives ``TagTechnology/unknown``, a reader without an identifier an empty one. A card
/// with contacts is not asked for an identifier.
/// - Throws: ``TagError`` when the tag or the reader does not answer at all, or answers without a status word.
public func identify(atr: [UInt8], channel: some CardChannel) async throws(TagError) -> TagIdentity {
    let answer = AnswerToReset.parsed(atr)
    let technology = answer.map { TagTechnology($0) } ?? .unknown
    guard technology != .contact else { return TagIdentity(technology: technology, identifier: [], atr: atr) }
    let identifier = try await IdentifierReader(channel: channel, technology: technology).read()
    let refined = technology.refined(identifier: identifier, historicalBytes: answer?.historicalBytes ?? [])
    return TagIdentity(technology: refined, identifier: identifier, atr: atr)
}

/// Asks the reader for the identifier (`FF CA 00 00`, PC/SC Part 3, Get Data). Tolerates how readers interpret Le.
struct IdentifierReader {
    private let channel: any CardChannel
    private let technology: TagTechnology

    init(channel: any CardChannel, technology: TagTechnology) {
        self.channel = channel
        self.technology = technology
    }

    /// The identifier in display order, empty if the reader has none.
    func read() async throws(TagError) -> [UInt8] {
        var le: UInt8 = 0
        // Le 00, the usual length where that is refused, the length the reader then names: never more than three.
        for _ in 0..<3 {
            let response = try await channel.exchange(.getIdentifier(le: le))
            if let identifier = accepted(response) { return displayOrder(identifier) }
            guard let next = nextLe(after: response.statusWord, le), next != le else { break }
            le = next
        }
        return []
    }

    /// An identifier shorter than Le may come with the warning 6282.
    private func accepted(_ response: ResponseAPDU) -> [UInt8]? {
        response.statusWord.isSuccess || response.statusWord == .endOfData ? response.data : nil
    }

    private func nextLe(after statusWord: StatusWord, _ le: UInt8) -> UInt8? {
        if statusWord.correctLength != nil { return statusWord.sw2 }
        return statusWord == .wrongLength && le == 0 ? usualLength : nil
    }

    /// What most tags of the technology have.
    private var usualLength: UInt8 {
        switch technology {
        case .feliCa, .iso15693: 8
        case .mifareClassic, .iso14443Part3(.b): 4
        default: 7
        }
    }

    /// Some readers give the ISO/IEC 15693 UID least significant byte first; its most significant byte is E0.
    private func displayOrder(_ identifier: [UInt8]) -> [UInt8] {
        guard technology == .iso15693, identifier.count == 8, identifier.first != 0xE0, identifier.last == 0xE0 else {
            return identifier
        }
        return identifier.reversed()
    }
}

extension TagIdentity {
    /// Determines the type of a tag that the reader reports as Ultralight and whose identifier has 4 bytes: chips with Type 2 pages
    /// have 7, and some readers take MIFARE Classic cards for them. A page is read; where it is refused, the directory's key
    /// is tried once, after a reset. Any other tag is left alone.
    ///
    /// - Parameter reconnection: the reset; the card is fresh again in the end.
    /// - Throws: ``TagError`` when tag, reader or connection are gone.
    public func settled(
        over channel: some CardChannel, reconnection: CardReconnection
    ) async throws(TagError) -> TagIdentity {
        guard technology == .type2, identifier.count == 4 else { return self }
        let page = try await channel.readBinary(0, length: 16)
        guard !page.statusWord.isSuccess, page.statusWord != .endOfData else { return self }
        try await reset(reconnection)
        let isClassic = try await opensAsClassic(channel)
        try await reset(reconnection)
        return isClassic ? TagIdentity(technology: .mifareClassic, identifier: identifier, atr: atr) : self
    }

    /// Whether the first sector opens with the directory's key.
    private func opensAsClassic(_ channel: some CardChannel) async throws(TagError) -> Bool {
        do throws(TagError) {
            return try await MIFAREClassic(channel: channel, size: .oneK).opens(sector: 0, key: .directory, type: .a)
        } catch {
            // A reader that rejects keys, or a tag that does not support the command.
            guard error.code == .tagResponseError || error.code == .unsupportedFeature else { throw error }
            return false
        }
    }

    private func reset(_ reconnection: CardReconnection) async throws(TagError) {
        do throws(CardChannelError) {
            try await reconnection.perform()
        } catch {
            throw TagError(error.code, "the card could not be reconnected: \(error)")
        }
    }
}
