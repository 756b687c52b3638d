import TOMLKit

/// A parsed file from which settings are taken one by one; what nobody took is unknown.
struct ConfigurationSource {
    private let file: String
    private let lines: [Substring]
    private let table: TOMLTable
    private var taken: Set<String> = []

    init(text: String, file: String) throws(ConfigurationError) {
        self.file = file
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        do {
            table = try TOMLTable(string: text)
        } catch let error as TOMLParseError {
            throw ConfigurationError(file: file, line: error.source.begin.line, error.description)
        } catch {
            throw ConfigurationError(file: file, "\(error)")
        }
    }

    /// A text.
    mutating func string(_ key: String) throws(ConfigurationError) -> String? {
        guard let value = try take(key) else { return nil }
        guard let text = value.string, !text.isEmpty else { throw wrong(key, "expected a text in quotes") }
        return text
    }

    /// A whole number within a range.
    mutating func integer(_ key: String, _ range: ClosedRange<Int>) throws(ConfigurationError) -> Int? {
        guard let value = try take(key) else { return nil }
        guard let number = value.int, range.contains(number) else {
            throw wrong(key, "expected a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// One of several words.
    mutating func choice<Word: RawRepresentable<String> & CaseIterable>(
        _ key: String, _ words: Word.Type
    ) throws(ConfigurationError) -> Word? {
        guard let value = try take(key) else { return nil }
        guard let word = value.string.flatMap(Word.init) else {
            throw wrong(key, "expected one of " + words.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", "))
        }
        return word
    }

    /// What was not taken is a mistake, most likely of spelling.
    func refuseRest() throws(ConfigurationError) {
        for section in table.keys.sorted() {
            guard let keys = table[section]?.table?.keys else { throw wrong(section, "unknown key") }
            for key in keys.sorted() where !taken.contains("\(section).\(key)") {
                throw wrong("\(section).\(key)", "unknown key")
            }
            guard taken.contains(where: { $0.hasPrefix("\(section).") }) || keys.isEmpty else {
                throw wrong(section, "unknown section")
            }
        }
    }

    private mutating func take(_ key: String) throws(ConfigurationError) -> (any TOMLValueConvertible)? {
        let parts = key.split(separator: ".").map(String.init)
        guard parts.count == 2, let section = table[parts[0]] else { return nil }
        guard let section = section.table else { throw wrong(parts[0], "expected a section [\(parts[0])]") }
        guard let value = section[parts[1]] else { return nil }
        taken.insert(key)
        return value
    }

    private func wrong(_ key: String, _ what: String) -> ConfigurationError {
        ConfigurationError(file: file, line: line(of: key), "\(key): \(what)")
    }

    /// The parser does not tell where a key stands, so it is looked for below its section's header.
    private func line(of key: String) -> Int? {
        let parts = key.split(separator: ".")
        var section: Substring = ""
        for (index, line) in lines.enumerated() {
            let words = line.split { " \t\r=".contains($0) }
            guard let first = words.first else { continue }
            if first.hasPrefix("[") { section = first.drop { $0 == "[" }.prefix { $0 != "]" } }
            let isHere =
                parts.count == 1 ? section == parts[0] || first == parts[0] : section == parts[0] && first == parts[1]
            if isHere || first == Substring(key) { return index + 1 }
        }
        return nil
    }
}

/// What is wrong with a configuration file, and where.
struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    let description: String

    init(file: String, line: Int? = nil, _ what: String) {
        description = line.map { "\(file):\($0): \(what)" } ?? "\(file): \(what)"
    }
}
