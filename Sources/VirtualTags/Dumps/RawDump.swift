/// Raw memory without metadata: the size selects the candidates, and check bytes confirm one.
enum RawDump {
    /// Bytes in front of the pages in files of the proxmark3 client, newest first; 0 for none.
    private static let prefixes = [56, 48, 0]
    private static let type2Sizes: Set<Int> = [64, 80, 164, 168, 176, 180, 192, 532, 536, 540, 924]
    /// An NTAG215 with its signature behind the pages, as some programs save amiibo.
    private static let signedSize = 572

    static func image(_ bytes: [UInt8]) throws(DumpError) -> TagImage {
        if let image = classic(bytes) ?? signed(bytes) ?? type2(bytes) ?? ISO15693Binary.image(bytes) ?? type5(bytes) {
            return image
        }
        // Programs that make the memory of a spool leave out the second check byte, which the chip has: ``TagImage/completeCheckByte()``.
        if let complete = withCheckByte(bytes), let image = type2(complete) {
            var image = image
            image.setUnit(2, Array(bytes[8..<12]))
            return image
        }
        throw DumpError(.unknownFormat)
    }

    private static func signed(_ bytes: [UInt8]) -> TagImage? {
        guard bytes.count == signedSize, var image = type2(Array(bytes.dropLast(32))) else { return nil }
        image.facts.signature = Array(bytes.suffix(32))
        return image
    }

    /// The memory of a Type 5 Tag from its capability container on; the file has no UID. Blocks are of four bytes, which
    /// almost all such tags have, and a message does not depend on it.
    private static func type5(_ bytes: [UInt8]) -> TagImage? {
        guard isType5(bytes), (8...8192).contains(bytes.count), bytes.count % 4 == 0 else { return nil }
        var image = TagImage(kind: .iso15693, identifier: [], unitSize: 4, unitCount: bytes.count / 4)
        for block in 0..<image.unitCount { image.setUnit(block, Array(bytes[block * 4..<block * 4 + 4])) }
        return image
    }

    /// The magic number and version 1 of the mapping (NFC Forum Type 5 Tag specification).
    private static func isType5(_ bytes: [UInt8]) -> Bool {
        bytes.count > 4 && [0xE1, 0xE2].contains(bytes[0]) && bytes[1] >> 6 == 1
    }

    private static func type2(_ bytes: [UInt8]) -> TagImage? {
        guard !isType5(bytes) else { return nil }
        for prefix in prefixes {
            let memory = Array(bytes.dropFirst(prefix))
            guard isType2(memory), prefix == 0 ? type2Sizes.contains(memory.count) : memory.count % 4 == 0 else {
                continue
            }
            // The new header names the last page.
            if prefix == 56, Int(bytes[11]) != memory.count / 4 - 1 { continue }
            var image = TagImage(
                kind: .type2, identifier: Array(memory.prefix(3) + memory[4..<8]), unitSize: 4,
                unitCount: memory.count / 4)
            for page in 0..<image.unitCount { image.setUnit(page, Array(memory[page * 4..<page * 4 + 4])) }
            if prefix > 0, bytes.prefix(8).contains(where: { $0 != 0 }) { image.facts.version = Array(bytes.prefix(8)) }
            if prefix == 56 {
                image.facts.signature = Array(bytes[12..<44])
                image.facts.counters = [44, 48, 52].map { start in
                    bytes[start..<start + 3].reversed().reduce(0) { $0 << 8 | UInt32($1) }
                }
            }
            return image
        }
        return nil
    }

    /// Memory of a Type 2 tag whose BCC1 is zero, with the right one; nil unless BCC0 and the capability container show that it is one.
    private static func withCheckByte(_ bytes: [UInt8]) -> [UInt8]? {
        guard type2Sizes.contains(bytes.count), bytes[8] == 0, bytes[12] == 0xE1, bytes[13] >> 4 == 1 else {
            return nil
        }
        var complete = bytes
        complete[8] = bytes[4..<8].reduce(0, ^)
        return complete
    }

