/// What a row says that a payload means: JSON of any shape.
enum VectorValue: Equatable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([VectorValue])
    case object([String: VectorValue])

    /// The value of that key of an object.
    subscript(key: String) -> VectorValue? {
        guard case .object(let fields) = self else { return nil }
        return fields[key]
    }

    var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The value without these fields; `list.field` means the field of each element of the list.
    func removing(_ paths: Set<String>) -> VectorValue {
        switch self {
        case .array(let elements): return .array(elements.map { $0.removing(paths) })
        case .object(let fields):
            let kept = fields.filter { !paths.contains($0.key) }
            let inner = kept.map { key, value in
                let steps = paths.filter { $0.hasPrefix("\(key).") }.map { String($0.dropFirst(key.count + 1)) }
                return (key, steps.isEmpty ? value : value.removing(Set(steps)))
            }
            return .object(Dictionary(uniqueKeysWithValues: inner))
        default: return self
        }
    }

    /// An object without the keys that are nil here and missing there.
    static func fields(_ fields: [String: VectorValue?]) -> VectorValue {
        .object(fields.compactMapValues { $0 })
    }
}

extension VectorValue: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([VectorValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: VectorValue].self))
        }
    }
}

extension VectorValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByNilLiteral {
    init(stringLiteral value: String) { self = .string(value) }
    init(integerLiteral value: Int) { self = .number(Double(value)) }
    init(nilLiteral: ()) { self = .null }
}
