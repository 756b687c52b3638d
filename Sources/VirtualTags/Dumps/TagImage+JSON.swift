extension TagImage {
    /// The image as a JSON file in the form of the proxmark3 client, with two file types of its own: `nfcd felica` and
    /// `nfcd type4`. Every kind can be written, and comes back the same.
    ///
    /// Bytes that are not known are written as `??`, which the proxmark3 does not take. `Product`, `PMm` and `BlockCount`
    /// are fields that it passes over.
    ///
    /// - Throws: ``DumpError`` where the file would be too large to be read back, or there is nothing to write.
    public func jsonFile() throws(DumpError) -> String {
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
        return jsonField("dsfid", facts.dsfid.map { [$0] }) + [("dsfidlock", facts.isDSFIDLocked ? "01" : "00")]
            + jsonField("afi", facts.afi.map { [$0] }) + [("afilock", facts.isAFILocked ? "01" : "00")]
            + [
                ("bytesperpage", Self.digits(UInt16(truncatingIfNeeded: unitSize), count: 1)),
                ("pagescount", unitCount > 0xFF ? count : String(count.prefix(2))),
            ] + jsonField("ic", facts.icReference.map { [$0] }) + [("locks", Self.compact(locks))]
    }

    private func jsonField(_ name: String, _ bytes: [UInt8]?) -> [(String, String)] {
        bytes.map { [(name, Self.compact($0))] } ?? []
    }

    private static func compact(_ bytes: [UInt8?]) -> String { DumpHex.text(bytes, separator: "") }

    private static func digits(_ number: UInt16, count: Int) -> String {
        compact([UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)].suffix(count).map { $0 })
    }

    /// Two bytes, the least significant one first.
    private static func reversed(_ number: Int) -> String {
        compact([UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)])
    }
}
