import ArgumentParser
import NDEF
import NFCProtocol
import VirtualTags

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file that a dump is saved to.
struct DumpOutput {
    /// In what form.
    enum Format: String, CaseIterable {
        /// Flipper.
        case nfc
        /// That of proxmark3, and what nfcd adds for other tags.
        case json
        /// The memory alone.
        case bin

        /// The form that the ending of a name asks for.
        init?(path: String) {
            guard let dot = path.lastIndex(of: ".") else { return nil }
            self.init(rawValue: path[path.index(after: dot)...].lowercased())
        }

        /// All of them, for people.
        static var endings: String { allCases.map { ".\($0.rawValue) (\($0.words))" }.joined(separator: ", ") }

        private var words: String {
            switch self {
            case .nfc: "Flipper"
            case .json: "proxmark3"
            case .bin: "memory alone"
            }
        }
    }

    private let path: String
    private let format: Format
    private let replaces: Bool

    /// Nil where the ending tells no form.
    init?(path: String, replaces: Bool) {
        guard let format = Format(path: path) else { return nil }
        (self.path, self.format, self.replaces) = (path, format, replaces)
    }

    /// What messages call it.
    var name: String { path.escaped }

    /// Refuses a file that is there, before anybody waits for a tag.
    ///
    /// - Throws: `ExitCode` 73, after the reason was said.
    func check() throws {
        guard !replaces, access(path, F_OK) == 0 else { return }
        Terminal.error("nfcctl: \(name) is there already; --force replaces it")
        throw ExitCode.cannotCreate
    }

    /// Saves a dump.
    ///
    /// - Throws: `ExitCode`, after the reason was said: 65 where the form has no room for such a tag, else as
    ///   ``OutputFile/write(_:)``.
    func save(_ dump: TagDumpMemory.Result, of tag: ConnectedTag) throws {
        let content: [UInt8]
        do throws(DumpError) {
            content = try Self.content(TagImage(dump, identifier: tag.tag.identifier.bytes), format)
        } catch {
            Terminal.error("nfcctl: \(name): \(error)")
            throw ExitCode.badData
        }
        try OutputFile(path: path, replaces: replaces).write(content)
    }

    private static func content(_ image: TagImage, _ format: Format) throws(DumpError) -> [UInt8] {
        switch format {
        case .nfc: Array(try image.flipperFile().utf8)
        case .json: Array(try image.jsonFile().utf8)
        case .bin: try image.rawFile()
        }
    }
}
