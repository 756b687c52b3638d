import ArgumentParser
import NDEF
import NFCProtocol
import VirtualTags

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file that a dump is saved to.
struct DumpOutput {
    /// In what form.
    enum Format: String, CaseIterable {
        /// Flipper.
        case nfc
        /// That of proxmark3, and what nfcd adds for other tags.
        case json
        /// The memory alone.
        case bin

        /// The form that the ending of a name asks for.
        init?(path: String) {
            guard let dot = path.lastIndex(of: ".") else { return nil }
            self.init(rawValue: path[path.index(after: dot)...].lowercased())
        }

        /// All of them, for people.
        static var endings: String { allCases.map { ".\($0.rawValue) (\($0.words))" }.joined(separator: ", ") }

        private var words: String {
            switch self {
            case .nfc: "Flipper"
            case .json: "proxmark3"
            case .bin: "memory alone"
            }
        }
    }

    private let path: String
    private let format: Format
    private let replaces: Bool

    /// Nil where the ending tells no form.
    init?(path: String, replaces: Bool) {
        guard let format = Format(path: path) else { return nil }
        (self.path, self.format, self.replaces) = (path, format, replaces)
    }

    /// What messages call it.
    var name: String { path.escaped }

    /// Refuses a file that is there, before anybody waits for a tag.
    ///
    /// - Throws: `ExitCode` 73, after the reason was said.
    func check() throws {
        guard !replaces, access(path, F_OK) == 0 else { return }
        Terminal.error("nfcctl: \(name) is there already; --force replaces it")
        throw ExitCode.cannotCreate
    }

    /// Saves a dump.
    ///
    /// - Throws: `ExitCode`, after the reason was said: 65 where the form has no room for such a tag, else as
    ///   ``OutputFile/write(_:)``.
    func save(_ dump: TagDumpMemory.Result, of tag: ConnectedTag) throws {
        let content: [UInt8]
        do throws(DumpError) {
            content = try Self.content(TagImage(dump, identifier: tag.tag.identifier.bytes), format)
        } catch {
            Terminal.error("nfcctl: \(name): \(error)")
            throw ExitCode.badData
        }
        try OutputFile(path: path, replaces: replaces).write(content)
    }

    private static func content(_ image: TagImage, _ format: Format) throws(DumpError) -> [UInt8] {
        switch format {
        case .nfc: Array(try image.flipperFile().utf8)
        case .json: Array(try image.jsonFile().utf8)
        case .bin: try image.rawFile()
        }
    }
}

extension TagImage {
    /// The image of a tag that was dumped through nfcd. What could not be read is a hole.
    ///
    /// - Throws: `DumpError` for what a file of pages or blocks has no room for.
    init(_ dump: TagDumpMemory.Result, identifier: [UInt8]) throws(DumpError) {
        guard let kind = Kind(dump.layout) else {
            self.init(product: dump.product ?? "", identifier: identifier, files: try Self.files(dump.sections))
            return
        }
        guard dump.sections.count == 1, let blocks = dump.sections.first?.blocks else {
            throw DumpError(unsupported: "a tag of \(dump.sections.count) memories in such a file")
        }
        let end = (blocks.map(\.number).max() ?? -1) + 1
        guard blocks.allSatisfy({ $0.number >= 0 }), end <= Self.maximumUnits else {
            throw DumpError(unsupported: "a tag with block \(end - 1)")
        }
        // The blocks of FeliCa Lite are not numbered one after another.
        self.init(
            kind: kind, product: dump.product ?? "", identifier: identifier, unitSize: dump.blockSize,
            unitCount: kind == .feliCa ? blocks.count : end)
        for block in blocks { if let bytes = block.bytes { setUnit(block.number, bytes.bytes) } }
        facts = TagFacts(dump.facts)
        setAnswers()
    }

    /// The files of a Type 4 tag, which has the capability container at least.
    private static func files(_ sections: [TagDumpMemory.Section]) throws(DumpError) -> [UInt16: [UInt8]] {
        var files: [UInt16: [UInt8]] = [:]
        for section in sections {
            guard let number = section.name.flatMap({ UInt16($0, radix: 16) }) else {
                throw DumpError(unsupported: "a file called \(section.name ?? "nothing")")
            }
            files[number] = section.blocks.flatMap { $0.bytes?.bytes ?? [] }
        }
        guard !files.isEmpty else { throw DumpError(unsupported: "a Type 4 tag without files") }
        return files
    }

    /// The most that ISO/IEC 15693 can number.
    private static let maximumUnits = 65_536

    /// ATQA and SAK, which PC/SC does not tell, as NXP's chips of this layout have them (AN10833).
    private mutating func setAnswers() {
        let isLong: UInt8 = identifier.count == 7 ? 0x40 : 0x00
        switch kind {
        case .type2: (facts.atqa, facts.sak) = ([0x00, 0x44], 0x00)
        case .mifareClassic where unitCount > 64: (facts.atqa, facts.sak) = ([0x00, 0x02 | isLong], 0x18)
        case .mifareClassic where unitCount > 20: (facts.atqa, facts.sak) = ([0x00, 0x04 | isLong], 0x08)
        case .mifareClassic: (facts.atqa, facts.sak) = ([0x00, 0x04 | isLong], 0x09)
        default: break
        }
    }
}

extension TagImage.Kind {
    /// Nil for a tag of files.
    fileprivate init?(_ layout: TagLayout) {
        switch layout {
        case .type1: self = .topaz
        case .type2: self = .type2
        case .type3: self = .feliCa
        case .type5: self = .iso15693
        case .mifareClassic: self = .mifareClassic
        case .type4: return nil
        }
    }
}

extension TagFacts {
    fileprivate init(_ facts: TagDumpMemory.Facts) {
        self.init()
        version = facts.version?.bytes
        signature = facts.signature?.bytes
        counters = Self.list(facts.counters ?? [:])
        manufactureParameter = facts.manufactureParameter?.bytes
        (dsfid, afi, icReference) = (facts.dsfid, facts.afi, facts.icReference)
        lockedUnits = Set(facts.lockedBlocks ?? [])
    }

    /// The counters by number from 0; one that is not known counts as 0. No chip has more than three.
    private static func list(_ counters: [Int: Int]) -> [UInt32] {
        guard let last = counters.keys.max(), (0..<3).contains(last) else { return [] }
        return (0...last).map { UInt32(clamping: counters[$0] ?? 0) }
    }
}
