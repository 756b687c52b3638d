import Foundation
import Testing

@testable import NDEF

/// Compares a value with what record types describe of their JSON form.
struct FormConformance {
    /// Whether the value was written; otherwise it is read.
    let isWritten: Bool

    /// How a `decoded` object differs from what its kind describes; empty where it does not.
    func mismatches(ofDecoded value: VectorValue) -> [String] {
        guard let kind = value["kind"]?.string, let form = DecodedForm.forms.first(where: { $0.kind == kind }) else {
            return ["there is no such kind"]
        }
        return mismatches(of: value, form.jsonFields, alsoNamed: ["kind"], at: kind)
    }

    private func mismatches(
        of value: VectorValue, _ fields: [JSONField], alsoNamed names: Set<String> = [], at path: String
    ) -> [String] {
        guard case .object(let members) = value else { return ["\(path) is not an object"] }
        let unknown = Set(members.keys).subtracting(fields.map(\.name)).subtracting(names)
        let undescribed = isWritten ? unknown.map { "\(path).\($0) is not described" } : []
        return undescribed + fields.flatMap { mismatches(of: members[$0.name], $0, at: "\(path).\($0.name)") }
    }

    private func mismatches(of value: VectorValue?, _ field: JSONField, at path: String) -> [String] {
        guard let value else {
            let isNeeded = field.presence == .required || isWritten && field.presence == .written
            return isNeeded ? ["\(path) is missing"] : []
        }
        if value == .null {
            let isAllowed = isWritten ? field.null != nil : field.presence != .required
            return isAllowed ? [] : ["\(path) is null"]
        }
        return mismatches(of: value, field.form, at: path)
    }

    private func mismatches(of value: VectorValue, _ form: JSONForm, at path: String) -> [String] {
        switch (form, value) {
        case (.list(let element), .array(let values)):
            return values.enumerated().flatMap { mismatches(of: $1, element, at: "\(path).\($0)") }
        case (.object(let type), _): return mismatches(of: value, type.jsonFields, at: path)
        case (.byName(let element), .object(let members)):
            return members.flatMap { mismatches(of: $1, element, at: "\(path).\($0)") }
        case (.record, .object(let members)):
            return members["typeNameFormat"] == nil && members["decoded"] == nil ? ["\(path) is not a record"] : []
        default: return fits(value, form) ? [] : ["\(path) is \(value)"]
        }
    }

    private func fits(_ value: VectorValue, _ form: JSONForm) -> Bool {
        switch (form, value) {
        case (.text, .string), (.number, .number), (.boolean, .bool): true
        case (.pattern(let pattern), .string(let text)): text.range(of: pattern, options: .regularExpression) != nil
        case (.bytes(let counts), .string(let digits)):
            [UInt8](hexadecimal: digits).map { (counts ?? 0...Int.max).contains($0.count) } ?? false
        case (.integer(let range), .number(let number)):
            Int(exactly: number).map { (range ?? Int.min...Int.max).contains($0) } ?? false
        case (.words(let words, _), .string(let word)): words.contains(word)
        case (.words(_, let numbers?), .number(let number)): Int(exactly: number).map(numbers.contains) ?? false
        default: false
        }
    }
}

/// Checks that a `decoded` object that was written or read is what its kind describes. Of what is read, fields that are ignored may be
/// anything.
func checkForm(_ json: String, isWritten: Bool) throws {
    let value = try JSONDecoder().decode(VectorValue.self, from: Data(json.utf8))
    let mismatches = FormConformance(isWritten: isWritten).mismatches(ofDecoded: value)
    guard !isWritten, !mismatches.isEmpty, let record = value.record, case .object(let members) = value else {
        return #expect(mismatches == [], "\(json)")
    }
    let used = members.filter { name, _ in
        var others = members
        others[name] = nil
        return VectorValue.object(others).record != record
    }
    #expect(FormConformance(isWritten: false).mismatches(ofDecoded: .object(used)) == [], "\(json)")
}