    /// BCC0 with the cascade tag, and BCC1 (ISO/IEC 14443-3).
    private static func isType2(_ memory: [UInt8]) -> Bool {
        guard (64...2048).contains(memory.count) else { return false }
        return memory[0..<3].reduce(0x88, ^) == memory[3] && memory[4..<8].reduce(0, ^) == memory[8]
    }

    private static func classic(_ bytes: [UInt8]) -> TagImage? {
        guard [320, 1024, 4096].contains(bytes.count), isTrailer(bytes[48..<64]) else { return nil }
        // Cards of 1K are found padded to 4096 bytes; a real 4K has access bits in sector 16.
        let count = bytes.count == 4096 && !isTrailer(bytes[1072..<1088]) ? 1024 : bytes.count
        let hasCheckByte = bytes[0..<4].reduce(0, ^) == bytes[4]
        var image = TagImage(
            kind: .mifareClassic, product: [320: "MINI", 1024: "1K"][count] ?? "4K",
            identifier: Array(bytes.prefix(hasCheckByte ? 4 : 7)), unitSize: 16, unitCount: count / 16)
        for block in 0..<image.unitCount { image.setUnit(block, Array(bytes[block * 16..<block * 16 + 16])) }
        return image
    }

    /// Access bits are in a trailer twice, once inverted (MIFARE Classic data sheet).
    private static func isTrailer(_ block: ArraySlice<UInt8>) -> Bool {
        let bits = Array(block.dropFirst(6).prefix(3))
        guard bits.count == 3 else { return false }
        let inverted = [bits[0] & 0x0F, bits[0] >> 4, bits[1] & 0x0F]
        let plain = [bits[1] >> 4, bits[2] & 0x0F, bits[2] >> 4]
        return zip(inverted, plain).allSatisfy { $0 ^ $1 == 0x0F }
    }
}

extension TagImage {
    /// The image as raw memory: Type 2 as the proxmark3 has it, with a header of 56 bytes where the version is known; MIFARE Classic and
    /// ISO/IEC 15693 as their blocks.
    ///
    /// Facts that are neither in the memory nor in that header are lost, of an ISO/IEC 15693 tag the UID too.
    ///
    /// - Throws: ``DumpError`` for holes, and for what ``init(dump:)`` would not recognise as the same memory.
    public func rawFile() throws(DumpError) -> [UInt8] {
        let file =
            switch kind {
            case .iso15693: try memory(nil) { "Block \($0)" }
            case .type2: try rawHeader + memory(nil) { "Page \($0)" }
            case .mifareClassic: try memory(nil) { "Block \($0)" }
            default: throw DumpError(.unsupported("a tag of this kind as raw memory"))
            }
        return try readAgain(file, hasIdentifier: kind != .iso15693)
    }

    /// The image in the binary form of the proxmark3: of ISO/IEC 15693 with UID, AFI, DSFID and locks in front; of others that of
    /// ``rawFile()``.
    ///
    /// - Throws: ``DumpError`` as ``rawFile()``.
    public func proxmarkFile() throws(DumpError) -> [UInt8] {
        guard kind == .iso15693 else { return try rawFile() }
        return try readAgain(try ISO15693Binary.file(self), hasIdentifier: true)
    }

    /// A file that is read as this image again.
    private func readAgain(_ file: [UInt8], hasIdentifier: Bool) throws(DumpError) -> [UInt8] {
        guard let again = try? TagImage(dump: file), again.kind == kind,
            !hasIdentifier || again.identifier == identifier && again.unitCount == unitCount && again.units == units,
            hasIdentifier || (try? again.memory(nil) { "Block \($0)" }) == file
        else { throw DumpError(.unsupported("raw memory (the file would be read as another tag; use JSON)")) }
        return file
    }

    /// Version, three bytes not known, the last page, signature, counters with their tearing flags.
    private var rawHeader: [UInt8] {
        guard kind == .type2, let version = facts.version else { return [] }
        let counters = (0..<3).flatMap { number in
            let value = facts.counters.dropFirst(number).first ?? 0
            return [0, 8, 16].map { UInt8(truncatingIfNeeded: value >> $0) } + [0x00]
        }
        return version + [0, 0, 0, UInt8(truncatingIfNeeded: unitCount - 1)]
            + (facts.signature ?? [UInt8](repeating: 0, count: 32)) + counters
    }
}
