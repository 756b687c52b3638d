import Testing

/// A type that a file declares.
struct DeclaredType: Sendable, Hashable {
    let target: String
    /// With the types around it: `TagDesk.Action`.
    let path: String

    /// Without the types around it.
    var name: String { String(path.split(separator: ".").last ?? "") }
    var isNested: Bool { path.contains(".") }
    /// Whether the name says on its own what it means: `SessionEnd`, not `State`.
    var hasSeveralWords: Bool { name.contains(#/[a-z0-9][A-Z]|[A-Z]{2,}[A-Z][a-z]/#) }
}

/// Finds the types that Swift files declare, without a Swift parser. It relies on the format of the sources: one declaration on a line, and
/// everything within it indented.
enum TypeScanner {
    private static let kinds: Set<Substring> = [
        "struct", "class", "enum", "actor", "protocol", "typealias", "extension",
    ]

    /// The types that code declares, in their order. A typealias within a type names another type, and is left out.
    ///
    /// - Parameter code: the text of a file without comments and literals.
    static func types(in code: String, of target: String) -> [DeclaredType] {
        var scopes: [(indent: Int, name: String)] = []
        var found: [DeclaredType] = []
        for line in code.utf8.split(separator: UInt8(ascii: "\n")).map(Substring.init) {
            guard let (kind, name) = declaration(line) else { continue }
            let indent = line.prefix { $0 == " " }.count
            while let last = scopes.last, last.indent >= indent { scopes.removeLast() }
            let path = (scopes.map(\.name) + [name]).joined(separator: ".")
            let isAlias = kind == "typealias" && !scopes.isEmpty
            if kind != "extension", !isAlias { found.append(DeclaredType(target: target, path: path)) }
            scopes.append((indent, name))
        }
        return found
    }

    /// The kind and the name of the type that a line declares; before them are attributes and modifiers alone.
    private static func declaration(_ line: Substring) -> (kind: Substring, name: String)? {
        // Most lines declare no type, and need not be split.
        guard kinds.contains(where: { line.contains($0) }) else { return nil }
        let words = line.split(separator: " ")
        guard let place = words.firstIndex(where: kinds.contains), place + 1 < words.count,
            words[..<place].allSatisfy({ $0 != "import" && $0.allSatisfy { $0.isLetter || "@()".contains($0) } }),
            words[place + 1].first?.isUppercase == true
        else { return nil }
        return (words[place], String(words[place + 1].prefix { $0.isLetter || $0.isNumber || "_.".contains($0) }))
    }
}

/// The names that mean two things: types of two targets with one name, each in words. Names of a single word within other types are
/// read with those, and may repeat.
struct SharedNames {
    private let types: [DeclaredType]

    init(_ types: [DeclaredType]) { self.types = types }

    /// The types of each shared name.
    var all: [String: Set<DeclaredType>] {
        let clear = types.filter { !$0.isNested || $0.hasSeveralWords }
        return same(clear, \.name).merging(same(types, \.path)) { $0.union($1) }
    }

    private func same(_ types: [DeclaredType], _ name: (DeclaredType) -> String) -> [String: Set<DeclaredType>] {
        Dictionary(grouping: types, by: name).mapValues(Set.init).filter { Set($0.value.map(\.target)).count > 1 }
    }
}

@Suite struct `The names of types` {
    /// Names of two targets, with the reason.
    private static let exceptions = [
        "CodingKeys": "the compiler looks for this name",
        "Type2Configuration":
            "the pages as a driver changes them, and as the model of the tag obeys them; models share nothing with drivers",
        "ValueCommands":
            "what a reader's profile declares, and what the model of the reader can do; models share nothing with drivers",
    ]

    private static let shared = SharedNames(
        PackageFiles.sources.filter(\.isSwift).flatMap {
            TypeScanner.types(in: $0.code, of: String($0.components[1]))
        }
    ).all

    @Test func `mean one thing each in all targets`() {
        for (name, types) in Self.shared where Self.exceptions[name] == nil {
            let places = types.map { "\($0.target): \($0.path)" }.sorted()
            Issue.record("\(name) exists more than once: \(places.joined(separator: ", "))")
        }
    }

    @Test func `are shared for a reason that still holds`() {
        for name in Self.exceptions.keys { #expect(Self.shared[name] != nil, "\(name) is not shared") }
    }

    @Test(
        arguments: [
            ("struct A {}", ["A"]),
            ("package final class A: B {\n    private enum State {\n    }\n}\nactor C {}", ["A", "A.State", "C"]),
            ("public import struct A.B\nextension A {\n    struct B {}\n}", ["A.B"]),
            ("extension A.B {\n    protocol C {}\n}", ["A.B.C"]),
            ("typealias A = B\nstruct C {\n    typealias D = E\n}", ["A", "C"]),
            ("// struct A\n/* enum B */\nlet text = \"class C\"", []),
            ("#if os(Linux)\n    struct A {\n        struct B {}\n    }\n#endif\nstruct C {}", ["A", "A.B", "C"]),
            ("struct A {\n    func f() {\n        struct B {}\n    }\n}", ["A", "A.B"]),
            ("    class func make() {}\n    static var type: A", []),
            ("@MainActor public final class A {}\n@main struct B {}\nindirect enum C {}", ["A", "B", "C"]),
            ("private struct A<B> {}\npublic protocol C<D>: E {}", ["A", "C"]),
            ("nonisolated(unsafe) let a = 1\nunsafe struct A {}", ["A"]),
        ] as [(String, [String])])
    func `are found`(text: String, paths: [String]) {
        #expect(TypeScanner.types(in: ImportScanner.code(in: text), of: "T").map(\.path) == paths)
    }

    @Test(
        arguments: [
            ("Turn", "Turn", ["Turn"]), ("Turn", "Turns", []), ("Turn", "Desk.Turn", []),
            ("Desk.State", "Engine.State", []), ("Desk.State", "Desk.State", ["Desk.State"]),
            ("Desk.SessionEnd", "SessionEnd", ["SessionEnd"]), ("Desk.SessionEnd", "Engine.SessionEnd", ["SessionEnd"]),
            ("Desk.MQTTTopic", "MQTTTopic", ["MQTTTopic"]), ("Desk.URI", "URI", []),
        ] as [(String, String, [String])])
    func `are compared between targets`(one: String, other: String, shared: [String]) {
        let found = SharedNames([DeclaredType(target: "A", path: one), DeclaredType(target: "B", path: other)])
        #expect(found.all.keys.sorted() == shared)
        let together = SharedNames([DeclaredType(target: "A", path: one), DeclaredType(target: "A", path: other)])
        #expect(together.all.isEmpty)
    }
}
