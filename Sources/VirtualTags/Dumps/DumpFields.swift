/// Named values of a dump file, with their lines.
struct DumpFields {
    /// One value.
    struct Entry {
        let line: Int
        let value: String
    }

    private var entries: [String: Entry] = [:]

    /// Adds a value.
    ///
    /// - Throws: ``DumpError`` for a name that is there already.
    mutating func add(_ name: String, _ value: String, line: Int) throws(DumpError) {
        guard entries[name] == nil else { throw DumpError(.repeated, line: line, field: name) }
        entries[name] = Entry(line: line, value: value)
    }

    subscript(name: String) -> Entry? { entries[name] }

    /// A value that has to be there.
    func text(_ name: String) throws(DumpError) -> String {
        guard let entry = entries[name] else { throw DumpError(.missing, field: name) }
        return entry.value
    }

    /// A decimal number in a range.
    func number(_ name: String, in range: ClosedRange<Int>, radix: Int = 10) throws(DumpError) -> Int {
        let text = try text(name)
        guard let number = Int(text, radix: radix), range.contains(number) else { throw invalid(name) }
        return number
    }

    /// Bytes that have to be there, in one of these numbers.
    func bytes(_ name: String, counts: [Int]) throws(DumpError) -> [UInt8] {
        guard let bytes = DumpHex.known(try text(name)), counts.contains(bytes.count) else { throw invalid(name) }
        return bytes
    }

    /// Bytes that may be missing; nil where they are.
    func optionalBytes(_ name: String, count: Int) throws(DumpError) -> [UInt8]? {
        entries[name] == nil ? nil : try bytes(name, counts: [count])
    }

    /// Bytes with holes; nil where the field is missing.
    func holes(_ name: String, count: Int) throws(DumpError) -> [UInt8?]? {
        guard let entry = entries[name] else { return nil }
        guard let bytes = DumpHex.bytes(entry.value), bytes.count == count else { throw invalid(name) }
        return bytes
    }

    /// The names that start like this and continue with a decimal number.
    func numbers(after prefix: String) -> [Int] {
        entries.keys.compactMap { $0.hasPrefix(prefix) ? Int($0.dropFirst(prefix.count)) : nil }.sorted()
    }

    /// What follows this in the names that start with it, in order.
    func names(after prefix: String) -> [String] {
        entries.keys.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }.sorted()
    }

    /// Whether a value of one byte is there and not zero.
    func isSet(_ name: String) throws(DumpError) -> Bool { try optionalBytes(name, count: 1)?.first ?? 0 != 0 }

    /// `true` or `false`; false where the field is missing.
    func flag(_ name: String) throws(DumpError) -> Bool {
        switch entries[name]?.value {
        case nil, "false": return false
        case "true": return true
        default: throw invalid(name)
        }
    }

    /// An error about a value that is there.
    func invalid(_ name: String) -> DumpError {
        DumpError(.invalid(entries[name]?.value ?? ""), line: entries[name]?.line, field: name)
    }
}

/// Numbers and bytes in the text of dump files.
enum DumpHex {
    /// Bytes of two digits each; with blanks between them or not, `??` or `--` for one that is not known. Nil for
    /// anything else.
    static func bytes(_ text: String) -> [UInt8?]? {
        var result: [UInt8?] = []
        var rest = text.utf8[...]
        while let first = rest.popFirst() {
            if first == UInt8(ascii: " ") { continue }
            guard let second = rest.popFirst() else { return nil }
            if [UInt8(ascii: "?"), UInt8(ascii: "-")].contains(first), second == first {
                result.append(nil)
            } else {
                guard let high = digit(first), let low = digit(second) else { return nil }
                result.append(high << 4 | low)
            }
        }
        return result
    }

    /// Bytes that are all known.
    static func known(_ text: String) -> [UInt8]? {
        guard let bytes = bytes(text) else { return nil }
        let known = bytes.compactMap { $0 }
        return known.count == bytes.count ? known : nil
    }

    /// Upper-case digits in pairs, blanks between them unless another separator is given.
    ///
    /// - Parameter unknown: what a byte is written as that is not known.
    static func text(_ bytes: some Sequence<UInt8?>, separator: String = " ", unknown: String = "??") -> String {
        bytes.map { byte in
            guard let byte else { return unknown }
            let digits = String(byte, radix: 16, uppercase: true)
            return byte < 16 ? "0" + digits : digits
        }.joined(separator: separator)
    }

    private static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
