import CSDBus

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A value of a D-Bus message. Numbers that no caller needs are not distinguished when they are read.
indirect enum BusValue: Sendable, Hashable {
    case boolean(Bool)
    case int32(Int32)
    case uint32(UInt32)
    case string(String)
    case objectPath(String)
    /// With the signature of an element.
    case array(of: String, [BusValue])
    /// The entry of a dictionary from texts to any values.
    case entry(String, BusValue)
    case variant(BusValue)
    case structure([BusValue])
    /// A value of a type that is not read here.
    case other(Character)

    /// A dictionary from texts to any values, `a{sv}`.
    static func options(_ options: [String: BusValue]) -> BusValue {
        .array(of: "{sv}", options.sorted { $0.key < $1.key }.map { .entry($0.key, .variant($0.value)) })
    }

    /// The value within a variant, or the value.
    var unwrapped: BusValue { if case .variant(let value) = self { value.unwrapped } else { self } }
    var text: String? {
        switch unwrapped {
        case .string(let text), .objectPath(let text): text
        default: nil
        }
    }
    var truth: Bool? { if case .boolean(let isTrue) = unwrapped { isTrue } else { nil } }
    var number: UInt32? { if case .uint32(let number) = unwrapped { number } else { nil } }
    var elements: [BusValue] { if case .array(_, let elements) = unwrapped { elements } else { [] } }

    /// The value of a key of a dictionary.
    subscript(key: String) -> BusValue? {
        elements.lazy.compactMap { if case .entry(key, let value) = $0 { value.unwrapped } else { nil } }.first
    }

    /// The signature of the type.
    var signature: String {
        switch self {
        case .boolean: "b"
        case .int32: "i"
        case .uint32: "u"
        case .string: "s"
        case .objectPath: "o"
        case .array(let element, _): "a\(element)"
        case .entry: "{sv}"
        case .variant: "v"
        case .structure(let members): "(\(members.map(\.signature).joined()))"
        case .other(let type): String(type)
        }
    }
}

/// Writes and reads the values of messages with the functions of libsystemd.
struct BusMessageCoder {
    /// D-Bus allows 64 levels; no message here needs more than a few.
    private static let deepest = 16

    let functions: csdbus_functions
    let message: OpaquePointer

    /// Appends a value; returns a negative code of errno(3) on failure.
    func append(_ value: BusValue) -> Int32 {
        switch value {
        case .boolean(let isTrue): append("b", Int32(isTrue ? 1 : 0))
        case .int32(let number): append("i", number)
        case .uint32(let number): append("u", number)
        case .string(let text): text.withCString { functions.append(message, CChar(UInt8(ascii: "s")), $0) }
        case .objectPath(let text): text.withCString { functions.append(message, CChar(UInt8(ascii: "o")), $0) }
        case .array(let element, let elements): append("a", element, elements)
        case .entry(let key, let value): append("e", "sv", [.string(key), value])
        case .variant(let value): append("v", value.signature, [value])
        case .structure(let members): append("r", members.map(\.signature).joined(), members)
        case .other: -EINVAL
        }
    }

    private func append<Number>(_ type: Unicode.Scalar, _ number: Number) -> Int32 {
        withUnsafeBytes(of: number) { functions.append(message, CChar(truncatingIfNeeded: type.value), $0.baseAddress) }
    }

    private func append(_ type: Unicode.Scalar, _ contents: String, _ values: [BusValue]) -> Int32 {
        var code = functions.open_container(message, CChar(truncatingIfNeeded: type.value), contents)
        for value in values where code >= 0 { code = append(value) }
        return code < 0 ? code : functions.close_container(message)
    }

    /// Reads all values up to the end of the message or the container.
    func values(depth: Int = 0) -> [BusValue] {
        var values: [BusValue] = []
        while let value = next(depth) { values.append(value) }
        return values
    }

    private func next(_ depth: Int) -> BusValue? {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        guard functions.peek(message, &type, &contents) > 0 else { return nil }
        let letter = Character(Unicode.Scalar(UInt8(bitPattern: type)))
        switch letter {
        case "b": return read(type, Int32(0)).map { .boolean($0 != 0) }
        case "i": return read(type, Int32(0)).map { .int32($0) }
        case "u": return read(type, UInt32(0)).map { .uint32($0) }
        case "s": return text(type).map { .string($0) }
        case "o": return text(type).map { .objectPath($0) }
        case "a", "e", "v", "r": return container(letter, type, contents, depth)
        // The largest basic value has eight bytes.
        default: return read(type, UInt64(0)).map { _ in .other(letter) }
        }
    }

    private func container(
        _ letter: Character, _ type: CChar, _ contents: UnsafePointer<CChar>?, _ depth: Int
    ) -> BusValue? {
        let signature = contents.map { String(cString: $0) } ?? ""
        guard depth < Self.deepest, functions.enter(message, type, contents) > 0 else { return nil }
        let values = values(depth: depth + 1)
        guard functions.exit(message) >= 0 else { return nil }
        switch letter {
        case "a": return .array(of: signature, values)
        case "v": return values.first.map { .variant($0) }
        case "e":
            guard values.count == 2, let key = values[0].text else { return .other("e") }
            return .entry(key, values[1])
        default: return .structure(values)
        }
    }

    private func read<Number>(_ type: CChar, _ initial: Number) -> Number? {
        var number = initial
        return withUnsafeMutableBytes(of: &number) { functions.read(message, type, $0.baseAddress) } > 0 ? number : nil
    }

    private func text(_ type: CChar) -> String? {
        var text: UnsafePointer<CChar>?
        guard functions.read(message, type, &text) > 0, let text else { return nil }
        return String(cString: text)
    }
}
