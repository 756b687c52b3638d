/// Numbers and texts at fixed offsets, as formats of spools have them.
///
/// Offsets are those of a format and lie within it; what lies behind its end reads as zeros.
struct SpoolBytes: Sendable, Hashable {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Bytes, filled up with zeros.
    subscript(offset: Int, count: Int) -> [UInt8] {
        (offset..<offset + count).map { bytes.indices.contains($0) ? bytes[$0] : 0 }
    }

    /// The same with other bytes at an offset.
    func replacing(_ offset: Int, _ new: [UInt8]) -> SpoolBytes {
        var copy = bytes
        for (index, byte) in new.enumerated() where copy.indices.contains(offset + index) {
            copy[offset + index] = byte
        }
        return SpoolBytes(copy)
    }

    /// A number of up to 4 bytes, the highest first.
    func bigEndian(_ offset: Int, _ count: Int) -> UInt32 {
        self[offset, count].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// A number of 2 bytes, the lowest first.
    func littleEndian(_ offset: Int) -> Int {
        self[offset, 2].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    func byte(_ offset: Int) -> Int { Int(self[offset, 1][0]) }

    /// A text that is filled up with zeros. It is anyone's input: it may hold every character, and holds U+FFFD for what is not UTF-8.
    func text(_ offset: Int, _ count: Int) -> String {
        String(decoding: filled(offset, count), as: UTF8.self)
    }

    /// Whether a text is UTF-8.
    func isText(_ offset: Int, _ count: Int) -> Bool {
        String(validating: filled(offset, count), as: UTF8.self) != nil
    }

    /// Whether there is a text, and all of it is printable ASCII.
    func isPrintable(_ offset: Int, _ count: Int) -> Bool {
        let text = filled(offset, count)
        return !text.isEmpty && text.allSatisfy { (0x20..<0x7F).contains($0) }
    }

    private func filled(_ offset: Int, _ count: Int) -> ArraySlice<UInt8> {
        let field = self[offset, count]
        return field.prefix((field.lastIndex { $0 != 0 } ?? -1) + 1)
    }
}
