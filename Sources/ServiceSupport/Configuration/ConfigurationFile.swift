import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A configuration file.
package enum ConfigurationFile {
    private static let longest = 1024 * 1024

    /// The text of a file that only root and the service's own user can change.
    package static func text(_ file: String) throws(ConfigurationError) -> String {
        let bytes: [UInt8]?
        do throws(FileBytes.Failure) {
            bytes = try FileBytes.read(file, atMost: longest) { () throws(ConfigurationError) in
                try ConfigurationOwnership.check(file)
            }
        } catch {
            throw error.objection ?? ConfigurationError(file: file, "cannot be read: \(error.reason)")
        }
        guard let bytes else { throw ConfigurationError(file: file, "is longer than 1 MiB") }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ConfigurationError(file: file, "is not UTF-8")
        }
        return text
    }

    /// What to report at start of a file that may have been cut off: it has no section at all, or no `required` one and no end
    /// of its last line. Nil where nothing looks like that.
    ///
    /// - Parameters:
    ///   - consequence: what applies without the rest.
    ///   - required: the section that gives or takes most; nil: there is none.
    package static func suspicion(
        of file: String, sections: Set<String>, required: String? = nil, consequence: String
    ) -> String? {
        guard access(file, F_OK) == 0 else { return nil }
        let what: String
        if sections.isEmpty {
            what = "\(file) has no section"
        } else if let required, !sections.contains(required), isCutOff(file) {
            what = "\(file) has no [[\(required)]], and its last line has no end"
        } else {
            return nil
        }
        return "\(what): \(consequence). If the file was cut off, restore it"
    }

    private static func isCutOff(_ file: String) -> Bool {
        (try? text(file)).map { !$0.isEmpty && $0.utf8.last != UInt8(ascii: "\n") } ?? false
    }

    /// The files that add to a file `NAME.toml`: `NAME.d/*.toml` beside it, in the order of their names.
    package static func dropIns(of file: String) -> [String] {
        guard file.hasSuffix(".toml") else { return [] }
        let folder = String(file.dropLast(".toml".count)) + ".d"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".toml") && !$0.hasPrefix(".") }.sorted().map { "\(folder)/\($0)" }
    }
}
