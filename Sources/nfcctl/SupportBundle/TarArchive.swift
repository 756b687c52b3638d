/// An archive of files in the ustar format (POSIX.1, pax).
struct TarArchive {
    private static let block = 512
    private(set) var bytes: [UInt8] = []

    /// Adds a file.
    ///
    /// - Parameters:
    ///   - name: its path, at most 99 bytes.
    ///   - time: when it was made, in seconds since 1970.
    mutating func add(_ name: String, _ content: [UInt8], time: UInt64) {
        var header = [UInt8](repeating: 0, count: Self.block)
        func put(_ text: String, at offset: Int, length: Int) {
            header.replaceSubrange(offset..<offset + min(text.utf8.count, length), with: text.utf8.prefix(length))
        }
        put(name, at: 0, length: 99)
        put("0000644", at: 100, length: 8)
        put("0000000", at: 108, length: 8)
        put("0000000", at: 116, length: 8)
        put(Self.octal(UInt64(content.count), digits: 11), at: 124, length: 12)
        put(Self.octal(time, digits: 11), at: 136, length: 12)
        put("        ", at: 148, length: 8)
        put("0", at: 156, length: 1)
        put("ustar", at: 257, length: 6)
        put("00", at: 263, length: 2)
        let sum = header.reduce(UInt64(0)) { $0 + UInt64($1) }
        put(Self.octal(sum, digits: 6) + "\0 ", at: 148, length: 8)
        bytes += header + content
        let rest = content.count % Self.block
        if rest > 0 { bytes += [UInt8](repeating: 0, count: Self.block - rest) }
    }

    /// The whole archive, with its end.
    var finished: [UInt8] { bytes + [UInt8](repeating: 0, count: 2 * Self.block) }

    private static func octal(_ number: UInt64, digits: Int) -> String {
        let text = String(number, radix: 8)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
