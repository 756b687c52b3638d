/// A Flipper `.nfc` file: one `name: value` a line, `#` in front of remarks.
struct FlipperDump {
    private var fields = DumpFields()

    init(_ bytes: [UInt8]) throws(DumpError) {
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            let text = String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
            guard !text.isEmpty, !text.hasPrefix("#") else { continue }
            guard let colon = text.firstIndex(of: ":") else {
                throw DumpError(.invalid(text), line: index + 1)
            }
            let value = text[text.index(after: colon)...].drop { $0 == " " }
            try fields.add(String(text[..<colon]), String(value), line: index + 1)
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
        // Pages that were not read stand in the file as zeros, behind the others.
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
        if fields["Data format version"] != nil, try fields.number("Data format version", in: 0...9) != 1 {
            throw DumpError(
                .unsupported("a FeliCa card other than Lite"), line: fields["Data format version"]?.line,
                field: "Data format version")
        }
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

    private func addUnits(_ prefix: String, to image: inout TagImage, before end: Int) throws(DumpError) {
        for number in fields.numbers(after: prefix) {
            let name = "\(prefix)\(number)"
            guard (0..<image.unitCount).contains(number) else { throw fields.invalid(name) }
            let bytes = try fields.holes(name, count: image.unitSize)
            if let bytes, number < end { image.setUnit(number, bytes) }
        }
    }
}

/// The block numbers of FeliCa Lite-S that stand behind the indices of a Flipper file.
enum FlipperFeliCa {
    static let blocks: [Int] = Array(0...0x0E) + Array(0x80...0x88) + Array(0x90...0x92) + [0xA0]
}
