import FoundationEssentials
import SQLite
import Testing

@Suite struct DatabaseFileTests {
    /// Paths below a folder with `STATE`, `STATE/deeper`, `other`, and the links `STATE/out` to `other`, `STATE/dangling` to nothing,
    /// `STATE/link.db` to `other/taps.db`, and `link` to `STATE`.
    static let places: [(path: String, isInside: Bool)] = [
        ("STATE/taps.db", true), ("STATE/deeper/taps.db", true), ("STATE/new/deeper/taps.db", true),
        ("STATE/./taps.db", true), ("STATE//taps.db", true), ("STATE/deeper/../taps.db", true),
        ("other/../STATE/taps.db", true), ("link/taps.db", true), ("STATE/..taps.db", true),
        ("STATE/../other/taps.db", false), ("STATE/../taps.db", false), ("STATE/deeper/../../other/taps.db", false),
        ("STATE/out/taps.db", false), ("STATE/out/new/taps.db", false), ("STATE/link.db", false),
        ("STATE/dangling", false), ("STATE/dangling/taps.db", false), ("STATE/new/../../other/taps.db", false),
        ("STATE", false), ("STATE/", false), ("STATE/.", false), ("STATE2/taps.db", false), ("other/taps.db", false),
        ("link/../other/taps.db", false),
    ]

    private func folder() throws -> TestFolder {
        let folder = try TestFolder()
        for name in ["STATE/deeper", "other", "STATE2"] {
            try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true)
        }
        try Data().write(to: URL(filePath: folder.file("other/taps.db")))
        for (name, target) in [
            ("STATE/out", folder.file("other")), ("STATE/dangling", folder.file("nothing")),
            ("STATE/link.db", "../other/taps.db"), ("link", "STATE"),
        ] {
            try FileManager.default.createSymbolicLink(atPath: folder.file(name), withDestinationPath: target)
        }
        return folder
    }

    @Test(arguments: ["STATE", "STATE/", "link", "other/../STATE"])
    func `a file is in a folder by its real path, not by its text`(state: String) throws {
        let folder = try folder()
        for (path, isInside) in Self.places {
            let file = DatabaseFile(path: folder.file(path))
            #expect(file.isInside(folder.file(state)) == isInside, "\(path)")
        }
    }

    @Test func `a folder that does not exist yet has the files that will be in it`() throws {
        let folder = try TestFolder()
        #expect(DatabaseFile(path: folder.file("a/b/taps.db")).isInside(folder.file("a")))
        #expect(!DatabaseFile(path: folder.file("ab/taps.db")).isInside(folder.file("a")))
        #expect(!DatabaseFile(path: folder.file("a/../b/taps.db")).isInside(folder.file("a")))
    }
}
