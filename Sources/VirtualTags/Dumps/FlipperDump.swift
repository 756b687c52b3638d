/// A Flipper `.nfc` file: one `name: value` a line, `#` in front of remarks.
struct FlipperDump {
    private var fields = DumpFields()

    init(_ bytes: [UInt8]) throws(DumpError) {
        // A FeliCa card has several systems, whose fields have the same names.
        var system = ""
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            let text = String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
            guard !text.isEmpty, !text.hasPrefix("#") else { continue }
            guard let colon = text.firstIndex(of: ":") else {
                throw DumpError(.invalid(text), line: index + 1)
            }
            let value = text[text.index(after: colon)...].drop { $0 == " " }
            let name = String(text[..<colon])
            if Self.isSystem(name) { system = name + "/" }
            try fields.add(Self.isSystem(name) ? name : system + name, String(value), line: index + 1)
        }
    }

    func image() throws(DumpError) -> TagImage {
        let version = try fields.number("Version", in: 1...9)
        guard (2...4).contains(version) else {
            throw DumpError(.unsupported("version \(version)"), line: fields["Version"]?.line, field: "Version")
        }
        let type = try fields.text("Device type")
        var image =
            switch type {
            case "NTAG/Ultralight": try type2(product: fields.text("NTAG/Ultralight type"))
            case _ where type.hasPrefix("NTAG") || type.hasPrefix("Mifare Ultralight"): try type2(product: type)
            case "Mifare Classic": try classic()
            case "ISO15693-3", "SLIX": try iso15693(product: type)
            case "FeliCa": try feliCa()
            default:
                throw DumpError(
                    .unsupported("device type \(type)"), line: fields["Device type"]?.line, field: "Device type")
            }
        // Version 2 has the least significant byte first.
        let atqa = try fields.optionalBytes("ATQA", count: 2)
        image.facts.atqa = version == 2 ? atqa?.reversed() : atqa
        image.facts.sak = try fields.optionalBytes("SAK", count: 1)?.first
        return image
    }

    private func type2(product: String) throws(DumpError) -> TagImage {
        let count = try fields.number("Pages total", in: 1...512)
        var image = TagImage(
            kind: .type2, product: product, identifier: try fields.bytes("UID", counts: [4, 7]), unitSize: 4,
            unitCount: count)
        // Pages that were not read are zeros in the file, after the others.
        let read = fields["Pages read"] == nil ? count : try fields.number("Pages read", in: 0...count)
        try addUnits("Page ", to: &image, before: read)
        image.facts.signature = try fields.optionalBytes("Signature", count: 32)
        image.facts.version = try fields.optionalBytes("Mifare version", count: 8)
        for number in 0..<3 where fields["Counter \(number)"] != nil {
            let value = try fields.number("Counter \(number)", in: 0...0xFF_FFFF)
            image.facts.counters.append(UInt32(value))
        }
        return image
    }

    private func classic() throws(DumpError) -> TagImage {
        let sizes = ["MINI": 20, "1K": 64, "4K": 256]
        let type = try fields.text("Mifare Classic type")
        guard let count = sizes[type] else { throw fields.invalid("Mifare Classic type") }
        var image = TagImage(
            kind: .mifareClassic, product: type, identifier: try fields.bytes("UID", counts: [4, 7]), unitSize: 16,
            unitCount: count)
        try addUnits("Block ", to: &image, before: count)
        return image
    }

    private func iso15693(product: String) throws(DumpError) -> TagImage {
        let count = try fields.number("Block Count", in: 1...256)
        let size = try fields.number("Block Size", in: 1...32, radix: 16)
        var image = TagImage(
            kind: .iso15693, product: product, identifier: try fields.bytes("UID", counts: [8]), unitSize: size,
            unitCount: count)
        image.orderISO15693Identifier()
        let content = try fields.bytes("Data Content", counts: [count * size])
        for number in 0..<count { image.setUnit(number, Array(content[number * size..<(number + 1) * size])) }
        let locks = try fields.optionalBytes("Security Status", count: count) ?? []
        image.facts.lockedUnits = Set(locks.indices.filter { locks[$0] & 0x01 != 0 })
        image.facts.dsfid = try fields.optionalBytes("DSFID", count: 1)?.first
        image.facts.afi = try fields.optionalBytes("AFI", count: 1)?.first
        image.facts.isDSFIDLocked = try fields.flag("Lock DSFID")
        image.facts.isAFILocked = try fields.flag("Lock AFI")
        image.facts.icReference = try fields.optionalBytes("IC Reference", count: 1)?.first
        image.facts.signature = try fields.optionalBytes("Signature", count: 32)
        return image
    }

    private func feliCa() throws(DumpError) -> TagImage {
        // The first form has Lite alone; the second one has either the blocks of Lite or the services of another card.
        if fields["Data format version"] != nil {
            _ = try fields.number("Data format version", in: 1...(fields["IC Type"] == nil ? 1 : 2))
        }
        guard fields["Blocks total"] != nil || fields["System 00"] == nil else { return try feliCaServices() }
        let total = try fields.number("Blocks total", in: 1...FlipperFeliCa.blocks.count)
        let parameter = try fields.bytes("Manufacture parameter", counts: [8])
        var image = TagImage(
            kind: .feliCa, product: "FeliCa", identifier: try fields.bytes("UID", counts: [8]), unitSize: 16,
            unitCount: total)
        image.facts.manufactureParameter = parameter
        for index in fields.numbers(after: "Block ") {
            guard (0..<total).contains(index) else { throw fields.invalid("Block \(index)") }
            guard let bytes = try fields.holes("Block \(index)", count: 18) else { continue }
            // Status flags other than 00: the block could not be read.
            if bytes[0] == 0x00 { image.setUnit(FlipperFeliCa.blocks[index], Array(bytes.dropFirst(2))) }
        }
        return image
    }

    private static func isSystem(_ name: String) -> Bool {
        let words = name.split(separator: " ", omittingEmptySubsequences: false)
        return words.count == 2 && words[0] == "System" && Int(words[1]) != nil
    }

    /// The blocks of the NDEF system of a card with services.
    private func feliCaServices() throws(DumpError) -> TagImage {
        guard
            let system = fields.names(after: "System ").first(where: { number in
                !number.contains("/") && fields["System \(number)"]?.value.hasPrefix("12FC") == true
            })
        else {
            throw DumpError(.unsupported("a FeliCa card without the NDEF system 12FC"), field: "System 00")
        }
        let prefix = "System \(system)/Block "
        var blocks: [Int: [UInt8]] = [:]
        for number in fields.names(after: prefix) {
            let parts = try fields.text(prefix + number).split(separator: "|").map { $0.trimmed }
            // 0009 is read and written, 000B is read only.
            guard ["Service code 0009", "Service code 000B"].contains(parts.first ?? "") else { continue }
            guard parts.count > 2, let index = Int(parts[1].dropFirst("Block index ".count), radix: 16),
                let bytes = DumpHex.known(String(parts[2].dropFirst("Data:".count))), bytes.count == 16,
                (0..<TagImage.largestBlockCount).contains(index)
            else { throw fields.invalid(prefix + number) }
            blocks[index] = bytes
        }
        guard let last = blocks.keys.max() else { throw DumpError(.missing, field: prefix + "0000") }
        var image = TagImage(
            kind: .feliCa, product: "FeliCa", identifier: try fields.bytes("UID", counts: [8]), unitSize: 16,
            unitCount: last + 1)
        image.facts.manufactureParameter = try fields.bytes("Manufacture parameter", counts: [8])
        for (number, bytes) in blocks { image.setUnit(number, bytes) }
        return image
    }

    private func addUnits(_ prefix: String, to image: inout TagImage, before end: Int) throws(DumpError) {
        for number in fields.numbers(after: prefix) {
            let name = "\(prefix)\(number)"
            guard (0..<image.unitCount).contains(number) else { throw fields.invalid(name) }
            let bytes = try fields.holes(name, count: image.unitSize)
            if let bytes, number < end { image.setUnit(number, bytes) }
        }
    }
}

