/// What is wrong with a configuration file, and where.
struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    let description: String

    init(file: String, line: Int? = nil, _ what: String) {
        description = line.map { "\(file):\($0): \(what)" } ?? "\(file): \(what)"
    }
}
