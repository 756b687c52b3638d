import NDEF
import NFCTypes

extension OpenPrintTagRecord {
    /// Values that the specification allows and hardly a spool has, each with what is unusual: a slip in the unit, or in a digit.
    var doubts: [String] {
        let numbers = [main, aux].compactMap { $0 }.flatMap { region in
            region.section.fields.compactMap { field in
                region.number(of: field.name).flatMap { UsualSpoolNumber.doubt($0, of: field) }
            }
        }
        return numbers + [wrongGTIN, excessiveUse].compactMap { $0 }
    }

    private var excessiveUse: String? {
        guard let consumed = consumedWeight, let full = fullWeight, consumed > full else { return nil }
        return "consumed_weight: \(consumed.shortText) g are more than the \(full.shortText) g of a full spool"
    }

    private var wrongGTIN: String? {
        guard let number = main?.number(of: "gtin"), let code = Int64(exactly: number) else { return nil }
        guard (1_000_000...99_999_999_999_999).contains(code) else {
            return "gtin: \(code) is not a number of 8, 12, 13 or 14 digits"
        }
        let digit = Self.checkDigit(code / 10)
        return code % 10 == digit
            ? nil : "gtin: the last digit of \(code) does not fit the others, to which \(digit) belongs"
    }

    /// The check digit behind the other digits (GS1 General Specifications, 7.9): from the last one, each second counts three times.
    private static func checkDigit(_ digits: Int64) -> Int64 {
        var (rest, weight, sum) = (digits, Int64(3), Int64(0))
        while rest > 0 {
            sum += rest % 10 * weight
            (rest, weight) = (rest / 10, 4 - weight)
        }
        return (10 - sum % 10) % 10
    }
}

/// What a number usually is.
private enum UsualSpoolNumber {
    private static let usual: [String: ClosedRange<Double>] = [
        "filament_diameter": 1...4, "density": 0.5...10, "nominal_netto_full_weight": 10...50_000,
        "actual_netto_full_weight": 10...50_000, "empty_container_weight": 5...10_000,
        "nominal_full_length": 1000...50_000_000, "actual_full_length": 1000...50_000_000,
        "min_print_temperature": 100...500, "max_print_temperature": 100...500, "preheat_temperature": 50...500,
        "min_bed_temperature": 0...250, "max_bed_temperature": 0...250, "min_chamber_temperature": 0...250,
        "max_chamber_temperature": 0...250, "chamber_temperature": 0...250, "drying_temperature": 30...250,
        "drying_time": 5...10_000, "container_width": 5...2000, "container_outer_diameter": 10...2000,
        "container_inner_diameter": 5...2000, "container_hole_diameter": 1...2000, "transmission_distance": 0.1...100,
    ]

    static func doubt(_ number: Double, of field: OpenPrintTagField) -> String? {
        guard let range = usual[field.name], !range.contains(number) else { return nil }
        return "\(field.name): \(number.shortText)\(field.unit.map { " \($0)" } ?? "") is unusual"
    }
}

extension OpenPrintTagRegion {
    fileprivate func number(of name: String) -> Double? {
        switch self[name]?.value {
        case .number(let number): number
        case .integer(let number): Double(number)
        default: nil
        }
    }
}
