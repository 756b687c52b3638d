/// A value with nothing to unescape.
enum PlainValue: Hashable {
    case text(String)
    /// A whole number as a coder would write it, of at most 15 digits.
    case number(Int64)
    case truth(Bool)
    case null
    case object(PlainObject)
}

/// The members of an object, each of another name.
struct PlainObject: Hashable {
    private struct Member: Hashable {
        let name: String
        let value: PlainValue
    }

    private var members: [Member] = []

    /// The value of a name; nil where there is none.
    subscript(name: String) -> PlainValue? {
        members.first { $0.name == name }?.value
    }

    /// The names.
    var names: [String] { members.map(\.name) }

    /// An object in this one; without members where there is none of this name. Nil: something else is there.
    func inner(named name: String) -> PlainObject? {
        switch self[name] {
        case nil: PlainObject()
        case .object(let object): object
        default: nil
        }
    }

    /// Whether there is nothing but members of these names.
    func hasOnly(_ names: [String]) -> Bool {
        members.allSatisfy { names.contains($0.name) }
    }

    /// Adds a member. False: there is one of this name.
    mutating func add(_ name: String, _ value: PlainValue) -> Bool {
        guard self[name] == nil else { return false }
        members.append(Member(name: name, value: value))
        return true
    }
}
