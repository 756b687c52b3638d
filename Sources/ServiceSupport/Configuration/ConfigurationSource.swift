package import CTOML
import NFCTypes

/// A parsed file from which settings are taken one by one; a setting that was not taken is unknown.
package struct ConfigurationSource {
    /// A value and its line.
    package struct Setting {
        package enum Value {
            case table
            case array
            case string(String)
            case integer(Int64)
            case boolean(Bool)
            case other
        }

        package let value: Value
        package let line: Int
    }

    private let file: String
    private let settings: [String: Setting]
    private var taken: Set<String> = []

    /// Parses TOML. `file` is the name for messages.
    package init(text: String, file: String) throws(ConfigurationError) {
        self.file = file
        let walk = ConfigurationWalk()
        var message = [CChar](repeating: 0, count: 512)
        let line = ctoml_walk(
            text, text.utf8.count, Unmanaged.passUnretained(walk).toOpaque(), ConfigurationWalk.visit, &message,
            message.count)
        guard line == 0 else {
            let words = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            let what = String(decoding: words, as: UTF8.self)
            throw ConfigurationError(file: file, line: Int(line), what + Self.firstPlace(of: what, in: text))
        }
        settings = walk.settings
    }

    /// Where the section begins that the parser found twice, and what to do; nothing for other errors.
    private static func firstPlace(of error: String, in text: String) -> String {
        guard let start = error.firstRange(of: "cannot redefine existing table '") else { return "" }
        let name = error[start.upperBound...].prefix { $0 != "'" }
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        guard let first = lines.firstIndex(where: { $0.filter { !$0.isWhitespace }.hasPrefix("[\(name)]") }) else {
            return ""
        }
        return "; [\(name)] is in line \(first + 1) already, write its keys there"
    }

    /// The first parts of all keys: the sections and the tables of the file.
    package var sections: Set<String> {
        Set(settings.keys.map { key in String(key.prefix { $0 != "." && $0 != "[" }) })
    }

    /// Those of them that set something.
    package var filledSections: Set<String> {
        Set(
            settings.compactMap { key, setting in
                if case .table = setting.value { nil } else { String(key.prefix { $0 != "." && $0 != "[" }) }
            })
    }

    /// A text.
    package mutating func string(_ key: String) throws(ConfigurationError) -> String? {
        guard let setting = take(key) else { return nil }
        guard case .string(let text) = setting.value, !text.isEmpty else {
            throw wrong(key, "expected a text in quotes")
        }
        return text
    }

    /// A whole number within a range.
    package mutating func integer(_ key: String, _ range: ClosedRange<Int>) throws(ConfigurationError) -> Int? {
        guard let setting = take(key) else { return nil }
        guard case .integer(let number) = setting.value, let number = Int(exactly: number), range.contains(number)
        else { throw wrong(key, "expected a whole number from \(range.lowerBound) to \(range.upperBound)") }
        return number
    }

    /// True or false.
    package mutating func boolean(_ key: String) throws(ConfigurationError) -> Bool? {
        guard let setting = take(key) else { return nil }
        guard case .boolean(let isTrue) = setting.value else { throw wrong(key, "expected true or false") }
        return isTrue
    }

    /// One of several words.
    package mutating func choice<Word: RawRepresentable<String> & CaseIterable>(
        _ key: String, _ words: Word.Type
    ) throws(ConfigurationError) -> Word? {
        try choice(key, of: words.allCases.map(\.rawValue)).flatMap { Word(rawValue: $0) }
    }

    /// One of several words without a type.
    package mutating func choice(_ key: String, of words: [String]) throws(ConfigurationError) -> String? {
        guard let setting = take(key) else { return nil }
        guard case .string(let text) = setting.value, words.contains(text) else {
            throw wrong(key, "expected one of " + Self.quoted(words))
        }
        return text
    }

    /// The keys of the tables of an array, `[[key]]`; at most `limit`.
    package mutating func tables(_ key: String, limit: Int = 1_000) throws(ConfigurationError) -> [String] {
        guard let setting = take(key) else { return [] }
        guard case .array = setting.value else { throw wrong(key, "expected [[\(key)]]") }
        var tables: [String] = []
        while let element = take("\(key)[\(tables.count)]") {
            let table = "\(key)[\(tables.count)]"
            guard case .table = element.value else { throw wrong(key, "expected [[\(key)]]") }
            guard tables.count < limit else { throw wrong(table, "at most \(limit) are allowed") }
            tables.append(table)
        }
        return tables
    }

    /// Whether the file has a key.
    package func contains(_ key: String) -> Bool { settings[key] != nil }

    /// The error for a key that is missing.
    package func missing(_ key: String, in table: String, advice: String? = nil) -> ConfigurationError {
        ConfigurationError(
            file: file, line: settings[table]?.line, "\(table): \(key) is missing" + (advice.map { "; \($0)" } ?? ""))
    }

    /// Throws for a setting that was not taken, most likely a misspelt one; the first in the file is named.
    package func refuseRest(sections: Set<String>) throws(ConfigurationError) {
        let unknown = settings.filter { key, setting in
            if case .table = setting.value { return !sections.contains(key) && !taken.contains(key) }
            return !taken.contains(key)
        }
        guard let first = unknown.min(by: { ($0.value.line, $0.key) < ($1.value.line, $1.key) }) else { return }
        throw wrong(first.key, "unknown key" + advice(for: first.key, sections))
    }

    /// What to write instead of an unknown key: the nearest key that was looked for in the same place.
    private func advice(for key: String, _ sections: Set<String>) -> String {
        let dot = key.lastIndex(of: ".")
        let place = dot.map { String(key[...$0]) } ?? ""
        let candidates = dot == nil ? taken.union(sections) : taken
        let known = candidates.filter { $0.hasPrefix(place) }.map { $0.dropFirst(place.count) }
            .filter { !$0.contains { ".[".contains($0) } }.map(String.init).sorted()
        let name = String(key.dropFirst(place.count))
        if let nearest = name.nearest(among: known) { return "; did you mean \"\(nearest)\"?" }
        return known.isEmpty ? "" : "; there are \(known.joined(separator: ", "))"
    }

    package mutating func take(_ key: String) -> Setting? {
        taken.insert(key)
        return settings[key]
    }

    /// Words as they are written in the file.
    package static func quoted(_ words: [String]) -> String { words.map { "\"\($0)\"" }.joined(separator: ", ") }

    /// The error for an invalid value.
    package func wrong(_ key: String, _ what: String) -> ConfigurationError {
        ConfigurationError(file: file, line: settings[key]?.line, "\(key): \(what)")
    }
}

