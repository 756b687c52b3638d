extension TagImage {
    /// The image as a Flipper `.nfc` file, version 4.
    ///
    /// Of Type 2, what follows the first hole is left out; of FeliCa, blocks with holes are written as refused.
    ///
    /// - Throws: ``DumpError`` for what there is no such file for: Topaz, Type 4, a MIFARE Classic of an odd size, a FeliCa card with blocks that Lite-S does
    ///   not have, ISO/IEC 15693 with more than 256 blocks or with holes.
    public func flipperFile() throws(DumpError) -> String {
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
