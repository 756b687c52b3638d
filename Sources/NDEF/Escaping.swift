extension String {
    /// The text on one line, with everything that could drive a terminal or disguise what is shown made visible:
    /// control characters, line and paragraph separators and changes of writing direction as `\u{1B}`; backslash and
    /// quotation mark with a backslash in front.
    package var escaped: String {
        guard unicodeScalars.contains(where: \.needsEscaping) else { return self }
        var result = ""
        for scalar in unicodeScalars {
            if scalar == "\\" || scalar == "\"" {
                result += "\\\(scalar)"
            } else if scalar.needsEscaping {
                result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension Unicode.Scalar {
    fileprivate var needsEscaping: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: self == "\\" || self == "\"" || properties.isBidiControl
        }
    }
}
