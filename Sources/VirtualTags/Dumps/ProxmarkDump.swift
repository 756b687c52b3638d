/// A JSON dump of the proxmark3 client, or of ``TagImage/jsonFile()``: `FileType`, `Card`, `blocks` or `files`.
struct ProxmarkDump {
    private var fields = DumpFields()

    init(_ bytes: [UInt8]) throws(DumpError) {
        guard case .object(let members) = try JSONReader.read(bytes) else { throw DumpError(.unknownFormat) }
        try add(members, prefix: "")
    }

    /// Strings become fields; those inside of `Card`, `blocks` and `files` get its name in front. Names of fields differ in
    /// case between versions of the client.
    private mutating func add(_ members: [JSONReader.Member], prefix: String) throws(DumpError) {
        for member in members {
            let name = prefix + member.name.lowercased()
            switch member.value {
            case .string(let text): try fields.add(name, text, line: member.line)
            case .object(let inner) where prefix.isEmpty && ["card", "blocks", "files"].contains(name):
                try add(inner, prefix: name + ".")
            case .object, .other: break
            }
        }
    }

    func image() throws(DumpError) -> TagImage {
        let type = try fields.text("filetype")
        var image =
            switch type {
            case "mfu": try units(.type2, identifiers: [4, 7], sizes: [4], limit: 512)
            case "mfcard", "mfc v2", "mfc v3": try classic()
            case "15693", "15693 v2", "15693 v3": try iso15693(hasLocks: false)
            case "15693 v4", "15693 v5": try iso15693(hasLocks: true)
            case "topaz": try topaz()
            case TagImage.feliCaFileType: try feliCa()
            case TagImage.type4FileType: try type4()
            default:
                throw DumpError(.unsupported("file type \(type)"), line: fields["filetype"]?.line, field: "FileType")
            }
        try addFacts(to: &image)
        return image
    }

