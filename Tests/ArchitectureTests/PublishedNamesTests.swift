import Testing

/// Compares what CoreNFC declares with what Apple's module has.
@Suite struct `The names of CoreNFC` {
    private static let own = {
        var scanner = PublicNameScanner()
        for file in PackageFiles.sources where file.components.starts(with: ["Sources", "CoreNFC"]) && file.isSwift {
            scanner.scan(file.code)
        }
        return scanner
    }()

    /// Types, members by their types, and constants, each once.
    private static let ownNames = Set(own.types).union(
        own.members.flatMap { type, names in names.map { type.isEmpty ? $0 : "\(type).\($0)" } })

    private static let published = {
        let types = PublishedNames.reading.merging(PublishedNames.underscored) { one, _ in one }
        return PublishedNames.globals.union(PublishedNames.formerTypes).union(types.keys).union(
            types.flatMap { type, names in names.map { "\(type).\($0)" } })
    }()

    @Test func `are the published ones, but for those that are left out with a reason`() {
        let missing = Self.published.subtracting(Self.ownNames)
        #expect(missing == Set(PublishedNames.leftOut.keys))
    }

    @Test func `are the only ones, except those that are added with a reason`() {
        let additions = Self.ownNames.subtracting(Self.published)
        let reasons = Set(PublishedNames.added.keys)
        #expect(reasons.subtracting(additions).isEmpty)
        for name in additions where !reasons.contains(name) {
            #expect(reasons.contains { name.hasPrefix("\($0).") }, "\(name) is not in the published list")
        }
    }

    @Test func `come from a list of 62 types, of which 11 emulate cards`() {
        let readingTypes = Set(PublishedNames.reading.keys).union(PublishedNames.formerTypes)
        #expect(readingTypes.union(PublishedNames.cardEmulation).count == 62)
        #expect(PublishedNames.cardEmulation.count == 11)
        #expect(PublishedNames.cardEmulation.isDisjoint(with: Self.own.types))
    }
}

@Suite struct `The scanner of public names` {
    private func names(_ code: String) -> [String] {
        var scanner = PublicNameScanner()
        scanner.scan(ImportScanner.code(in: code))
        return scanner.types + scanner.members.flatMap { type, names in names.map { "\(type).\($0)" } }.sorted()
    }

    @Test(arguments: [
        ("public struct A {\n    public var b: Int { 1 }\n    var c = 1\n}", ["A", "A.b"]),
        (
            "open class A {\n    public private(set) weak var b: A?\n    open class var c: Int { 1 }\n}",
            ["A", "A.b", "A.c"]
        ),
        ("public enum A: Int, Sendable {\n    case b = 1, c\n    case d(Int, e: Int)\n}", ["A", "A.b", "A.c", "A.d"]),
        (
            "public protocol A {\n    @preconcurrency\n    func b(_ c: Int, d e: @escaping (Int, Int) -> Void)\n}",
            ["A", "A.b(_:d:)"]
        ),
        ("extension A {\n    public init?(b: [Int: Int]) { nil }\n    func c() {}\n}", ["A.init(b:)"]),
        (
            "extension A {\n    public func b(\n        c: Int, d: Int\n    ) async throws {\n        let e = 1\n    }\n}",
            ["A.b(c:d:)"]
        ),
        ("public struct A {\n    public struct B {\n        public let c: Int\n    }\n}", ["A", "A.B", "A.B.c"]),
        ("public typealias A = B\nstruct C {\n    public let d: Int\n}", ["A"]),
    ])
    func `finds what is public`(code: String, expected: [String]) {
        #expect(names(code) == expected)
    }
}
