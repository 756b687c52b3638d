/// The value of a field of OpenPrintTag.
public enum OpenPrintTagValue: Hashable, Sendable {
    /// A whole number; also a time in seconds since 1970-01-01 UTC.
    case integer(Int64)
    /// A number, read to a thousandth.
    case number(Double)
    /// A text, which anyone may have written.
    case text(String)
    /// The 16 bytes of a UUID.
    case uuid([UInt8])
    /// Red, green and blue, and alpha if there are four bytes.
    case color([UInt8])
    /// The statement that there is no single colour, as of a rainbow filament.
    case noColor
    /// L*, a* and b*.
    case lab([Double])
    /// The number of an item of a list.
    case item(UInt64)
    /// The numbers of items of a list.
    case items([UInt64])
}

/// What a field on a tag holds.
public enum OpenPrintTagFieldResult: Hashable, Sendable {
    /// A value of the field's form.
    case value(OpenPrintTagValue)
    /// An item of another type; its bytes on the tag.
    case wrongType([UInt8])
    /// A value that the field may not have, such as a negative weight or a text that is too long.
    case outOfRange(OpenPrintTagValue)

    /// The value, if the field may have it.
    public var value: OpenPrintTagValue? {
        if case .value(let value) = self { value } else { nil }
    }
}

// MARK: - Reading

extension OpenPrintTagField {
    /// What an item says as this field; `bytes` are those of the item.
    func read(_ item: SectionItem, bytes: @autoclosure () -> [UInt8]) -> OpenPrintTagFieldResult {
        guard let value = form.value(of: item) else { return .wrongType(bytes()) }
        return accepts(value) ? .value(value) : .outOfRange(value)
    }

    /// The whole numbers that JSON keeps everywhere.
    private static let integers: ClosedRange<Int64> = -0x1F_FFFF_FFFF_FFFF...0x1F_FFFF_FFFF_FFFF

    /// Whether the field may have this value. Only temperatures may be negative.
    public func accepts(_ value: OpenPrintTagValue) -> Bool {
        switch (form, value) {
        case (.integer, .integer(let number)): Self.integers.contains(number) && (number >= 0 || unit == "°C")
        case (.timestamp, .integer(let number)): Self.integers.contains(number) && number >= 0
        case (.number, .number(let number)): number.isFinite && number >= 0
        case (.text(let maximumLength), .text(let text)): text.utf8.count <= maximumLength
        case (.uuid, .uuid(let bytes)): bytes.count == 16
        case (.color, .color(let bytes)): (3...4).contains(bytes.count)
        case (.color, .noColor): true
        case (.lab, .lab(let numbers)): numbers.count == 3 && numbers.allSatisfy(\.isFinite)
        case (.item, .item(let number)): number <= UInt32.max
        case (.items(_, let maximumCount), .items(let numbers)):
            numbers.count <= maximumCount && numbers.allSatisfy { $0 <= UInt32.max }
        default: false
        }
    }
}

extension OpenPrintTagField.Form {
    /// The value that an item says; nil where it is of another type.
    fileprivate func value(of item: SectionItem) -> OpenPrintTagValue? {
        switch (self, item) {
        case (.integer, _), (.timestamp, _): item.integer.map(OpenPrintTagValue.integer)
        case (.number, _): item.number.map(OpenPrintTagValue.number)
        case (.text, .text(let bytes)): String(utf8: bytes[...]).map(OpenPrintTagValue.text)
        case (.uuid, .bytes(let bytes)) where bytes.count == 16: .uuid(bytes)
        case (.color, .bytes(let bytes)): .color(bytes)
        case (.color, .simple(SectionItem.null)): .noColor
        case (.lab, .array(let items)) where items.count == 3:
            OpenPrintTagField.all(items.map(\.number)).map(OpenPrintTagValue.lab)
        case (.item, .unsigned(let number)): .item(number)
        case (.items, .array(let items)): OpenPrintTagField.all(items.map(\.unsigned)).map(OpenPrintTagValue.items)
        default: nil
        }
    }
}

extension SectionItem {
    fileprivate static let null: UInt8 = 22

    fileprivate var unsigned: UInt64? {
        if case .unsigned(let number) = self { number } else { nil }
    }

    /// The whole number that this is, also as a float.
    fileprivate var integer: Int64? {
        switch self {
        case .unsigned(let number): Int64(exactly: number)
        case .negative(let number): Int64(exactly: number).map { ~$0 }
        case .float(let number): Int64(exactly: number)
        default: nil
        }
    }

    /// The number, a float to a thousandth: those on tags are rounded to half floats.
    fileprivate var number: Double? {
        switch self {
        case .unsigned(let number): Double(number)
        case .negative(let number): -1 - Double(number)
        case .float(let number) where abs(number) < 1e12: (number * 1000).rounded() / 1000
        case .float(let number): number
        default: nil
        }
    }
}

// MARK: - Writing

extension OpenPrintTagField {
    /// The item for this value, in the forms that the specification advises.
    ///
    /// - Parameter width: the bytes that a number should have, if it can.
    func item(for value: OpenPrintTagValue, width: Int? = nil) -> [UInt8] {
        switch value {
        case .integer(let number): CBORWriter.integer(number, width: width)
        case .number(let number): CBORWriter.number(number, width: width)
        case .text(let text): CBORWriter.text(text)
        case .uuid(let bytes), .color(let bytes): CBORWriter.bytes(bytes)
        case .noColor: CBORWriter.null
        case .lab(let numbers): CBORWriter.array(numbers.map { CBORWriter.number($0) })
        case .item(let number): CBORWriter.unsigned(number)
        case .items(let numbers): CBORWriter.indefiniteArray(numbers.map { CBORWriter.unsigned($0) })
        }
    }
}
