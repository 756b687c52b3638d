/// A media type taken apart (RFC 2045, §5.1; RFC 6838, §4.2).
struct MediaType {
    /// Type and subtype in lower case, such as `text/plain`.
    let essence: Substring
    /// The `charset` parameter in lower case, quotation marks removed; nil where there is none.
    let charset: Substring?

    init(_ text: String) {
        let parts = text.lowercased().split(separator: ";", omittingEmptySubsequences: false)
        essence = parts.first?.trimmed ?? ""
        charset =
            parts.dropFirst().lazy.compactMap { parameter in
                let sides = parameter.split(separator: "=", maxSplits: 1)
                guard sides.count == 2, sides[0].trimmed == "charset" else { return nil }
                return sides[1].trimmed.droppingQuotationMarks
            }.first
    }

    /// Whether content of this type is text in UTF-8, as far as the type tells: `text/…`, JSON and XML, also by suffix.
    var isText: Bool {
        guard charset == nil || charset == "utf-8" || charset == "us-ascii" else { return false }
        return essence.utf8.starts(with: "text/".utf8) || Self.textEssences.contains(String(essence))
            || essence.hasSuffix("+json") || essence.hasSuffix("+xml")
    }

    private static let textEssences: Set = ["application/json", "application/xml", "application/javascript"]
}

extension Substring {
    fileprivate var trimmed: Substring {
        var rest = drop { $0 == " " || $0 == "\t" }
        while rest.last == " " || rest.last == "\t" { rest.removeLast() }
        return rest
    }

    fileprivate var droppingQuotationMarks: Substring {
        count >= 2 && first == "\"" && last == "\"" ? dropFirst().dropLast() : self
    }
}
