import ArgumentParser
import FoundationEssentials
import NDEF
import NFCTypes

extension OpenPrintTagUpdate {
    private static let fileLimit = 65_536

    /// Fields of the command line, such as `storage_location=B3`.
    ///
    /// - Parameter removing: whether a field without a value is one to be removed.
    /// - Throws: `ValidationError` for a field that does not exist, or a value that it cannot have.
    init(fields texts: [String], removing: Bool = false) throws {
        var changes: [OpenPrintTagSection: [String: OpenPrintTagChange]] = [:]
        for text in texts {
            guard let equals = text.firstIndex(of: "=") else {
                throw ValidationError("\(text.escaped) has no value; write FIELD=VALUE")
            }
            let (section, field) = try Self.field(String(text[..<equals]))
            let value = String(text[text.index(after: equals)...])
            changes[section, default: [:]][field.name] =
                value.isEmpty && removing ? .remove : .set(try Self.value(value, of: field))
        }
        self.init(changes)
    }

    /// The fields in a file of JSON, as OpenPrintTag's tools and `nfcctl spool show --json` have them.
    ///
    /// - Throws: `ExitCode` 66 or 65, after printing the reason, if the file cannot be read or is not one of fields.
    init(file path: String) throws {
        struct Shown: Decodable { let spool: OpenPrintTagUpdate }
        let file = InputFile(path: path)
        let data = Data(try file.read(limit: Self.fileLimit))
        do {
            let shown = try? JSONDecoder().decode(Shown.self, from: data).spool
            self = try shown ?? JSONDecoder().decode(OpenPrintTagUpdate.self, from: data)
        } catch {
            Terminal.error("nfcctl: \(file.name) does not have the fields of a spool: \(Self.reason(error).escaped)")
            throw ExitCode.badData
        }
    }

    /// A field by its name, with or without its section in front.
    private static func field(_ text: String) throws -> (OpenPrintTagSection, OpenPrintTagField) {
        for section in [OpenPrintTagSection.main, .aux] {
            let prefix = "\(section.rawValue)."
            let name = text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
            if let field = section.field(named: name) { return (section, field) }
        }
        let known = [OpenPrintTagSection.main, .aux].flatMap { $0.fields.map(\.name) }
        let advice = text.nearest(among: known).map { "; did you mean \($0)?" } ?? ""
        throw ValidationError("there is no field \(text.escaped)\(advice)")
    }

    private static func value(_ text: String, of field: OpenPrintTagField) throws -> OpenPrintTagValue {
        if let value = field.value(ofText: text) { return value }
        let hint = hint(text, for: field).map { "; did you mean \(field.name)=\($0)?" } ?? ""
        throw ValidationError("\(field.name) cannot be \(text.escaped): it is \(field.words)\(hint)")
    }

    /// What a person may have meant: the name of an item in other letters, a point instead of a comma, a number without its unit, the
    /// seconds of a date.
    private static func hint(_ text: String, for field: OpenPrintTagField) -> String? {
        if let name = text.nearest(among: field.itemNames) { return name }
        let number = text.replacing(",", with: ".").prefix { $0.isASCII && ($0.isNumber || $0 == "." || $0 == "-") }
        return [String(number), seconds(ofDate: text)].compactMap { $0 }
            .first { !$0.isEmpty && $0 != text && field.value(ofText: $0) != nil }
    }

    /// The seconds since 1970 of a date such as 2026-11-25, at midnight UTC.
    private static func seconds(ofDate text: String) -> String? {
        let parsed = try? Date(text, strategy: Date.ISO8601FormatStyle().year().month().day())
        return parsed.map { String(Int($0.timeIntervalSince1970)) }
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case DecodingError.dataCorrupted(let context), DecodingError.typeMismatch(_, let context),
            DecodingError.valueNotFound(_, let context), DecodingError.keyNotFound(_, let context):
            let place = context.codingPath.map(\.stringValue).joined(separator: ".")
            return place.isEmpty ? context.debugDescription : "\(place): \(context.debugDescription)"
        default: return "\(error)"
        }
    }
}
