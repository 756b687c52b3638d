import NDEF

// What filters look at in a record.

extension NDEFRecord {
    /// Where the record leads; nil for one without a URI.
    var uri: String? {
        switch decoded {
        case .uri(let content): content.uri
        case .smartPoster(let content): content.uri.uri
        case .absoluteURI(let content): content.uri
        default: nil
        }
    }

    /// The type as text.
    var typeText: String { String(decoding: type, as: UTF8.self) }
}

extension String {
    /// A media type in lower case and without its parameters (RFC 2045, 5.1).
    var mediaEssence: String {
        let essence = prefix { $0 != ";" }
        let end = essence.lastIndex { $0 != " " && $0 != "\t" }
        return end.map { essence[...$0].drop { $0 == " " || $0 == "\t" }.lowercased() } ?? ""
    }

    /// The host of a URI, an address of version 6 with its brackets (RFC 3986, 3.2.2); nil where there is none.
    var uriHost: String? {
        guard let scheme = firstIndex(of: ":") else { return nil }
        let rest = self[index(after: scheme)...]
        guard rest.hasPrefix("//") else { return nil }
        let authority = rest.dropFirst(2).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        if host.first == "[" { return host.firstIndex(of: "]").map { String(host[...$0]) } }
        return String(host.prefix { $0 != ":" })
    }
}
