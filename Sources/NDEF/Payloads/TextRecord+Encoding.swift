extension TextRecord.Encoding {
    /// The text in these bytes.
    func decode(
        _ bytes: ArraySlice<UInt8>, warnings: inout [NDEFWarning.Code]
    ) throws(NDEFPayloadError) -> String {
        switch self {
        case .utf8:
            guard let text = String(utf8: bytes) else {
                throw NDEFPayloadError(.textBadEncoding, "the text is not UTF-8")
            }
            return text
        case .utf16:
            return try Self.decodeUTF16(bytes, warnings: &warnings)
        }
    }

    /// The bytes of a text. UTF-16 is big-endian, with a byte order mark only where it would be read otherwise without.
    func encode(_ text: String) -> [UInt8] {
        guard self == .utf16 else { return Array(text.utf8) }
        let bytes = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        var warnings: [NDEFWarning.Code] = []
        let readBack = try? Self.decodeUTF16(bytes[...], warnings: &warnings)
        let isUnambiguous = readBack?.unicodeScalars.elementsEqual(text.unicodeScalars) ?? false
        return isUnambiguous ? bytes : [0xFE, 0xFF] + bytes
    }
}

// MARK: - UTF-16

extension TextRecord.Encoding {
    /// Reads UTF-16 in the order of its byte order mark; without one it is big-endian (NFC Forum RTD Text 1.0).
    ///
    /// Tags with little-endian text and no mark exist. Only where that order alone makes sense is it used, with a warning.
    private static func decodeUTF16(
        _ bytes: ArraySlice<UInt8>, warnings: inout [NDEFWarning.Code]
    ) throws(NDEFPayloadError) -> String {
        guard bytes.count.isMultiple(of: 2) else {
            let reason = "the text is not UTF-16: its length of \(counted(bytes.count, "byte")) is odd"
            throw NDEFPayloadError(.textBadEncoding, reason)
        }
        let mark = bytes.prefix(2)
        if mark.elementsEqual([0xFE, 0xFF]) { return try wellFormed(bigEndian(bytes.dropFirst(2))) }
        if mark.elementsEqual([0xFF, 0xFE]) { return try wellFormed(littleEndian(bytes.dropFirst(2))) }

        let text = bigEndian(bytes)
        if text.map(isPlausible) != true, let other = littleEndian(bytes), isPlausible(other) {
            warnings.append(.textLittleEndianWithoutBOM)
            return other
        }
        return try wellFormed(text)
    }

    private static func wellFormed(_ text: String?) throws(NDEFPayloadError) -> String {
        guard let text else { throw NDEFPayloadError(.textBadEncoding, "the text is not UTF-16: a surrogate is alone") }
        return text
    }

    private static func bigEndian(_ bytes: ArraySlice<UInt8>) -> String? {
        string(bytes) { first, second in UInt16(first) << 8 | UInt16(second) }
    }

    private static func littleEndian(_ bytes: ArraySlice<UInt8>) -> String? {
        string(bytes) { first, second in UInt16(second) << 8 | UInt16(first) }
    }

    private static func string(_ bytes: ArraySlice<UInt8>, unit: (UInt8, UInt8) -> UInt16) -> String? {
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        var iterator = bytes.makeIterator()
        while let first = iterator.next(), let second = iterator.next() { units.append(unit(first, second)) }
        return String(validating: units, as: UTF16.self)
    }

    /// Whether people would write this: no controls but tab and line ends, nothing unassigned or for private use.
    private static func isPlausible(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control: scalar == "\t" || scalar == "\n" || scalar == "\r"
            case .unassigned, .privateUse, .surrogate: false
            default: true
            }
        }
    }
}
