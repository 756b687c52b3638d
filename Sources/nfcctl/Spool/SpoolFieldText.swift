import FoundationEssentials
import NDEF
import NFCTypes

/// Why a text is not a field of a spool, or not the value of one, with what was probably meant.
struct SpoolFieldError: Error, Equatable {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

/// A field of OpenPrintTag whose value a person writes as a text.
struct SpoolFieldText {
    let section: OpenPrintTagSection
    let field: OpenPrintTagField

    /// The field of that name, with or without its section in front.
    ///
    /// - Throws: ``SpoolFieldError`` for a name that no field has.
    init(named text: String) throws(SpoolFieldError) {
        guard let found = Self.find(text) else {
            if Self.derived.contains(text.lowercased()) {
                throw SpoolFieldError(
                    "there is no field \(text.escaped): it is the full weight less consumed_weight; give that instead")
            }
            let advice = Self.meant(by: text).map { "; did you mean \($0)?" } ?? ";"
            throw SpoolFieldError("there is no field \(text.escaped)\(advice) nfcctl help spool set lists all")
        }
        self = found
    }

    private init(_ section: OpenPrintTagSection, _ field: OpenPrintTagField) {
        (self.section, self.field) = (section, field)
    }

    /// The sections with fields that can be given.
    static let sections = [OpenPrintTagSection.main, .aux]

    /// The field of that name; nil if there is none.
    static func find(_ text: String) -> SpoolFieldText? {
        for section in sections {
            let prefix = "\(section.rawValue)."
            let name = text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
            if let field = section.field(named: name) { return SpoolFieldText(section, field) }
        }
        return nil
    }

    /// The value for a text.
    ///
    /// - Throws: ``SpoolFieldError`` for a text that the field cannot have.
    func value(_ text: String) throws(SpoolFieldError) -> OpenPrintTagValue {
        if case .timestamp = field.form {
            if let seconds = SpoolTime.seconds(of: text) { return .integer(seconds) }
        } else if let value = field.value(ofText: plain(text)) {
            return value
        }
        let hint = suggestion(for: text).map { "; did you mean \(field.name)=\($0)?" } ?? ""
        throw SpoolFieldError("\(field.name) cannot be \(text.escaped): \(reason(text))\(hint)")
    }

    /// The text without the blanks that people write behind commas.
    private func plain(_ text: String) -> String {
        switch field.form {
        case .items, .lab:
            text.split(separator: ",", omittingEmptySubsequences: false).map { String($0.trimmed) }.joined(
                separator: ",")
        default: text
        }
    }

    // MARK: Names

    /// The names of the fields that can be given.
    static let names = sections.flatMap { $0.fields.map(\.name) }

    /// The field that another name probably means.
    private static func meant(by text: String) -> String? {
        let name = String(text.lowercased().map { $0 == " " || $0 == "-" ? "_" : $0 })
        if names.contains(name) { return name }
        return others[name] ?? name.nearest(among: names)
    }

    /// What nfcctl spool show prints, and follows from fields.
    private static let derived = ["remaining_weight", "remaining"]

    /// What people, and the tags of other formats, call fields.
    private static let others = [
        "brand": "brand_name", "manufacturer": "brand_name", "vendor": "brand_name", "maker": "brand_name",
        "color": "primary_color", "colour": "primary_color", "color_hex": "primary_color", "hex": "primary_color",
        "weight": "nominal_netto_full_weight", "net_weight": "nominal_netto_full_weight",
        "full_weight": "nominal_netto_full_weight", "nominal_weight": "nominal_netto_full_weight",
        "used_weight": "consumed_weight", "used": "consumed_weight",
        "consumed": "consumed_weight", "empty_weight": "empty_container_weight", "tare": "empty_container_weight",
        "spool_weight": "empty_container_weight", "diameter": "filament_diameter", "length": "nominal_full_length",
        "material": "material_type", "type": "material_type", "class": "material_class", "name": "material_name",
        "color_name": "material_name", "date": "manufactured_date", "ean": "gtin", "barcode": "gtin",
        "uuid": "instance_uuid",
        "td": "transmission_distance", "price": "purchase_price", "currency": "purchase_currency",
        "location": "storage_location", "country": "country_of_origin", "nozzle_temperature": "max_print_temperature",
        "print_temperature": "max_print_temperature", "min_temp": "min_print_temperature",
        "max_temp": "max_print_temperature", "bed_temperature": "max_bed_temperature",
        "bed_min_temp": "min_bed_temperature", "bed_max_temp": "max_bed_temperature",
    ]

    // MARK: Reasons

    /// What the value has to be.
    private func reason(_ text: String) -> String {
        switch field.form {
        case .timestamp: return SpoolTime.reason(text)
        case .color: return "write #RRGGBB, such as #000000"
        case .item(let items): return "it is \(items.words(counted: "one"))"
        case .items(let items, let maximumCount): return "it is \(items.words(counted: "at most \(maximumCount)"))"
        case .number, .integer:
            if text.wholeMatch(of: /[0-9.,]+[eE]\+?[0-9]+/) != nil {
                return "a spreadsheet has shortened it; give the column the format text, and enter the number again"
            }
            return "it is \(field.words), in digits"
        case .text, .uuid, .lab: return "it is \(field.words)"
        }
    }

    // MARK: Suggestions