extension ConfigurationSource {
    /// A list of texts, each made into a value; at most `limit`.
    ///
    /// - Parameters:
    ///   - expected: what a text must be, for the error.
    ///   - value: the value of a text; nil where it is invalid.
    package mutating func list<Value>(
        _ key: String, limit: Int = 1_000, expected: String, _ value: (String) -> Value?
    ) throws(ConfigurationError) -> [Value]? {
        guard let setting = take(key) else { return nil }
        guard case .array = setting.value else { throw wrong(key, "expected a list of texts: [\"…\"]") }
        var values: [Value] = []
        while let element = take("\(key)[\(values.count)]") {
            let place = "\(key)[\(values.count)]"
            guard values.count < limit else { throw wrong(place, "at most \(limit) are allowed") }
            guard case .string(let text) = element.value, let value = value(text) else {
                throw wrong(place, "expected \(expected)")
            }
            values.append(value)
        }
        return values
    }

    /// A text or a whole number, as text.
    package mutating func word(_ key: String) throws(ConfigurationError) -> String? {
        guard let setting = take(key) else { return nil }
        switch setting.value {
        case .string(let text) where !text.isEmpty: return text
        case .integer(let number): return String(number)
        default: throw wrong(key, "expected a name in quotes, or a number")
        }
    }
}

/// Collects the settings of a document.
package final class ConfigurationWalk {
    private(set) var settings: [String: ConfigurationSource.Setting] = [:]

    package static let visit: ctoml_visitor = { context, path, kind, text, number, line in
        guard let context, let path, let text else { return }
        let value: ConfigurationSource.Setting.Value =
            switch kind {
            case CTOML_TABLE: .table
            case CTOML_ARRAY: .array
            case CTOML_STRING: .string(String(cString: text))
            case CTOML_INTEGER: .integer(number)
            case CTOML_BOOLEAN: .boolean(number != 0)
            default: .other
            }
        Unmanaged<ConfigurationWalk>.fromOpaque(context).takeUnretainedValue()
            .settings[String(cString: path)] = ConfigurationSource.Setting(value: value, line: Int(line))
    }
}

/// An error in a configuration file, with its line and key.
package struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(file: String, line: Int? = nil, _ what: String) {
        description = line.map { "\(file):\($0): \(what)" } ?? "\(file): \(what)"
    }
}