extension Substring {
    /// Without blanks at both ends.
    fileprivate var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}

/// The block numbers of FeliCa Lite-S that the indices of a Flipper file mean.
enum FlipperFeliCa {
    static let blocks: [Int] = Array(0...0x0E) + Array(0x80...0x88) + Array(0x90...0x92) + [0xA0]
}

extension TagImage {
    /// The image as a Flipper `.nfc` file, version 4.
    ///
    /// Of Type 2, what follows the first hole is left out; of FeliCa, blocks with holes are written as refused.
    ///
    /// - Throws: ``DumpError`` for what there is no such file for: Topaz, Type 4, a MIFARE Classic of an odd size, a FeliCa card with blocks that Lite-S does
    ///   not have, ISO/IEC 15693 with more than 256 blocks or with holes.
    public func flipperFile() throws(DumpError) -> String {
        guard !identifier.isEmpty else { throw DumpError(.missing, field: "UID") }
        var lines = ["Filetype: Flipper NFC device", "Version: 4", "Device type: \(try flipperDeviceType())"]
        lines.append("UID: \(DumpHex.text(identifier))")
        if let atqa = facts.atqa { lines.append("ATQA: \(DumpHex.text(atqa))") }
        if let sak = facts.sak { lines.append("SAK: \(DumpHex.text([sak]))") }
        switch kind {
        case .type2: lines += flipperType2()
        case .mifareClassic: lines += try flipperClassic()
        case .iso15693: lines += try flipperISO15693()
        case .feliCa: lines += try flipperFeliCa()
        case .topaz, .type4: break
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private func flipperDeviceType() throws(DumpError) -> String {
        switch kind {
        case .type2: return "NTAG/Ultralight"
        case .mifareClassic: return "Mifare Classic"
        case .iso15693: return "ISO15693-3"
        case .feliCa: return "FeliCa"
        case .topaz: throw DumpError(.unsupported("a Topaz in a Flipper file"))
        case .type4: throw DumpError(.unsupported("a Type 4 tag in a Flipper file"))
        }
    }

    private func flipperType2() -> [String] {
        // A chip of no known name is written as the plainest.
        let type = sizeOfNTAGI2C?.flipperName ?? type2Product?.flipperName ?? "Mifare Ultralight"
        var lines = ["Data format version: 2", "NTAG/Ultralight type: \(type)"]
        if let signature = facts.signature { lines.append("Signature: \(DumpHex.text(signature))") }
        if let version = facts.version { lines.append("Mifare version: \(DumpHex.text(version))") }
        for (number, value) in facts.counters.enumerated() {
            lines += ["Counter \(number): \(value)", "Tearing \(number): 00"]
        }
        lines += ["Pages total: \(unitCount)", "Pages read: \(flipperRead)"]
        // A page has no mark for bytes that are not known; what follows the first hole was not read.
        return lines + (0..<flipperRead).map { "Page \($0): \(DumpHex.text(unit($0) ?? []))" }
    }

    /// The pages in front of the first hole.
    private var flipperRead: Int { (0..<unitCount).first { unit($0) == nil } ?? unitCount }

    private func flipperClassic() throws(DumpError) -> [String] {
        guard let type = [20: "MINI", 64: "1K", 256: "4K"][unitCount] else {
            throw DumpError(.unsupported("a MIFARE Classic of \(unitCount) blocks"))
        }
        let hole = [UInt8?](repeating: nil, count: unitSize)
        return ["Mifare Classic type: \(type)", "Data format version: 2"]
            + (0..<unitCount).map { "Block \($0): \(DumpHex.text(units[$0] ?? hole))" }
    }

    private func flipperISO15693() throws(DumpError) -> [String] {
        guard unitCount <= 256 else { throw DumpError(.unsupported("a tag of \(unitCount) blocks in a Flipper file")) }
        let content = try memory(nil)
        let locks: [UInt8] = (0..<unitCount).map { facts.lockedUnits.contains($0) ? 1 : 0 }
        return [
            "DSFID: \(DumpHex.text([facts.dsfid ?? 0]))", "AFI: \(DumpHex.text([facts.afi ?? 0]))",
            "IC Reference: \(DumpHex.text([facts.icReference ?? 0]))", "Lock DSFID: \(facts.isDSFIDLocked)",
            "Lock AFI: \(facts.isAFILocked)",
            "Block Count: \(unitCount)", "Block Size: \(DumpHex.text([UInt8(truncatingIfNeeded: unitSize)]))",
            "Data Content: \(DumpHex.text(content))", "Security Status: \(DumpHex.text(locks))",
        ]
    }

    /// A block that is not known gets the status flags of one that was refused.
    private func flipperFeliCa() throws(DumpError) -> [String] {
        if let other = units.keys.filter({ !FlipperFeliCa.blocks.contains($0) }).min() {
            throw DumpError(.unsupported("a FeliCa card other than Lite in a Flipper file"), field: "Block \(other)")
        }
        let parameter = facts.manufactureParameter ?? [UInt8](repeating: 0, count: 8)
        let total = FlipperFeliCa.blocks.count
        let head = [
            "Data format version: 1", "Manufacture id: \(DumpHex.text(identifier))",
            "Manufacture parameter: \(DumpHex.text(parameter))", "Blocks total: \(total)",
            "Blocks read: \(FlipperFeliCa.blocks.count { unit($0) != nil })",
        ]
        return head
            + FlipperFeliCa.blocks.enumerated().map { index, number in
                let refused = [0x01, 0xA8] + [UInt8](repeating: 0, count: unitSize)
                return "Block \(index): \(DumpHex.text(unit(number).map { [0x00, 0x00] + $0 } ?? refused))"
            }
    }
}