    /// The text that was probably meant; nil where that is not known.
    func suggestion(for text: String) -> String? {
        let found: String? =
            switch field.form {
            case .timestamp: SpoolTime.suggestion(for: text)
            case .color: "#" + text.drop { $0 == "#" }.expandedDigits
            case .item: String(text.trimmed).nearest(among: field.itemNames)
            case .items: corrected(text)
            case .number, .integer: number(meantBy: text)
            case .text, .uuid, .lab: nil
            }
        guard let found, found != text, (try? value(found)) != nil else { return nil }
        return found
    }

    /// A list in which each item that does not exist is the one that is similar.
    private func corrected(_ text: String) -> String? {
        let parts = text.split { $0 == "," || $0 == ";" }.map { String($0.trimmed) }
        let items = parts.map { part in
            field.value(ofText: part) == nil ? part.nearest(among: field.itemNames) : part
        }
        let known = items.compactMap { $0 }
        return known.count == items.count && !known.isEmpty ? known.joined(separator: ",") : nil
    }

    private func number(meantBy text: String) -> String? {
        if field.name == "gtin" {
            let digits = text.filter { $0 != " " && $0 != "-" }
            return digits.allSatisfy { $0.isASCII && $0.isNumber } ? digits : nil
        }
        let unit = (field.unit ?? "").lowercased()
        let factors = (Self.factors[unit] ?? [:]).merging(unit.isEmpty ? [:] : [unit: 1]) { $1 }
        return TypedNumber.meant(by: text, factors: factors)?.shortText
    }

    /// By the unit of a field, in lower case: how many of it others are.
    private static let factors: [String: [String: Double]] = [
        "g": ["kg": 1000, "gram": 1, "grams": 1, "gr": 1], "mm": ["m": 1000, "cm": 10],
        "°c": ["c": 1, "℃": 1, "° c": 1, "deg c": 1], "g/cm³": ["g/cm3": 1, "g/ml": 1, "kg/m3": 0.001, "kg/m³": 0.001],
        "min": ["h": 60, "hours": 60, "minutes": 1], "ml": ["l": 1000],
    ]
}

extension OpenPrintTagItems {
    /// What can be given: all names, or the first ones and where all are printed.
    fileprivate func words(counted count: String) -> String {
        let all = names.sorted { $0.key < $1.key }.map(\.value)
        let shown = all.prefix(4)
        guard shown.count < all.count else { return "\(count) of \(all.joined(separator: ", "))" }
        return "\(count) of \(shown.joined(separator: ", ")), …, which nfcctl help spool set lists"
    }
}

extension StringProtocol {
    /// Three hexadecimal digits as six.
    fileprivate var expandedDigits: String { count == 3 ? map { "\($0)\($0)" }.joined() : String(self) }
}

/// A time of OpenPrintTag, which is seconds since 1970-01-01 UTC on the tag, as a date.
enum SpoolTime {
    /// A smaller number is a year, or a date without hyphens, rather than seconds: 1973-03-03.
    private static let leastSeconds: Int64 = 100_000_000

    /// The seconds of a date, such as 2026-01-31, of a time, such as 2026-01-31T12:00:00Z, or of a number of seconds.
    static func seconds(of text: String) -> Int64? {
        if let seconds = Int64(text) { return seconds >= leastSeconds ? seconds : nil }
        if text.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z/) != nil {
            return (try? Date(text, strategy: .iso8601)).map { Int64($0.timeIntervalSince1970) }
                .flatMap { self.text($0) == text || text.hasSuffix("T00:00:00Z") ? $0 : nil }
        }
        guard text.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}/) != nil,
            let date = try? Date(text, strategy: Date.ISO8601FormatStyle().year().month().day())
        else { return nil }
        let seconds = Int64(date.timeIntervalSince1970)
        return seconds >= 0 && self.text(seconds) == text ? seconds : nil
    }

    /// The date of a number of seconds, with the time if it is not midnight.
    static func text(_ seconds: Int64) -> String {
        // The years 1970 to 9999.
        guard (0...253_402_300_799).contains(seconds) else { return "\(seconds) s since 1970-01-01" }
        let text = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
        return text.hasSuffix("T00:00:00Z") ? String(text.prefix(10)) : text
    }

    static func reason(_ text: String) -> String {
        if text.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}/) != nil { return "there is no such day" }
        return "it is a date such as 2026-01-31, or seconds since 1970-01-01 UTC"
    }

    /// The date that another form of it means; nil if it can be more than one.
    static func suggestion(for text: String) -> String? {
        let numbers = text.split { "-./ ".contains($0) }.map { Int($0) }
        if text.count == 8, let number = Int(text) {
            return date(number / 10_000, number / 100 % 100, number % 100)
        }
        guard numbers.count == 3, let one = numbers[0], let two = numbers[1], let three = numbers[2] else { return nil }
        if one > 31 { return date(one, two, three) }
        // With points, the day is first; with slashes, the month can be.
        if text.contains(".") { return date(three, two, one) }
        let found = Set([date(three, one, two), date(three, two, one)].compactMap { $0 })
        return found.count == 1 ? found.first : nil
    }

    private static func date(_ year: Int, _ month: Int, _ day: Int) -> String? {
        guard (1970...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
        let text = "\(year)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)"
        return seconds(of: text) == nil ? nil : text
    }
}
