import NDEF

/// Why a URI of a tag is not opened: anyone can write to a tag, and the programs of the desktop take more from a URI than a place.
///
/// A mail program attaches the files that a `mailto:` names (CVE-2020-27748), an argument that begins with `-` is an option, and a
/// telephone acts on some numbers at once.
struct OpeningRefusal: Equatable {
    /// The reason, as the end of a sentence.
    let reason: String

    /// The schemes that are opened. Others could start any program with any file.
    static let schemes = ["https", "http", "mailto", "tel", "sms", "geo"]
    /// The header fields of a mail that is written: others attach files, or are read by programs alone.
    private static let mailFields: Set<String> = ["to", "cc", "subject", "body"]

    /// Nil for a URI that can be opened.
    init?(_ uri: String) {
        let (scheme, rest) = Self.parts(of: uri)
        guard let reason = Self.reason(uri, scheme: scheme.lowercased(), rest: rest) else { return nil }
        self.reason = reason
    }

    private static func parts(of uri: String) -> (scheme: Substring, rest: Substring) {
        let scheme = uri.prefix { $0 != ":" }
        return (scheme, uri[scheme.endIndex...].dropFirst())
    }

    private static func reason(_ uri: String, scheme: String, rest: Substring) -> String? {
        guard schemes.contains(scheme), URIDoubt(uri) == nil else {
            return "only \(schemes.joined(separator: ", ")) are opened, because anyone can write to a tag"
        }
        // RFC 3986 has none of these in a URI; shells and browsers have a use for them.
        if uri.contains(where: { "\"<>\\^`{|}".contains($0) }) {
            return "it has characters that no URI has"
        }
        switch scheme {
        case "https", "http": return web(rest)
        case "mailto": return mail(rest)
        case "tel", "sms": return number(rest)
        default: return place(rest)
        }
    }

    private static let beginsAsOption = "it begins like an option of a program"

    private static func isOption(_ text: some StringProtocol) -> Bool { decoded(text).first == "-" }

    private static func web(_ rest: Substring) -> String? {
        guard rest.hasPrefix("//") else { return "it names no host" }
        let authority = rest.dropFirst(2).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        if host.isEmpty || host.first == ":" { return "it names no host" }
        return isOption(authority) || isOption(host) ? beginsAsOption : nil
    }

    /// Two or three numbers, and parameters (RFC 5870).
    private static func place(_ rest: Substring) -> String? {
        let place = rest.prefix { $0 != "?" && $0 != ";" }
        return place.wholeMatch(of: /-?[0-9.]+(,-?[0-9.]+){1,2}/) == nil ? "it names no place" : nil
    }

    private static func number(_ rest: Substring) -> String? {
        let number = decoded(rest.prefix { $0 != "?" && $0 != ";" })
        if number.contains(where: { $0 == "*" || $0 == "#" }) || rest.contains("#") {
            return "a number with * or # is a command to the telephone or its network"
        }
        return number.first == "-" ? beginsAsOption : nil
    }

    private static func mail(_ rest: Substring) -> String? {
        let path = rest.prefix { $0 != "?" }
        var fields = [(name: "to", value: decoded(path))]
        for field in rest[path.endIndex...].dropFirst().split(separator: "&") {
            let name = decoded(field.prefix { $0 != "=" }).lowercased()
            guard mailFields.contains(name) else {
                return "its field \(name.escaped) is not one of \(mailFields.sorted().joined(separator: ", "))"
            }
            fields.append((name, decoded(field.drop { $0 != "=" }.dropFirst())))
        }
        for (name, value) in fields {
            // Mail programs are called with lists such as subject='…',attachment='…'.
            if value.contains(/['"]\s*,/) || value.contains("\0") { return "its field \(name) would end an argument" }
            if name != "body", value.contains(where: \.isNewline) { return "its field \(name) has more than one line" }
            let isAddress = name == "to" || name == "cc"
            if isAddress, value.split(separator: ",").contains(where: { isOption($0.drop(while: \.isWhitespace)) }) {
                return beginsAsOption
            }
        }
        return nil
    }

    private static func decoded(_ text: some StringProtocol) -> String {
        PercentEncoding.decode(Array(text.utf8)[...])
    }
}
