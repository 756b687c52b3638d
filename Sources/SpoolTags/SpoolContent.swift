/// What the memory of a spool's tag holds, in a format that is not NDEF.
public enum SpoolContent: Sendable, Hashable {
    /// TigerTag, TigerTag+ or TigerTag Init.
    case tigerTag(TigerTag)
    /// A spool for Anycubic's ACE.
    case anycubic(AnycubicSpool)
    /// A spool of Elegoo.
    case elegoo(ElegooSpool)
    /// A spool for Qidi's box.
    case qidi(QidiSpool)

    /// The content of a memory; nil if it is not a spool of a format known. A format is recognised by its own mark first, and then by
    /// content that can be right, so that other data, blank tags and NDEF messages are not taken for one.
    public static func recognised(in memory: SpoolMemory) -> SpoolContent? {
        if let tag = TigerTag(memory) { return .tigerTag(tag) }
        if let spool = AnycubicSpool(memory) { return .anycubic(spool) }
        if let spool = ElegooSpool(memory) { return .elegoo(spool) }
        if let spool = QidiSpool(memory) { return .qidi(spool) }
        return nil
    }

    /// The word for the format in JSON.
    public var format: String {
        switch self {
        case .tigerTag: "tigertag"
        case .anycubic: "anycubic"
        case .elegoo: "elegoo"
        case .qidi: "qidi"
        }
    }

    /// The name of the format for people.
    public var name: String {
        switch self {
        case .tigerTag(let tag): tag.version.description
        case .anycubic: "Anycubic"
        case .elegoo: "Elegoo"
        case .qidi: "Qidi"
        }
    }

    /// What a person wants to know.
    public var facts: SpoolFacts {
        switch self {
        case .tigerTag(let tag): tag.facts
        case .anycubic(let spool): spool.facts
        case .elegoo(let spool): spool.facts
        case .qidi(let spool): spool.facts
        }
    }

    /// What cannot be right.
    public var doubts: [SpoolDoubt] {
        switch self {
        case .tigerTag(let tag): tag.doubts
        case .anycubic(let spool): spool.doubts
        case .elegoo(let spool): spool.doubts
        case .qidi: []
        }
    }
}

extension SpoolContent: Encodable {
    /// Encodes the fields of the format.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .tigerTag(let tag): try tag.encode(to: encoder)
        case .anycubic(let spool): try spool.encode(to: encoder)
        case .elegoo(let spool): try spool.encode(to: encoder)
        case .qidi(let spool): try spool.encode(to: encoder)
        }
    }
}
