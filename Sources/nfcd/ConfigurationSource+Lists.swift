extension ConfigurationSource {
    /// A list of texts, each made into a value; at most `limit`.
    ///
    /// - Parameters:
    ///   - expected: what a text has to be, for the error.
    ///   - value: the value of a text; nil where it is wrong.
    mutating func list<Value>(
        _ key: String, limit: Int = 1_000, expected: String, _ value: (String) -> Value?
    ) throws(ConfigurationError) -> [Value]? {
        guard let setting = take(key) else { return nil }
        guard case .array = setting.value else { throw wrong(key, "expected a list of texts: [\"…\"]") }
        var values: [Value] = []
        while let element = take("\(key)[\(values.count)]") {
            let place = "\(key)[\(values.count)]"
            guard values.count < limit else { throw wrong(place, "there may be \(limit) of these") }
            guard case .string(let text) = element.value, let value = value(text) else {
                throw wrong(place, "expected \(expected)")
            }
            values.append(value)
        }
        return values
    }

    /// A text or a whole number, as text.
    mutating func word(_ key: String) throws(ConfigurationError) -> String? {
        guard let setting = take(key) else { return nil }
        switch setting.value {
        case .string(let text) where !text.isEmpty: return text
        case .integer(let number): return String(number)
        default: throw wrong(key, "expected a name in quotes, or a number")
        }
    }
}
