/// Text of a tag as it is shown to a person: on one line, of limited length, and with every character visible.
struct ShownText: Sendable, Hashable {
    /// Marks that may follow each other on one character; more would grow over the lines around them.
    private static let mostMarks = 2

    /// The text without markup.
    let plain: String

    /// - Parameters:
    ///   - text: what the tag contains.
    ///   - limit: the most characters; the rest is replaced by `…`.
    init(_ text: String, limit: Int = 300) {
        var shown = ""
        var (count, marks) = (0, 0)
        for scalar in text.unicodeScalars {
            guard count < limit else {
                shown += "…"
                break
            }
            count += 1
            marks = scalar.isMark ? marks + 1 : 0
            if scalar.isVisible, marks <= Self.mostMarks {
                shown.unicodeScalars.append(scalar)
            } else {
                shown += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            }
        }
        plain = shown
    }

    /// The text for a server that takes markup: it shows the same characters.
    static func escapingMarkup(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
    }
}

extension Unicode.Scalar {
    /// Whether a person sees it, or a plain space. Everything that ends lines, changes directions, joins or hides is not visible.
    var isVisible: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        case .spaceSeparator: self == " "
        // Hangul fillers and their like are letters or marks without a shape.
        default: !properties.isDefaultIgnorableCodePoint || properties.isVariationSelector
        }
    }

    fileprivate var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: !properties.isVariationSelector
        default: false
        }
    }
}
