import FoundationEssentials
import Testing

@Suite struct `The documentation` {
    static let documents = PackageFiles.all.filter {
        ["README.md", "CONTRIBUTING.md", "SECURITY.md"].contains($0.path)
            || $0.path.hasPrefix("Docs/") && $0.path.hasSuffix(".md")
    }

    @Test(arguments: ["Docs/architecture.md", "Docs/risks.md", "CONTRIBUTING.md"])
    func `names only files that exist`(path: String) throws {
        let document = try #require(Self.documents.first { $0.path == path })
        let named = NamedPaths.found(in: document.text, targets: PackageFiles.targets)
        #expect(named.count > 10)
        for path in named { #expect(PackageFiles.exists(path), "\(document.path) names \(path)") }
    }

    @Test func `names only tables that exist`() throws {
        let document = try #require(Self.documents.first { $0.path == "CONTRIBUTING.md" })
        let named = document.text.matches(of: /table\s+of\s+(tag|reader)s\s+in\s+`([^`]+)`/)
        #expect(named.count == 2)
        for table in named {
            let text = try #require(PackageFiles.text(of: String(table.2)))
            #expect(text.lowercased().contains("\n| \(table.1) |"), "\(table.2) has no table of \(table.1)s")
        }
    }

    @Test func `links only to what exists`() {
        #expect(Self.documents.count >= 7)
        for document in Self.documents {
            for link in MarkdownLink.all(in: document) {
                #expect(PackageFiles.exists(link.path), "\(document.path) links to \(link.path)")
                guard let section = link.section, let text = PackageFiles.text(of: link.path) else { continue }
                #expect(
                    MarkdownLink.sections(of: text).contains(section),
                    "\(document.path) links to \(link.path)#\(section)")
            }
        }
    }

    @Test(arguments: [
        ("`NDEF/NDEFMessage.swift` and `Tests/NDEFTests`", ["Sources/NDEF/NDEFMessage.swift", "Tests/NDEFTests"]),
        ("`Scripts/protocol-tables --update`", ["Scripts/protocol-tables"]),
        ("`/run/nfcd/nfcd.sock`, `NDEF`, `$HOME/x`, `text/vcard`", []),
    ])
    func `a path is recognized by its first folder`(text: String, paths: [String]) {
        #expect(NamedPaths.found(in: text, targets: ["NDEF", "nfcd"]) == paths)
    }

    @Test(
        arguments: [
            ("[a](runtime.md)", "Docs/runtime.md", nil), ("[a](../README.md#first-tag)", "README.md", "first-tag"),
            ("[a](#glossary)", "Docs/page.md", "glossary"), ("[two\nlines](ndef.md)", "Docs/ndef.md", nil),
        ] as [(String, String, String?)])
    func `a relative link is resolved`(text: String, path: String, section: String?) {
        let links = MarkdownLink.all(in: PackageFile(path: "Docs/page.md", text: text))
        #expect(links == [MarkdownLink(path: path, section: section)])
    }

    @Test func `an address is not a relative link`() {
        let text = "[a](https://example.com/a.md) `list[index](x)`"
        #expect(MarkdownLink.all(in: PackageFile(path: "README.md", text: text)).isEmpty)
    }

    @Test func `a heading names a section`() {
        let text = "# First tag\n\n### `feliCa` and others!\n```sh\n# comment\n```\n"
        #expect(MarkdownLink.sections(of: text) == ["first-tag", "felica-and-others"])
    }
}

/// The paths in backticks that a document names.
private enum NamedPaths {
    private static let folders = [
        ".ci", "Benchmarks", "Config", "Docs", "Examples", "Fuzz", "Scripts", "Sources", "Tests", "packaging",
        "systemd",
    ]

    /// The paths from the package's root. A path that begins with a target is below `Sources`.
    static func found(in text: String, targets: [String]) -> [String] {
        text.matches(of: #/`([^`\s]+\/[^`\s]*)[^`\n]*`/#).compactMap { match in
            let path = String(match.1)
            guard let first = path.split(separator: "/", omittingEmptySubsequences: false).first else { return nil }
            if folders.contains(String(first)) { return path }
            return targets.contains(String(first)) ? "Sources/\(path)" : nil
        }
    }
}

/// A link to a file of the package, and to a section of it.
private struct MarkdownLink: Equatable {
    /// The path from the package's root.
    let path: String
    let section: String?

    /// The relative links of a document.
    static func all(in document: PackageFile) -> [MarkdownLink] {
        let text = document.text.replacing(#/`[^`\n]*`/#, with: "")
        return text.matches(of: #/\]\(([^)\s]+)\)/#).compactMap { match in
            let target = match.1
            guard !target.contains(":") else { return nil }
            let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            let section = parts.count > 1 ? String(parts[1]) : nil
            let path = parts[0].isEmpty ? document.path : resolve(String(parts[0]), from: document)
            return MarkdownLink(path: path, section: section)
        }
    }

    private static func resolve(_ path: String, from document: PackageFile) -> String {
        var components = document.components.dropLast().map(String.init)
        for component in path.split(separator: "/") {
            if component == ".." { _ = components.popLast() } else { components.append(String(component)) }
        }
        return components.joined(separator: "/")
    }

    /// The names of the sections of a text, made from its headings as GitHub does.
    static func sections(of text: String) -> [String] {
        text.replacing(#/(?ms)^```.*?^```$/#, with: "").matches(of: #/(?m)^\#{1,6} (.+)$/#).map { match in
            String(match.1).lowercased().filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }
                .replacing(" ", with: "-")
        }
    }
}
