/// What of a tag may be opened: after a click, or without one.
struct OpenPolicy: Sendable, Hashable {
    /// Why a URI is not offered to be opened.
    enum Refusal: Error, Sendable, Hashable, CustomStringConvertible {
        case notALink(TagLink.Objection)
        case scheme(String)

        var description: String {
            switch self {
            case .notALink(let objection): "It cannot be opened: \(objection)."
            case .scheme(let scheme):
                OpenPolicy.forbidden.contains(scheme)
                    ? "It is never opened: the scheme \(scheme) can run programs or show files of this computer."
                    : "It cannot be opened: the scheme \(scheme) is not in schemes in section [open] of desktop.toml."
            }
        }
    }

    /// A host of the list: `example.com`, or `*.example.com` for every host below it.
    struct Host: Sendable, Hashable {
        private let name: String
        private let isBelow: Bool

        /// Nil where it is not the name of a host in ASCII or Unicode.
        init?(_ text: String) {
            isBelow = text.hasPrefix("*.")
            let name = isBelow ? String(text.dropFirst(2)) : text
            guard let link = try? TagLink("https://\(name)"), let host = link.host, link.port == nil,
                link.uri == "https://\(host)"
            else { return nil }
            self.name = host
        }

        func matches(_ host: String) -> Bool { isBelow ? host.hasSuffix(".\(name)") : host == name }
    }

    /// Schemes that no configuration can allow: they run scripts, or show what is on the computer.
    static let forbidden: Set = [
        "file", "javascript", "data", "vbscript", "blob", "filesystem", "jar", "view-source", "about", "chrome",
        "resource", "res", "mhtml", "ms-its", "wyciwyg",
    ]

    /// The schemes that a click may open.
    var schemes: Set<String> = ["https"]
    /// The hosts whose links are opened without a click.
    var hosts: [Host] = []

    /// Whether a scheme can be added.
    static func canAllow(_ scheme: String) -> Bool {
        guard let link = try? TagLink("\(scheme)://example.com"), link.scheme == scheme else { return false }
        return !forbidden.contains(scheme)
    }

    /// The link of a URI that may be opened.
    func link(_ uri: String) throws(Refusal) -> TagLink {
        let link: TagLink
        do throws(TagLink.Objection) { link = try TagLink(uri) } catch { throw .notALink(error) }
        guard schemes.contains(link.scheme), !Self.forbidden.contains(link.scheme) else { throw .scheme(link.scheme) }
        return link
    }

    /// Whether a link is opened without a click: its host is on the list, with the usual port.
    func opensByItself(_ link: TagLink) -> Bool {
        guard schemes.contains(link.scheme), let host = link.host, link.port == nil else { return false }
        return hosts.contains { $0.matches(host) }
    }
}
