/// A JSON dump of the proxmark3 client: `FileType`, `Card`, `blocks`.
struct ProxmarkDump {
    private var fields = DumpFields()

    init(_ bytes: [UInt8]) throws(DumpError) {
        guard case .object(let members) = try JSONReader.read(bytes) else { throw DumpError(.unknownFormat) }
        try add(members, prefix: "")
    }

    /// Strings become fields; those inside of `Card` and `blocks` get its name in front. Names of fields differ in case
    /// between versions of the client.
    private mutating func add(
        _ members: [(name: String, line: Int, value: JSONReader.Value)], prefix: String
    ) throws(DumpError) {
        for member in members {
            let name = prefix + member.name.lowercased()
            switch member.value {
            case .string(let text): try fields.add(name, text, line: member.line)
            case .object(let inner) where prefix.isEmpty && ["card", "blocks"].contains(name):
                try add(inner, prefix: name + ".")
            case .object, .other: break
            }
        }
    }

    func image() throws(DumpError) -> TagImage {
        let type = try fields.text("filetype")
        switch type {
        case "mfu": return try type2()
        case "mfcard", "mfc v2", "mfc v3": return try classic()
        case "15693", "15693 v2", "15693 v3", "15693 v4": return try iso15693()
        case "topaz": return try topaz()
        default:
            throw DumpError(.unsupported("file type \(type)"), line: fields["filetype"]?.line, field: "FileType")
        }
    }

    private func type2() throws(DumpError) -> TagImage {
        var image = try units(.type2, identifiers: [7], sizes: [4], limit: 512)
        image.facts.version = try fields.optionalBytes("card.version", count: 8)
        image.facts.signature = try fields.optionalBytes("card.signature", count: 32)
        for number in 0..<3 {
            // As READ_CNT answers, least significant byte first.
            guard let bytes = try fields.optionalBytes("card.counter\(number)", count: 3) else { break }
            image.facts.counters.append(bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) })
        }
        return image
    }

    private func classic() throws(DumpError) -> TagImage {
        var image = try units(.mifareClassic, identifiers: [4, 7, 10], sizes: [16], limit: 256)
        image.facts.atqa = try fields.optionalBytes("card.atqa", count: 2)?.reversed()
        image.facts.sak = try fields.optionalBytes("card.sak", count: 1)?.first
        return image
    }

    private func iso15693() throws(DumpError) -> TagImage {
        var image = try units(.iso15693, identifiers: [8], sizes: Array(1...32), limit: 256)
        if image.identifier.first != 0xE0, image.identifier.last == 0xE0 { image.identifier.reverse() }
        image.facts.dsfid = try fields.optionalBytes("card.dsfid", count: 1)?.first
        image.facts.afi = try fields.optionalBytes("card.afi", count: 1)?.first
        image.facts.icReference = try fields.optionalBytes("card.ic", count: 1)?.first
        return image
    }

    private func topaz() throws(DumpError) -> TagImage {
        try units(.topaz, identifiers: [4, 7], sizes: [8], limit: 256)
    }

    /// The blocks, all of one size; the tag ends with the last of them.
    private func units(
        _ kind: TagImage.Kind, identifiers: [Int], sizes: [Int], limit: Int
    ) throws(DumpError) -> TagImage {
        let numbers = fields.numbers(after: "blocks.")
        guard let first = numbers.first, let last = numbers.last else { throw DumpError(.missing, field: "blocks") }
        guard first >= 0 else { throw fields.invalid("blocks.\(first)") }
        guard last < limit else { throw fields.invalid("blocks.\(last)") }
        let text = fields["blocks.\(first)"]?.value ?? ""
        guard let size = DumpHex.bytes(text)?.count, sizes.contains(size) else {
            throw fields.invalid("blocks.\(first)")
        }
        var image = TagImage(
            kind: kind, identifier: try fields.bytes("card.uid", counts: identifiers), unitSize: size,
            unitCount: last + 1)
        for number in numbers {
            if let bytes = try fields.holes("blocks.\(number)", count: size) { image.setUnit(number, bytes) }
        }
        return image
    }
}
