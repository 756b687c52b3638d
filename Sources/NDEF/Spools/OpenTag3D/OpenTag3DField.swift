/// A field of OpenTag3D: bytes of a fixed place (specification 1.000).
struct OpenTag3DField: Sendable {
    /// The name in the specification.
    let name: String
    let range: Range<Int>
    let form: Form
    /// What the field means, in a phrase.
    let meaning: String

    enum Form {
        /// UTF-8, with zero bytes behind it.
        case text
        /// Red, green, blue and alpha.
        case color
        /// An unsigned number, highest byte first, times one number and divided by another.
        case number(times: Int, by: Int)
        /// Year, month and day.
        case date
        /// Hour, minute and second.
        case time
    }

    private init(_ name: String, _ start: Int, _ length: Int, _ form: Form, _ meaning: String) {
        self.name = name
        range = start..<start + length
        self.form = form
        self.meaning = meaning
    }

    private static func text(_ name: String, _ start: Int, _ length: Int, _ meaning: String) -> Self {
        Self(name, start, length, .text, meaning)
    }

    private static func color(_ name: String, _ start: Int, _ meaning: String) -> Self {
        Self(name, start, 4, .color, meaning)
    }

    private static func number(
        _ name: String, _ start: Int, _ length: Int, times: Int = 1, by: Int = 1, _ meaning: String
    ) -> Self {
        Self(name, start, length, .number(times: times, by: by), meaning)
    }

    /// The fields in the order of their places, without the version, and without the melt flow index, for which the specification has two
    /// scales.
    static let all: [OpenTag3DField] = [
        .text("material_base", 0x02, 5, "The material, such as `PLA`."),
        .text("material_mod", 0x07, 5, "What the material has beside its base, such as `CF`."),
        .text("manufacturer", 0x1B, 16, "The maker."),
        .text("color_name", 0x2B, 32, "The name of the colour."),
        .color("color_1", 0x4B, "The colour: red, green, blue and alpha."),
        .color("color_2", 0x50, "The second colour."),
        .color("color_3", 0x54, "The third colour."),
        .color("color_4", 0x58, "The fourth colour."),
        .number("target_diameter", 0x5C, 2, by: 1000, "The diameter of the filament in mm."),
        .number("target_weight", 0x5E, 2, "The grams of filament on a full spool."),
        .number("print_temp", 0x60, 1, times: 5, "The temperature of the nozzle in °C."),
        .number("bed_temp", 0x61, 1, times: 5, "The temperature of the bed in °C."),
        .number("density", 0x62, 2, by: 1000, "The density in g/cm³."),
        .number("td", 0x64, 2, by: 10, "The transmission distance in mm."),
        .text("online_data_url", 0x70, 32, "Where more data is, without `https://`."),
        .text("serial", 0x90, 16, "The number of the spool or batch."),
        Self("mfg_date", 0xA0, 4, .date, "The date of manufacture, such as `2024-01-23`."),
        Self("mfg_time", 0xA4, 3, .time, "The time of manufacture in UTC, such as `10:30:45`."),
        .number("spool_core_diameter", 0xA7, 1, "The diameter of the spool's core in mm."),
        .number("measured_tolerance", 0xAB, 1, "The measured tolerance of the diameter in µm."),
        .number("empty_spool_weight", 0xAC, 2, "The grams of the empty spool."),
        .number("measured_filament_weight", 0xAE, 2, "The measured grams of filament."),
        .number("measured_filament_length", 0xB0, 2, "The measured length in m."),
        .number("max_dry_temp", 0xB2, 1, times: 5, "The highest temperature for drying in °C."),
        .number("dry_time", 0xB3, 1, "The hours of drying."),
        .number("min_print_temp", 0xB4, 1, times: 5, "The least temperature of the nozzle in °C."),
        .number("max_print_temp", 0xB5, 1, times: 5, "The highest temperature of the nozzle in °C."),
        .number("min_bed_temp", 0xB6, 1, times: 5, "The least temperature of the bed in °C."),
        .number("max_bed_temp", 0xB7, 1, times: 5, "The highest temperature of the bed in °C."),
        .number("min_vso", 0xB8, 1, "The least volumetric speed in mm³/s."),
        .number("max_vso", 0xB9, 1, "The highest volumetric speed in mm³/s."),
        .number("target_vso", 0xBA, 1, "The usual volumetric speed in mm³/s."),
    ]

