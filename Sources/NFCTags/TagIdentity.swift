/// What is known about a tag before its content is read.
public struct TagIdentity: Sendable, Hashable {
    /// How the tag talks and is laid out.
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

    /// Puts an identity together; an answer to reset that cannot be parsed leaves the parts taken from it empty.
    public init(technology: TagTechnology, identifier: [UInt8], atr: [UInt8]) {
        let answer = AnswerToReset.parsed(atr)
        self.technology = technology
        self.identifier = identifier
        self.atr = atr
        historicalBytes = answer?.historicalBytes ?? []
        storageCard = StorageCardATR(historicalBytes: historicalBytes)
    }

    /// Under which of CoreNFC's tag types the tag is delivered.
    public var type: TagType { technology.tagType }

    /// Whether the identifier is drawn anew at every activation: 4 bytes, the first 08 (ISO/IEC 14443-3).
    public var isIdentifierRandom: Bool { identifier.count == 4 && identifier.first == 0x08 }
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
