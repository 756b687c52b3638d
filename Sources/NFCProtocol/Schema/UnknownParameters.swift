/// The names that the parameters of a method can have at every level, and the sizes of their texts and lists, taken from their
/// schema.
package indirect enum ParameterNames: Sendable {
    /// A value whose members, if it has any, are not checked.
    case any
    /// A text.
    case text(ParameterSize)
    /// An object with these members.
    case object([String: ParameterNames])
    /// An array of such elements.
    case array(ParameterNames, ParameterSize)

    /// The names in the parameters of a method.
    ///
    /// - Throws: `DecodingError` for a type whose schema cannot be derived.
    package init(of type: any Decodable.Type) throws {
        self.init(try SchemaDecoder.note(of: type), ParameterSize())
    }

    private init(_ note: SchemaNote, _ size: ParameterSize) {
        if note.known == String.schema {
            self = .text(size)
        } else if note.known != nil || note.values != nil {
            self = .any
        } else if let elements = note.elements {
            self = .array(ParameterNames(elements, size), size)
        } else {
            let members = note.members.map { ($0.name, ParameterNames($0.note, note.size(of: $0.name))) }
            self = .object(Dictionary(members) { $1 })
        }
    }

    /// Refuses names that are not known, and texts and lists that are too long. A value of another kind passes: decoding it reports
    /// what is wrong.
    ///
    /// - Throws: `DecodingError` with the path of the parameter, and for an unknown name the nearest known one.
    package func check(_ decoder: any Decoder) throws {
        switch self {
        case .any: return
        case .text(let size):
            guard let text = try? decoder.singleValueContainer().decode(String.self) else { return }
            try size.check(text: text, at: decoder.codingPath)
        case .object(let members):
            guard let object = try? decoder.container(keyedBy: AnyName.self) else { return }
            for name in object.allKeys {
                guard let member = members[name.stringValue] else { throw Self.unknown(name, in: object, members) }
                if case .any = member { continue }
                try member.check(object.superDecoder(forKey: name))
            }
        case .array(let element, let size):
            guard var array = try? decoder.unkeyedContainer() else { return }
            try size.check(count: array.count ?? 0, at: decoder.codingPath)
            if case .any = element { return }
            while !array.isAtEnd { try element.check(array.superDecoder()) }
        }
    }

    /// Refuses the same in flat members.
    ///
    /// - Throws: an error that does not describe the fault; ``check(_:)-(Decoder)`` does.
    package func check(_ object: FlatObject) throws {
        guard case .object(let known) = self else { return }
        for member in object.members {
            guard let expected = known[member.name] else { throw FlatDecoder.Mismatch() }
            if case .text(let size) = expected, case .text(let text) = member.value {
                try size.check(text: text, at: [])
            }
        }
    }

    private static func unknown(
        _ name: AnyName, in object: KeyedDecodingContainer<AnyName>, _ members: [String: ParameterNames]
    ) -> DecodingError {
        DecodingError.dataCorrupted(
            .init(
                codingPath: object.codingPath + [name],
                debugDescription: "unknown parameter \"\(name.stringValue.prefix(64))\""
                    + Self.advice(for: name.stringValue, among: members.keys.sorted())))
    }

    private static func advice(for name: String, among known: [String]) -> String {
        if let nearest = name.nearest(among: known) { return "; did you mean \"\(nearest)\"?" }
        guard !known.isEmpty else { return "; the method has no parameters" }
        return "; the known ones are " + known.map { "\"\($0)\"" }.joined(separator: ", ")
    }
}

/// The name of any member.
private struct AnyName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