    static let byName = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
}

/// The value of a field of OpenTag3D.
public enum OpenTag3DValue: Hashable, Sendable {
    /// A text, a date or a time.
    case text(String)
    /// A number in the unit of the field.
    case number(Double)
    /// Red, green, blue and alpha.
    case color([UInt8])
}

extension OpenTag3DField {
    /// The value in a payload; nil where all bytes are zero, the payload ends before, or the bytes are not of the form.
    func value(in payload: [UInt8]) -> OpenTag3DValue? {
        guard range.upperBound <= payload.count else { return nil }
        let bytes = payload[range]
        guard bytes.contains(where: { $0 != 0 }) else { return nil }
        let number = bytes.reduce(0) { $0 << 8 | Int($1) }
        return switch form {
        case .text: String(utf8: bytes.prefix { $0 != 0 }).flatMap { $0.isEmpty ? nil : .text($0) }
        case .color: .color(Array(bytes))
        case .number(let factor, let divisor): .number(Double(number * factor) / Double(divisor))
        case .date: Self.date(number).map(OpenTag3DValue.text)
        case .time: Self.time(number).map(OpenTag3DValue.text)
        }
    }

    /// What a value is, in a phrase.
    var words: String {
        switch form {
        case .text: "a text of at most \(range.count) bytes"
        case .color: "a colour, #RRGGBB or #RRGGBBAA"
        case .number(let factor, let divisor) where divisor > 1:
            "a number to 1/\(divisor), at most \(largest * factor / divisor)"
        case .number(let factor, _) where factor > 1: "a multiple of \(factor), at most \(largest * factor)"
        case .number: "a whole number, at most \(largest)"
        case .date: "a date such as 2024-01-23"
        case .time: "a time in UTC such as 10:30:45"
        }
    }

    private var largest: Int { 1 << (8 * range.count) - 1 }

    /// The bytes of a value in words; nil where the field cannot have it. Without a text, all bytes are zero.
    func bytes(ofText text: String) -> [UInt8]? {
        if text.isEmpty { return [UInt8](repeating: 0, count: range.count) }
        switch form {
        case .text:
            let bytes = Array(text.utf8)
            guard bytes.count <= range.count, !bytes.contains(0) else { return nil }
            return bytes + [UInt8](repeating: 0, count: range.count - bytes.count)
        case .color:
            guard text.hasPrefix("#"), let bytes = [UInt8](hexadecimal: String(text.dropFirst())) else { return nil }
            return bytes.count == 3 ? bytes + [0xFF] : bytes.count == 4 ? bytes : nil
        case .number(let factor, let divisor):
            guard let number = Double.decimal(text) else { return nil }
            return bytes(of: number * Double(divisor) / Double(factor))
        case .date:
            return parts(of: text, separator: "-", [2, 1, 1]).flatMap {
                Self.date($0) == text ? bytes(of: Double($0)) : nil
            }
        case .time:
            return parts(of: text, separator: ":", [1, 1, 1]).flatMap {
                Self.time($0) == text ? bytes(of: Double($0)) : nil
            }
        }
    }

    /// The bytes of a number of units; nil unless it is a whole one that fits.
    private func bytes(of units: Double) -> [UInt8]? {
        guard abs(units - units.rounded()) < 0.001, let number = Int(exactly: units.rounded()),
            (0...largest).contains(number)
        else { return nil }
        return (0..<range.count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    /// The numbers in a text as one number, each in so many bytes.
    private func parts(of text: String, separator: Character, _ sizes: [Int]) -> Int? {
        let numbers = text.split(separator: separator, omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == sizes.count else { return nil }
        var result = 0
        for (number, size) in zip(numbers, sizes) {
            guard let number, (0..<1 << (8 * size)).contains(number) else { return nil }
            result = result << (8 * size) | number
        }
        return result
    }

    private static func date(_ number: Int) -> String? {
        let (year, month, day) = (number >> 16, number >> 8 & 0xFF, number & 0xFF)
        guard (1...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
        return "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))"
    }

    private static func time(_ number: Int) -> String? {
        let (hour, minute, second) = (number >> 16, number >> 8 & 0xFF, number & 0xFF)
        guard hour < 24, minute < 60, second < 61 else { return nil }
        return "\(digits(hour, 2)):\(digits(minute, 2)):\(digits(second, 2))"
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}
