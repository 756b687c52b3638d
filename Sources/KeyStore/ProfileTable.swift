import NFCTypes
import SecureTags
import ServiceSupport

extension TagProfile {
    /// A `[[profile]]` of the file.
    init(_ table: String, of source: inout ConfigurationSource, _ ring: KeyRing) throws(ConfigurationError) {
        let name = try source.keyName("\(table).name", in: table)
        guard let product = try source.choice("\(table).tag", Product.self) else {
            throw source.missing(
                "tag", in: table, advice: "one of " + ConfigurationSource.quoted(Product.allCases.map(\.rawValue)))
        }
        let method = try source.choice("\(table).method", Method.self) ?? .mutual
        self.init(name: name, product: product, method: method, keys: try Self.keys(table, &source, ring))
        derivation = try source.choice("\(table).derivation", Derivation.self) ?? .an10922
        systemIdentifier = try source.bytes("\(table).system-id", 1...Self.longestSystemIdentifier) ?? []
        usesLRP = try source.boolean("\(table).lrp") ?? false
        expectsTamper = try source.boolean("\(table).tamper") ?? false
        application = try source.bytes("\(table).application", 3...3) ?? []
        fileNumber = UInt8(try source.integer("\(table).file-number", 0...31) ?? 1)
        messaging = try source.choice("\(table).messaging", Messaging.self) ?? .ev2
        url = try source.string("\(table).url")
        uriHost = try source.string("\(table).uri-host") ?? url.flatMap(Self.host)
        try check(table, source)
    }

    private static func keys(
        _ table: String, _ source: inout ConfigurationSource, _ ring: KeyRing
    ) throws(ConfigurationError) -> [Role: String] {
        var keys: [Role: String] = [:]
        for role in Role.allCases {
            let place = "\(table).\(role.rawValue)-key"
            guard let name = try source.string(place) else { continue }
            guard ring.entries.contains(where: { $0.name == name }) else {
                // A key where its name belongs: it is not repeated in the error.
                guard name.count < KeyText.fewestDigits || !name.allSatisfy(\.isHexDigit) else {
                    throw source.wrong(place, "expected the name of a key, not a key")
                }
                let advice = name.nearest(among: Set(ring.entries.map(\.name)).sorted()).map {
                    "; did you mean \"\($0)\"?"
                }
                throw source.wrong(place, "there is no key \"\(name)\"" + (advice ?? ""))
            }
            keys[role] = name
        }
        return keys
    }

    private static func host(_ url: String) -> String? {
        guard let start = url.firstRange(of: "://") else { return nil }
        let host = url[start.upperBound...].prefix { !"/?#:{".contains($0) }
        return host.isEmpty ? nil : String(host)
    }

    /// What a profile needs, and what it must not say.
    private func check(_ table: String, _ source: ConfigurationSource) throws(ConfigurationError) {
        for role in needed where keys[role] == nil { throw source.missing("\(role.rawValue)-key", in: table) }
        if let role = keys.keys.first(where: { number(of: $0) == nil }) {
            throw source.wrong("\(table).\(role.rawValue)-key", "tags of this kind have no such key")
        }
        guard product == .ntag424 || method == .mutual else {
            throw source.wrong("\(table).method", "only an NTAG 424 DNA proves itself by its message")
        }
        if product == .desfire, application.isEmpty { throw source.missing("application", in: table) }
        try checkTemplate(table, source)
        guard product == .ntag424 || !expectsTamper else {
            throw source.wrong("\(table).tamper", "only an NTAG 424 DNA TagTamper has a tamper loop")
        }
        let shared = Set(keys.filter { $0.key != .meta }.values)
        guard keys[.meta].map({ !shared.contains($0) }) ?? true else {
            throw source.wrong("\(table).meta-key", "every tag has this key; it must not be used for anything else")
        }
    }

    /// Refuses keys in tokens where the key itself is needed, or what their tokens do not compute.
    func checkTokens(_ table: String, _ source: ConfigurationSource, _ ring: KeyRing) throws(ConfigurationError) {
        for role in Role.allCases {
            guard let name = keys[role] else { continue }
            let masters = ring.versions(of: name).map(\.master).filter(\.isInToken)
            guard masters.isEmpty || (role != .meta && derivation != .none) else {
                throw source.wrong(
                    "\(table).\(role.rawValue)-key",
                    "key \(name) is in a token, which does not reveal it; a key that all tags share must be in the file"
                )
            }
            let length = input(uid: [UInt8](repeating: 0, count: 7), role: role).count
            let lacking = TokenKey.shortestCMACInput - length
            guard derivation == .an10922, lacking > 0 else { continue }
            guard masters.allSatisfy({ ($0 as? TokenKey)?.takesShortInputs ?? true }) else {
                throw source.wrong(
                    "\(table).\(role.rawValue)-key",
                    "key \(name) must not encrypt in its token (CKA_ENCRYPT), which the derivation needs here; use a key that may, or"
                        + " a system-id with at least \(lacking + systemIdentifier.count) bytes")
            }
        }
    }

    private var needed: [Role] {
        guard product == .ntag424, method == .sun else { return [.tag] }
        return url?.contains("{picc}") == true ? [.meta, .file] : [.file]
    }

    private func checkTemplate(_ table: String, _ source: ConfigurationSource) throws(ConfigurationError) {
        guard let url else {
            guard method == .mutual else {
                throw source.missing("url", in: table, advice: "such as \"https://ex.am/?p={picc}&c={mac}\"")
            }
            return
        }
        let template: SUNTemplate
        do throws(SecureTagError) { template = try SUNTemplate(url, isLRP: usesLRP) } catch {
            throw source.wrong("\(table).url", "\(error)")
        }
        guard method == .mutual || !expectsTamper || template.showsTamper else {
            throw source.wrong(
                "\(table).tamper", "the url does not show the tamper loop; add {tt} or {enc:32:tt} before {mac}")
        }
    }
}
