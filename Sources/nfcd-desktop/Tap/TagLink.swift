/// A URI of a tag, taken apart as a browser would do it; what programs read in different ways is refused.
struct TagLink: Sendable, Hashable {
    /// Why a URI is never opened.
    enum Objection: Error, Sendable, Hashable, CustomStringConvertible {
        case noScheme
        case character(Unicode.Scalar)
        case userName
        case host
        case tooLong

        var description: String {
            switch self {
            case .noScheme: "it does not begin with a scheme such as https:"
            case .character(let scalar): "it contains U+\(String(scalar.value, radix: 16, uppercase: true))"
            case .userName: "it has a user name before its host"
            case .host: "its host is not a valid name or address"
            case .tooLong: "it is too long"
            }
        }
    }

    private static let longest = 2_000
    /// The schemes whose URIs name a host.
    private static let hostSchemes: Set = [
        "https", "http", "ftp", "ftps", "sftp", "ws", "wss", "rtsp", "smb", "nfs", "dav",
    ]

    /// In lower case.
    let scheme: String
    /// In ASCII and lower case, without the port; nil where the scheme has none.
    let host: String?
    /// The number after the host; nil if there is none.
    let port: Int?
    /// The whole URI in ASCII.
    let uri: String

    init(_ text: String) throws(Objection) {
        guard text.utf8.count <= Self.longest else { throw .tooLong }
        guard let colon = text.unicodeScalars.firstIndex(of: ":") else { throw .noScheme }
        let scheme = String(text[..<colon]).lowercased()
        guard Self.isScheme(scheme) else { throw .noScheme }
        let rest = text.unicodeScalars[colon...].dropFirst()
        self.scheme = scheme
        guard Self.hostSchemes.contains(scheme) else {
            (host, port) = (nil, nil)
            uri = "\(scheme):\(try Self.encoded(rest))"
            return
        }
        guard rest.starts(with: "//".unicodeScalars) else { throw .host }
        let place = rest.dropFirst(2)
        let end = place.firstIndex { "/?#".unicodeScalars.contains($0) } ?? place.endIndex
        let authority = place[..<end]
        // Some programs read a backslash as the end of the host, others do not.
        if authority.contains("@") { throw .userName }
        let (host, port) = try Self.split(authority)
        (self.host, self.port) = (host, port)
        let number = port.map { ":\($0)" } ?? ""
        uri = "\(scheme)://\(host)\(number)\(try Self.encoded(place[end...]))"
    }

    private static func isScheme(_ scheme: String) -> Bool {
        guard let first = scheme.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) else {
            return false
        }
        return scheme.utf8.count <= 32
            && scheme.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || "0123456789+.-".unicodeScalars.contains($0))
            }
    }

    /// What follows the host or the scheme: characters beyond ASCII are percent-encoded, and those that RFC 3986 excludes refused.
    private static func encoded(_ rest: Substring.UnicodeScalarView) throws(Objection) -> String {
        var text = ""
        for scalar in rest {
            if scalar.isASCII {
                guard scalar.value > 0x20, scalar.value != 0x7F, !#""<>\^`{|}"#.unicodeScalars.contains(scalar) else {
                    throw .character(scalar)
                }
                text.unicodeScalars.append(scalar)
            } else {
                guard scalar.isVisible else { throw .character(scalar) }
                for byte in String(scalar).utf8 { text += "%" + String(byte, radix: 16, uppercase: true) }
            }
        }
        return text
    }

    private static func split(_ authority: Substring.UnicodeScalarView) throws(Objection) -> (String, Int?) {
        var (name, digits) = (authority, authority[authority.endIndex...])
        if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
            (name, digits) = (authority[..<colon], authority[colon...].dropFirst())
            guard (1...5).contains(digits.count), digits.allSatisfy({ ("0"..."9").contains($0) }) else { throw .host }
        }
        let port = digits.isEmpty ? nil : Int(String(digits))
        guard port.map({ (1...65_535).contains($0) }) ?? true else { throw .host }
        return (try host(String(name)), port)
    }

    private static func host(_ name: String) throws(Objection) -> String {
        if name.hasPrefix("["), name.hasSuffix("]") {
            let address = name.dropFirst().dropLast().lowercased()
            guard address.contains(":"),
                address.unicodeScalars.allSatisfy({ "0123456789abcdef:.".unicodeScalars.contains($0) })
            else {
                throw .host
            }
            return "[\(address)]"
        }
        var labels = name.lowercased().split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        if labels.count > 1, labels.last?.isEmpty == true { labels.removeLast() }
        var shown: [String] = []
        for label in labels {
            guard label.unicodeScalars.allSatisfy(isOfHost), let ascii = Punycode.label(label) else { throw .host }
            shown.append(ascii)
        }
        let host = shown.joined(separator: ".")
        guard host.utf8.count <= 253, !host.isEmpty else { throw .host }
        return host
    }

    private static func isOfHost(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.isASCII else { return scalar.isVisible && isLetterOrMark(scalar) }
        return scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "-" || scalar == "_"
    }

    /// Dots and slashes of other scripts are punctuation, which programs map to ASCII.
    private static func isLetterOrMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .lowercaseLetter, .otherLetter, .modifierLetter, .nonspacingMark, .spacingMark, .decimalNumber: true
        default: false
        }
    }
}