    /// The facts that any kind may have.
    private func addFacts(to image: inout TagImage) throws(DumpError) {
        if let product = fields["card.product"], !product.value.isEmpty { image.product = product.value }
        image.facts.atqa = try fields.optionalBytes("card.atqa", count: 2)?.reversed()
        image.facts.sak = try fields.optionalBytes("card.sak", count: 1)?.first
        image.facts.version = try fields.optionalBytes("card.version", count: 8)
        image.facts.signature = try fields.optionalBytes("card.signature", count: 32)
        for number in 0..<3 {
            // As READ_CNT answers, least significant byte first.
            guard let bytes = try fields.optionalBytes("card.counter\(number)", count: 3) else { break }
            image.facts.counters.append(bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) })
        }
    }

    private func classic() throws(DumpError) -> TagImage {
        var image = try units(
            .mifareClassic, identifiers: [4, 7, 10], sizes: [16], limit: 256, count: classicBlockCount())
        image.product = [20: "MINI", 64: "1K", 256: "4K"][image.unitCount] ?? ""
        return image
    }

    /// The size given in the file, else the one of the SAK, else the smallest that holds the last block.
    private func classicBlockCount() throws(DumpError) -> Int? {
        if fields["card.blockcount"] != nil { return try fields.number("card.blockcount", in: 1...256) }
        let sizes: [(blocks: Int, sak: UInt8)] = [(20, 0x09), (64, 0x08), (256, 0x18)]
        let sak = try fields.optionalBytes("card.sak", count: 1)?.first
        let last = fields.numbers(after: "blocks.").last ?? 0
        let fitting = sizes.filter { last < $0.blocks }
        return (fitting.first { $0.sak == sak } ?? fitting.first)?.blocks
    }

    private func iso15693(hasLocks: Bool) throws(DumpError) -> TagImage {
        var image = try units(
            .iso15693, identifiers: [8], sizes: Array(1...32), limit: TagImage.largestBlockCount,
            count: try hasLocks ? pageCount() : nil)
        if let size = try fields.optionalBytes("card.bytesperpage", count: 1)?.first, hasLocks, size != image.unitSize {
            throw fields.invalid("card.bytesperpage")
        }
        image.orderISO15693Identifier()
        image.facts.dsfid = try fields.optionalBytes("card.dsfid", count: 1)?.first
        image.facts.afi = try fields.optionalBytes("card.afi", count: 1)?.first
        image.facts.icReference = try fields.optionalBytes("card.ic", count: 1)?.first
        guard hasLocks else { return image }
        let locks = try fields.optionalBytes("card.locks", count: image.unitCount) ?? []
        image.facts.lockedUnits = Set(locks.indices.filter { locks[$0] != 0 })
        image.facts.isDSFIDLocked = try fields.isSet("card.dsfidlock")
        image.facts.isAFILocked = try fields.isSet("card.afilock")
        return image
    }

    /// One byte, or two with the least significant one first; nil where nothing is said.
    private func pageCount() throws(DumpError) -> Int? {
        guard fields["card.pagescount"] != nil else { return nil }
        let count = try fields.bytes("card.pagescount", counts: [1, 2]).reversed().reduce(0) { $0 << 8 | Int($1) }
        guard count <= TagImage.largestBlockCount else { throw fields.invalid("card.pagescount") }
        return count == 0 ? nil : count
    }

    private func topaz() throws(DumpError) -> TagImage {
        var image = try units(.topaz, identifiers: [4, 7], sizes: [8], limit: 256)
        image.facts.header = try fields.optionalBytes("card.h0r1", count: 2)
        return image
    }

    private func feliCa() throws(DumpError) -> TagImage {
        let count = try fields.number("card.blockcount", in: 1...TagImage.largestBlockCount)
        var image = TagImage(
            kind: .feliCa, identifier: try fields.bytes("card.uid", counts: [8]), unitSize: VirtualFeliCaTag.blockSize,
            unitCount: count)
        image.facts.manufactureParameter = try fields.optionalBytes("card.pmm", count: 8)
        try addUnits(fields.numbers(after: "blocks."), limit: 0x1_0000, to: &image)
        return image
    }

    private func type4() throws(DumpError) -> TagImage {
        var files: [UInt16: [UInt8]] = [:]
        for name in fields.names(after: "files.") {
            let field = "files.\(name)"
            guard name.utf8.count == 4, let identifier = UInt16(name, radix: 16),
                let content = DumpHex.known(try fields.text(field))
            else { throw fields.invalid(field) }
            files[identifier] = content
        }
        return TagImage(identifier: try fields.bytes("card.uid", counts: [4, 7, 10]), files: files)
    }

    /// The blocks, all of one size; unless a count is given, the tag ends with the last of them.
    private func units(
        _ kind: TagImage.Kind, identifiers: [Int], sizes: [Int], limit: Int, count: Int? = nil
    ) throws(DumpError) -> TagImage {
        let numbers = fields.numbers(after: "blocks.")
        guard let first = numbers.first, let last = numbers.last else { throw DumpError(.missing, field: "blocks") }
        let text = fields["blocks.\(first)"]?.value ?? ""
        guard let size = DumpHex.bytes(text)?.count, sizes.contains(size) else {
            throw fields.invalid("blocks.\(first)")
        }
        guard last < limit else { throw fields.invalid("blocks.\(last)") }
        var image = TagImage(
            kind: kind, identifier: try fields.bytes("card.uid", counts: identifiers), unitSize: size,
            unitCount: count ?? last + 1)
        try addUnits(numbers, limit: image.unitCount, to: &image)
        return image
    }

    private func addUnits(_ numbers: [Int], limit: Int, to image: inout TagImage) throws(DumpError) {
        for number in numbers {
            let name = "blocks.\(number)"
            guard (0..<limit).contains(number), let bytes = try fields.holes(name, count: image.unitSize) else {
                throw fields.invalid(name)
            }
            image.setUnit(number, bytes)
        }
    }
}

extension TagImage {
    /// What ``jsonFile()`` calls a FeliCa card; the proxmark3 has no form for one.
    static let feliCaFileType = "nfcd felica"
    /// What ``jsonFile()`` calls the files of a Type 4 tag.
    static let type4FileType = "nfcd type4"

    /// Turns an ISO/IEC 15693 identifier that has E0 last, as it goes over the air, round.
    mutating func orderISO15693Identifier() {
        if identifier.last == 0xE0 { identifier.reverse() }
    }
}

