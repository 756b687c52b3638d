/// A key of a configuration file: how it is read, and when a change of it takes effect.
package struct ConfigurationKey<Configuration> {
    /// When a change takes effect.
    package enum Effect {
        /// At once, when the configuration is read again.
        case onReload
        /// When the daemon is started again.
        case onRestart
    }

    /// The key as one writes it: `session.timeout`, `[[grant]]`.
    package let name: String
    package let effect: Effect
    /// The section of the key; nil for a table.
    package let section: String?
    /// Reads the key, where the file has it.
    package let read: (inout Configuration, inout ConfigurationSource) throws(ConfigurationError) -> Void
    /// Whether two configurations have different values.
    package let differs: (Configuration, Configuration) -> Bool

    package init<Value: Equatable>(
        _ key: String, _ property: WritableKeyPath<Configuration, Value>, _ value: ConfigurationValue<Value>,
        _ effect: Effect
    ) {
        name = value.isTable ? "[[\(key)]]" : key
        section = value.isTable ? nil : key.split(separator: ".").first.map(String.init)
        self.effect = effect
        read = { configuration, source throws(ConfigurationError) in
            guard let value = try value.take(&source, key) else { return }
            configuration[keyPath: property] = value
        }
        differs = { $0[keyPath: property] != $1[keyPath: property] }
    }
}

/// What a key may be set to.
package struct ConfigurationValue<Value> {
    /// Takes the value of a key; nil where the file does not have the key.
    package let take: (inout ConfigurationSource, String) throws(ConfigurationError) -> Value?
    /// Whether it is an array of tables.
    package private(set) var isTable = false

    package init(
        take: @escaping (inout ConfigurationSource, String) throws(ConfigurationError) -> Value?, isTable: Bool = false
    ) {
        self.take = take
        self.isTable = isTable
    }

    /// An array of tables, `[[key]]`.
    package static func tables<Element>(
        _ element: @escaping (String, inout ConfigurationSource) throws(ConfigurationError) -> Element
    ) -> ConfigurationValue where Value == [Element] {
        ConfigurationValue(
            take: { source, key throws(ConfigurationError) in
                guard source.contains(key) else { return nil }
                var elements: [Element] = []
                for table in try source.tables(key) { elements.append(try element(table, &source)) }
                return elements
            }, isTable: true)
    }
}

extension ConfigurationValue<Bool> {
    /// `true` or `false`.
    package static var truth: Self {
        Self { source, key throws(ConfigurationError) in try source.boolean(key) }
    }
}

extension ConfigurationValue<[String]> {
    /// Readers of nfcd, by id or name.
    package static var readers: Self {
        Self { source, key throws(ConfigurationError) in
            try source.list(key, expected: "the id or the name of a reader, as nfcctl readers prints it") {
                $0.isEmpty ? nil : $0
            }
        }
    }
}

extension ConfigurationValue<String?> {
    /// A text.
    package static var text: Self {
        Self { source, key throws(ConfigurationError) in try source.string(key).map { .some($0) } }
    }

    /// One of several words.
    package static func choice(of words: [String]) -> Self {
        Self { source, key throws(ConfigurationError) in try source.choice(key, of: words).map { .some($0) } }
    }
}

extension ConfigurationValue<Int> {
    /// A whole number within a range.
    package static func integer(_ range: ClosedRange<Int>) -> Self {
        Self { source, key throws(ConfigurationError) in try source.integer(key, range) }
    }
}

extension ConfigurationValue<Duration> {
    /// A whole number of seconds within a range.
    package static func seconds(_ range: ClosedRange<Int>) -> Self {
        Self { source, key throws(ConfigurationError) in try source.integer(key, range).map { .seconds($0) } }
    }
}

extension ConfigurationValue where Value: RawRepresentable<String> & CaseIterable {
    /// One of the words of a type.
    package static var word: Self {
        Self { source, key throws(ConfigurationError) in try source.choice(key, Value.self) }
    }
}
