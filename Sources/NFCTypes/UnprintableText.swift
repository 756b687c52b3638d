extension Unicode.Scalar {
    /// Whether it could end a line, drive a terminal, or change the direction of the text around it.
    package var isUnprintable: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: properties.isBidiControl
        }
    }

    /// The form `\u{1B}`.
    package var escapeSequence: String { "\\u{\(String(value, radix: 16, uppercase: true))}" }
}

extension String {
    /// The text on one line, with everything unprintable as `\u{1B}`. For texts that clients, tags and readers supply in part.
    package var printable: String {
        guard unicodeScalars.contains(where: \.isUnprintable) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if scalar.isUnprintable { text += scalar.escapeSequence } else { text.unicodeScalars.append(scalar) }
        }
    }
    /// The text with its lines, each of them ``printable``.
    package var printableLines: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }.joined(separator: "\n")
    }
}