extension TagImage {
    /// The image as a JSON file in the form of the proxmark3 client, with two more file types: `nfcd felica` and
    /// `nfcd type4`. Every kind can be written, and comes back the same.
    ///
    /// Bytes that are not known are written as `--`, which the proxmark3 shows for a key but does not read. `Product`, `PMm` and `BlockCount`
    /// are fields that it passes over.
    ///
    /// - Throws: ``DumpError`` where the file would be too large to be read back, or there is nothing to write.
    public func jsonFile() throws(DumpError) -> String {
        guard !identifier.isEmpty else { throw DumpError(.missing, field: "UID") }
        guard kind == .type4 || unitCount > 0 else { throw DumpError(.missing, field: "blocks") }
        let content =
            kind == .type4
            ? JSONText.object(
                files.sorted { $0.key < $1.key }.map { (Self.digits($0.key, count: 2), Self.compact($0.value)) })
            : JSONText.object(jsonBlocks)
        let text =
            """
            {
              "Created": "nfcd",
              "FileType": \(JSONText.string(jsonFileType)),
              "Card": \(JSONText.object(jsonCard)),
              "\(kind == .type4 ? "files" : "blocks")": \(content)
            }

            """
        guard text.utf8.count <= Self.largestFile else { throw DumpError(.tooLarge(text.utf8.count)) }
        return text
    }

    private var jsonFileType: String {
        switch kind {
        case .type2: "mfu"
        case .mifareClassic: "mfc v2"
        case .iso15693: unitCount > 0xFF ? "15693 v5" : "15693 v4"
        case .feliCa: Self.feliCaFileType
        case .topaz: "topaz"
        case .type4: Self.type4FileType
        }
    }

    /// All of them, except of FeliCa, whose blocks have gaps between their numbers.
    private var jsonBlocks: [(String, String)] {
        let hole = [UInt8?](repeating: nil, count: unitSize)
        let numbers = kind == .feliCa ? units.keys.sorted() : Array(0..<unitCount)
        return numbers.map { ("\($0)", Self.compact(units[$0] ?? hole)) }
    }

    private var jsonCard: [(String, String)] {
        let isReversed = kind == .iso15693 && identifier.first == 0xE0
        var fields = [
            (kind == .iso15693 ? "uid" : "UID", Self.compact(isReversed ? identifier.reversed() : identifier))
        ]
        if !product.isEmpty { fields.append(("Product", product)) }
        let known: [(String, [UInt8]?)] = [
            ("ATQA", facts.atqa?.reversed()), ("SAK", facts.sak.map { [$0] }), ("Version", facts.version),
            ("Signature", facts.signature),
        ]
        fields += known.compactMap { name, bytes in bytes.map { (name, Self.compact($0)) } }
        fields += facts.counters.enumerated().map { number, value in
            ("Counter\(number)", Self.compact([0, 8, 16].map { UInt8(truncatingIfNeeded: value >> $0) }))
        }
        switch kind {
        case .iso15693: fields += jsonISO15693
        case .feliCa: fields += [("BlockCount", "\(unitCount)")] + jsonField("PMm", facts.manufactureParameter)
        case .topaz: fields += jsonField("H0R1", facts.header) + [("Size", Self.reversed(unitCount * unitSize))]
        case .mifareClassic: fields.append(("BlockCount", "\(unitCount)"))
        case .type2, .type4: break
        }
        return fields
    }

    private var jsonISO15693: [(String, String)] {
        let locks: [UInt8] = (0..<unitCount).map { facts.lockedUnits.contains($0) ? 1 : 0 }
        let count = Self.reversed(unitCount)
        var fields = jsonField("dsfid", facts.dsfid.map { [$0] })
        fields.append(("dsfidlock", facts.isDSFIDLocked ? "01" : "00"))
        fields += jsonField("afi", facts.afi.map { [$0] })
        fields.append(("afilock", facts.isAFILocked ? "01" : "00"))
        fields.append(("bytesperpage", Self.digits(UInt16(truncatingIfNeeded: unitSize), count: 1)))
        fields.append(("pagescount", unitCount > 0xFF ? count : String(count.prefix(2))))
        fields += jsonField("ic", facts.icReference.map { [$0] })
        fields.append(("locks", Self.compact(locks)))
        return fields
    }

    private func jsonField(_ name: String, _ bytes: [UInt8]?) -> [(String, String)] {
        bytes.map { [(name, Self.compact($0))] } ?? []
    }

    private static func compact(_ bytes: [UInt8?]) -> String { DumpHex.text(bytes, separator: "", unknown: "--") }

    private static func digits(_ number: UInt16, count: Int) -> String {
        compact([UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)].suffix(count).map { $0 })
    }

    /// Two bytes, the least significant one first.
    private static func reversed(_ number: Int) -> String {
        compact([UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)])
    }
}
