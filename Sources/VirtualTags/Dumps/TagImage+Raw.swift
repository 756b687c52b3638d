extension TagImage {
    /// The image as raw memory: Type 2 as the proxmark3 has it, with a header of 56 bytes where the version is known; MIFARE
    /// Classic as its blocks.
    ///
    /// Facts that stand neither in the memory nor in that header are lost.
    ///
    /// - Throws: ``DumpError`` for holes, and for what ``init(dump:)`` would not recognise as the same tag.
    public func rawFile() throws(DumpError) -> [UInt8] {
        guard kind == .type2 || kind == .mifareClassic else {
            throw DumpError(.unsupported("a tag of this kind as raw memory"))
        }
        let file = try rawHeader + memory(nil) { kind == .type2 ? "Page \($0)" : "Block \($0)" }
        guard let again = try? TagImage(dump: file), again.kind == kind, again.identifier == identifier,
            again.unitCount == unitCount, again.units == units
        else { throw DumpError(.unsupported("this memory without a word about it")) }
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
