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
        guard access(file, R_OK) == 0 else {
            throw ConfigurationError(file: file, "cannot be read: \(String(cString: strerror(errno)))")
        }
        try ConfigurationOwnership.check(file)
        guard let data = try? Data(contentsOf: URL(filePath: file)) else {
            throw ConfigurationError(file: file, "cannot be read: it is not a file")
        }
        guard data.count <= longest else { throw ConfigurationError(file: file, "is longer than 1 MiB") }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw ConfigurationError(file: file, "is not UTF-8")
        }
        return text
    }

    /// The files that add to a file `NAME.toml`: `NAME.d/*.toml` beside it, in the order of their names.
    package static func dropIns(of file: String) -> [String] {
        guard file.hasSuffix(".toml") else { return [] }
        let folder = String(file.dropLast(".toml".count)) + ".d"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".toml") && !$0.hasPrefix(".") }.sorted().map { "\(folder)/\($0)" }
    }
}
