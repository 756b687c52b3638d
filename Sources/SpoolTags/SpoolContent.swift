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

    /// The content in words, with an article: `an Elegoo filament tag`.
    public var title: String {
        switch self {
        case .tigerTag: "a \(name)"
        case .anycubic, .elegoo: "an \(name) filament tag"
        case .qidi: "a \(name) filament tag"
        }
    }

    /// The bytes of the memory that it takes.
    public var extent: Range<Int> {
        switch self {
        case .tigerTag: TigerTag.place.extent
        case .anycubic: AnycubicSpool.place.extent
        case .elegoo: ElegooSpool.place.extent
        case .qidi: QidiSpool.extent
        }
    }

    /// The bytes of the memory that change with the use of the spool; nil if none do.
    public var usage: Range<Int>? {
        switch self {
        case .tigerTag: TigerTag.remainingPlace
        case .anycubic, .elegoo, .qidi: nil
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

extension SpoolContent {
    /// The bytes of the memory of a Type 2 tag that have to be read before ``recognised(in:)`` is certain: the marks of the formats, then
    /// what belongs to a mark that is there. Nil where enough was read.
    ///
    /// - Parameter end: where the part of the memory ends in which a mark may begin.
    public static func missing(in memory: SpoolMemory, marksBefore end: Int = .max) -> Range<Int>? {
        guard memory.layout == .type2 else { return nil }
        let places = [TigerTag.place, AnycubicSpool.place, ElegooSpool.place].filter { $0.mark.lowerBound < end }
        return places.lazy.compactMap { $0.missing(in: memory) }.first
    }
}

/// Where a format shows itself in a memory, and what it takes to recognise it.
struct SpoolPlace: Sendable, Hashable {
    /// The bytes of the mark.
    let mark: Range<Int>
    /// What may be there.
    let marks: [[UInt8]]
    /// All bytes of the content.
    let extent: Range<Int>
    /// The bytes that have to be known.
    let needed: Range<Int>

    /// The bytes to be read next; nil if the format is not there, or if it can be recognised.
    func missing(in memory: SpoolMemory) -> Range<Int>? {
        let found = mark.map { memory[$0, count: 1]?[0] }
        let isPossible = marks.contains { zip($0, found).allSatisfy { $1 == nil || $0 == $1 } }
        guard isPossible else { return nil }
        if found.contains(nil) { return mark }
        return memory[needed.lowerBound, count: needed.count] == nil ? needed : nil
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
