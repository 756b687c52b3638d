import ArgumentParser
import NDEF
import NFCClient
import NFCProtocol
import NFCTypes
import VirtualTags

/// The file that a dump is saved to.
struct DumpOutput {
    /// The format of the file.
    enum Format: String, CaseIterable {
        /// The format of Flipper devices.
        case nfc
        /// The format of proxmark3, extended for more tag types.
        case json
        /// The raw memory; of an ISO/IEC 15693 tag the binary form of proxmark3, if the file has the name that proxmark3 gives it.
        case bin
        /// The text of MIFARE Classic Tool.
        case mct

        /// The format for the extension of a file name.
        init?(path: String) {
            guard let dot = path.lastIndex(of: ".") else { return nil }
            self.init(rawValue: path[path.index(after: dot)...].lowercased())
        }

        /// All extensions, as text.
        static var extensions: String { allCases.map { ".\($0.rawValue) (\($0.summary))" }.joined(separator: ", ") }

        private var summary: String {
            switch self {
            case .nfc: "Flipper"
            case .json: "proxmark3"
            case .bin: "raw memory"
            case .mct: "MIFARE Classic Tool"
            }
        }
    }

    private let file: SavedFile
    private let format: Format
    /// Whether the file is called as proxmark3 calls a binary dump of an ISO/IEC 15693 tag.
    private let isProxmark: Bool

    /// Returns nil if the extension is not known.
    init?(path: String, replaces: Bool) {
        guard let format = Format(path: path) else { return nil }
        self.format = format
        isProxmark = path.split(separator: "/").last?.lowercased().hasPrefix("hf-15-") == true
        file = SavedFile(path: path, replaces: replaces)
    }

    /// The name in messages.
    var name: String { file.name }

    /// Checks that the file does not exist, before waiting for a tag.
    ///
    /// - Throws: `ExitCode` 73, after printing the reason.
    func check() throws { try file.check() }

    /// Saves a dump.
    ///
    /// - Throws: `ExitCode`, after printing the reason: 65 if the format does not support the tag, otherwise as
    ///   ``SavedFile/write(_:)``.
    func save(_ dump: TagDump, of tag: RemoteTag) throws {
        let content: [UInt8]
        do throws(DumpError) {
            content = try bytes(of: TagImage(dump, identifier: tag.identifier))
        } catch {
            let reason =
                error.reason == .incomplete
                ? "\(error.field ?? "a block") was not read completely, and this format cannot say so; use another one"
                : "\(error)"
            Terminal.error("nfcctl: cannot save the tag to \(name): \(reason)")
            throw ExitCode.badData
        }
        try file.write(content)
    }

    private func bytes(of image: TagImage) throws(DumpError) -> [UInt8] {
        switch format {
        case .nfc: Array(try image.flipperFile().utf8)
        case .json: Array(try image.jsonFile().utf8)
        case .bin: isProxmark ? try image.proxmarkFile() : try image.rawFile()
        case .mct: Array(try image.classicTextFile().utf8)
        }
    }
}

extension TagImage {
    /// Creates the image of a tag that was dumped through nfcd. Unreadable blocks are missing in the image.
    ///
    /// - Throws: `DumpError` if dump files do not support the tag.
    init(_ dump: TagDump, identifier: [UInt8]) throws(DumpError) {
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
        // The block numbers of FeliCa Lite are not consecutive.
        self.init(
            kind: kind, product: dump.product ?? "", identifier: identifier, unitSize: dump.blockSize,
            unitCount: kind == .feliCa ? blocks.count : end)
        for block in blocks { if let bytes = block.bytes { setUnit(block.number, bytes.bytes) } }
        facts = TagFacts(dump.facts)
        setAnswers()
        hideUnreadKeys()
    }

    /// The files of a Type 4 tag; there is at least the capability container.
    private static func files(_ sections: [TagDump.Section]) throws(DumpError) -> [UInt16: [UInt8]] {
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

    /// The maximum number of blocks in ISO/IEC 15693.
    private static let maximumUnits = 65_536

    /// Sets ATQA and SAK, which PC/SC does not report, to the values of NXP's chips with this layout (AN10833).
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
    /// Returns nil for a tag with files instead of blocks.
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
    fileprivate init(_ facts: TagDump.Facts) {
        self.init()
        version = facts.version?.bytes
        signature = facts.signature?.bytes
        counters = Self.list(facts.counters ?? [:])
        manufactureParameter = facts.manufactureParameter?.bytes
        (dsfid, afi, icReference) = (facts.dsfid, facts.afi, facts.icReference)
        lockedUnits = Set(facts.lockedBlocks ?? [])
    }

    /// The counters in the order of their numbers; an unknown counter is 0. No chip has more than three.
    private static func list(_ counters: [Int: Int]) -> [UInt32] {
        guard let last = counters.keys.max(), (0..<3).contains(last) else { return [] }
        return (0...last).map { UInt32(clamping: counters[$0] ?? 0) }
    }
}
