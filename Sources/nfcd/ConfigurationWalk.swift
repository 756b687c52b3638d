import CTOML

/// Collects what the walk over a document comes by.
final class ConfigurationWalk {
    private(set) var settings: [String: ConfigurationSource.Setting] = [:]

    static let visit: ctoml_visitor = { context, path, kind, text, number, line in
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
