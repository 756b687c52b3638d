/// Finds the public names that Swift files declare, without a Swift parser: `NFCTag.isAvailable`, `NFCNDEFTag.readNDEF()`.
///
/// It relies on the format of the sources: one declaration on a line, and its braces balanced.
struct PublicNameScanner {
    private struct Scope {
        let name: String
        /// Whether everything in it is public: requirements of a public protocol, cases of a public enumeration.
        let isPublic: Bool
    }

    /// Types and members, overloads as often as they are there.
    private(set) var types: [String] = []
    private(set) var members: [String: [String]] = [:]
    private var scopes: [Scope?] = []
    private var statement = ""

    /// Scans one file, without its comments and literals.
    mutating func scan(_ code: String) {
        for character in code {
            switch character {
            case "{":
                scopes.append(declare())
                statement = ""
            case "}":
                note()
                if !scopes.isEmpty { scopes.removeLast() }
            case "\n" where isComplete: note()
            default: statement.append(character.isNewline ? " " : character)
            }
        }
        note()
    }

    /// Whether a line end ends the statement: its parentheses are closed, and it is more than attributes.
    private var isComplete: Bool {
        let depth = statement.reduce(0) { $0 + ($1 == "(" ? 1 : $1 == ")" ? -1 : 0) }
        let words = statement.split(separator: " ")
        return depth == 0 && !words.allSatisfy { $0.hasPrefix("@") } && words.last?.last != ","
    }

    /// The place of a declaration: its type; nil within functions and what is not public.
    private var place: String? {
        guard scopes.allSatisfy({ $0 != nil }) else { return nil }
        return scopes.compactMap { $0?.name }.joined(separator: ".")
    }

    /// Notes the declaration that ends here.
    private mutating func note() {
        _ = declare()
        statement = ""
    }

    /// Notes a declaration, and returns the scope of what is in its braces; nil where nothing in them is public.
    private mutating func declare() -> Scope? {
        guard let place, let found = Declaration(statement) else { return nil }
        let isPublic = found.isPublic || scopes.last??.isPublic == true
        switch found.kind {
        case "extension": return Scope(name: found.names[0], isPublic: false)
        case "struct", "class", "enum", "protocol", "typealias":
            guard isPublic else { return nil }
            types.append((place.isEmpty ? "" : "\(place).") + found.names[0])
            return Scope(name: found.names[0], isPublic: ["enum", "protocol"].contains(found.kind))
        default:
            if isPublic { members[place, default: []] += found.names }
            return nil
        }
    }
}

/// A declaration, as far as its name needs it.
private struct Declaration {
    private(set) var isPublic = false
    private(set) var kind = ""
    /// The base name with the labels of its parameters; cases and constants may have several.
    private(set) var names: [String] = []

    private static let kinds: Set<String> = [
        "struct", "class", "enum", "protocol", "extension", "typealias", "func", "init", "var", "let", "case",
    ]

    init?(_ statement: String) {
        var rest = Substring(statement)
        while let word = Self.word(&rest) {
            if word == "public" || word == "open" { isPublic = true }
            if ["private", "fileprivate", "internal", "package", "override"].contains(word) { return nil }
            guard Self.kinds.contains(word) else { continue }
            // `class var` and `class func`.
            if word == "class", let next = Self.word(&rest, peeks: true), ["var", "func"].contains(next) { continue }
            kind = word
            break
        }
        names = kind.isEmpty ? [] : names(in: rest)
        guard !names.isEmpty else { return nil }
    }

    /// The next word; attributes are passed over with their parentheses.
    private static func word(_ rest: inout Substring, peeks: Bool = false) -> String? {
        let original = rest
        defer { if peeks { rest = original } }
        rest = rest.drop { $0 == " " }
        if rest.first == "@" {
            rest = rest.dropFirst().drop { $0.isLetter || $0 == "_" }
            if rest.first == "(" { rest = rest.drop { $0 != ")" }.dropFirst() }
            return word(&rest)
        }
        let word = rest.prefix { $0.isLetter || $0 == "_" || $0.isNumber }
        rest = rest.dropFirst(word.count)
        guard rest.hasPrefix("(set)") else { return word.isEmpty ? nil : String(word) }
        rest = rest.dropFirst(5)
        return "\(word)(set)"
    }

    private func names(in rest: Substring) -> [String] {
        switch kind {
        case "init": return ["init(\(Self.labels(rest)))"]
        case "func":
            let name = rest.drop { $0 == " " }.prefix { $0 != "(" && $0 != "<" }
            return ["\(name)(\(Self.labels(rest)))"]
        case "case": return Self.parts(rest).map { Self.name($0) }
        case "let", "var": return [Self.name(rest)]
        default: return [String(rest.drop { $0 == " " }.prefix { $0.isLetter || $0.isNumber || "_.".contains($0) })]
        }
    }

    private static func name(_ text: Substring) -> String {
        String(text.drop { $0 == " " || $0 == "`" }.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
    }

    /// The labels of the first parenthesis.
    private static func labels(_ rest: Substring) -> String {
        var depth = 0
        let inside = rest.drop { $0 != "(" }.prefix { character in
            depth += character == "(" ? 1 : character == ")" ? -1 : 0
            return depth > 0
        }
        return parts(inside.dropFirst()).map { "\(name($0)):" }.joined()
    }

    /// The parts between commas that are in no parentheses.
    private static func parts(_ text: Substring) -> [Substring] {
        var (depth, last) = (0, Character(" "))
        return text.split { character in
            defer { last = character }
            if "([<".contains(character) { depth += 1 }
            if ")]".contains(character) || character == ">" && last != "-" { depth -= 1 }
            return character == "," && depth == 0
        }.filter { !$0.allSatisfy { $0 == " " } }
    }
}
