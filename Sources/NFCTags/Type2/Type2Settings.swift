import ISO7816

/// Changes the password or key and the configuration of a Type 2 chip (NTAG21x, MIFARE Ultralight EV1 and AES).
///
/// A password is in force by AUTH0 alone. It is written last, once the tag has accepted password and PACK, and it is cleared first:
/// wherever the change is interrupted, the tag has the old password, none, or the new one. A page is never written twice.
struct Type2Settings {
    private let chip: Type2Chip
    private let product: Type2Product
    private let configurationPage: Int
    private var configuration: Type2Configuration

    /// Loads the settings; the header has been read.
    ///
    /// - Throws: ``TagError`` 1 if the product has none, 400 if they are locked or need the password.
    init(_ chip: Type2Chip) async throws(TagError) {
        guard let product = try await chip.recognizedProduct() else {
            throw TagError(
                .unsupportedFeature,
                chip.pages.isAuthenticated
                    ? "the product is not recognized, and its settings depend on it"
                    : "the product is not recognized, and its settings depend on it; if the tag has a password, give it first"
            )
        }
        guard let page = product.configurationPage else {
            throw TagError(.unsupportedFeature, "\(product.name) has no password or settings that nfcd supports")
        }
        let protection = try await Self.protection(of: product, chip)
        guard let configuration = protection.configuration else {
            throw TagError(.tagResponseError, "the configuration of the \(product.name) could not be read")
        }
        guard !configuration.isLocked else {
            throw TagError(.tagNotWritable, "the configuration of the \(product.name) is locked permanently (CFGLCK)")
        }
        try Self.check(
            !configuration.needsSecureMessaging,
            "the \(product.name) uses secure messaging (SEC_MSG_ACT), which nfcd does not support")
        try chip.checkPassword(page..<product.secretPages(page).upperBound, protection)
        (self.chip, self.product, configurationPage) = (chip, product, page)
        self.configuration = configuration
    }

    private static func protection(
        of product: Type2Product, _ chip: Type2Chip
    ) async throws(TagError) -> Type2Protection {
        do throws(TagError) {
            return try await chip.protection(of: product)
        } catch {
            guard error.code == .tagResponseError, !chip.pages.isAuthenticated else { throw error }
            throw TagError(
                .tagNotWritable,
                "the configuration of the \(product.name) cannot be read without its \(product.secret.words)",
                response: error.response, statusWord: error.statusWord)
        }
    }
}

extension Type2Settings {
    /// Sets the password.
    mutating func set(_ password: TagPassword) async throws(TagError) -> TagProtection {
        let protection = try protection(of: password)
        _ = try chip.pages.passwordTransport()
        try await checkKeyLock()
        try await disarm("the tag has its old \(secret.words) or none")
        try await Self.step("the tag has no \(secret.words) now") { () throws(TagError) in
            try await store(password.password.bytes, acknowledge: password.acknowledge)
            // It cannot be read back. The tag also forgets wrong passwords with this, before it begins to count them.
            let acknowledge = try await chip.pages.authenticate(password: password.password.bytes)
            guard secret != .password || acknowledge == password.acknowledge else {
                throw TagError(.tagResponseError, "the tag answers the new password with another PACK than was written")
            }
            configuration.scope = protection.protects
            configuration.attemptLimit = protection.attempts
            try await store(1, configuration.page1)
        }
        configuration.firstProtectedPage = protection.firstPage
        try await Self.step("the tag has the new \(secret.words) or none") { () throws(TagError) in
            try await store(0, configuration.page0)
        }
        return protection
    }

    /// Removes the password: first what puts it in force.
    mutating func removePassword() async throws(TagError) {
        try await checkKeyLock()
        try await disarm("the tag has its \(secret.words) or none")
        try await Self.step("the tag has no \(secret.words) now") { () throws(TagError) in
            configuration.scope = .write
            configuration.attemptLimit = 0
            try await store(1, configuration.page1)
            try await store(secret.factoryValue, acknowledge: [0, 0])
        }
    }

    private var secret: Type2Secret { product.secret }

    /// Writes PWD and PACK, or DataProtKey, whose last byte comes first.
    private func store(_ value: [UInt8], acknowledge: [UInt8]) async throws(TagError) {
        let bytes = secret == .password ? value + acknowledge + [0, 0] : value.reversed()
        for (index, page) in product.secretPages(configurationPage).enumerated() {
            let start = index * Type2Pages.size
            try await chip.pages.write(Array(bytes[start..<start + Type2Pages.size]), to: page)
        }
    }

    /// Refuses to change a key that is locked.
    private func checkKeyLock() async throws(TagError) {
        guard case .aesKey(_, let lockPage) = secret else { return }
        let lock = try await chip.pages.plainRead(from: lockPage)
        guard lock.first.map({ $0 & 0x40 == 0 }) == true else {
            throw TagError(.tagNotWritable, "the key of the \(product.name) is locked permanently (LOCK_KEYS)")
        }
    }

    /// The wanted protection, with what the tag has or was delivered with where nothing is wanted.
    private func protection(of wanted: TagPassword) throws(TagError) -> TagProtection {
        try Self.check(
            wanted.endPage == nil && wanted.kind == nil,
            "the \(product.name) has one \(secret.words), which protects all pages from the first one on")
        try Self.check(
            wanted.password.bytes.count == secret.size,
            "the \(secret.words) of the \(product.name) has \(secret.size) bytes, not \(wanted.password.bytes.count)")
        try Self.check(
            wanted.acknowledge.count == 2, "PACK of a Type 2 Tag has 2 bytes, not \(wanted.acknowledge.count)")
        try Self.check(
            secret == .password || wanted.acknowledge == [0, 0], "the \(product.name) has a key, and no PACK")
        let first = wanted.firstPage ?? (isArmed ? configuration.firstProtectedPage : 4)
        try Self.check(
            0...configurationPage ~= first,
            "the \(secret.words) of the \(product.name) begins at page 0 to \(configurationPage), not \(first): if it began later, anyone could remove it"
        )
        let scope = wanted.protects ?? (isArmed ? configuration.scope : .write)
        try Self.check(
            scope == .write || first > 3,
            "pages 0 to 3 show what the tag is and have to stay readable; begin at page 4, or protect writing only")
        let attempts = wanted.attempts ?? configuration.attemptLimit
        try Self.check(
            0...secret.largestAttemptLimit ~= attempts,
            "the \(product.name) takes 1 to \(secret.largestAttemptLimit) wrong attempts, or 0 for any number, not \(attempts)"
        )
        return TagProtection(firstPage: first, protects: scope, attempts: attempts)
    }

    /// Whether AUTH0 is in the memory of the tag.
    private var isArmed: Bool { configuration.firstProtectedPage < product.readablePages }

    /// Clears AUTH0, so that no page needs the password.
    private mutating func disarm(_ state: String) async throws(TagError) {
        if isArmed {
            configuration.firstProtectedPage = secret == .password ? 0xFF : product.readablePages
            try await Self.step(state) { () throws(TagError) in try await store(0, configuration.page0) }
        }
        chip.pages.dropPassword()
    }
}

extension TagPassword {
    /// What the tag answers to the password, 2 bytes; zeros with a key.
    fileprivate var acknowledge: [UInt8] { pack?.bytes ?? [0, 0] }
}

extension Type2Settings {
    /// Changes the counter and the mirror.
    mutating func change(_ changes: TagSettingChanges) async throws(TagError) -> TagSettings {
        let others = changes.ofICODE
        try Self.check(
            others.isEmpty, "the \(product.name) has no \(others.joined(separator: ", no ")); ICODE SLIX2 has")
        try Self.check(changes.mirror == nil || !product.mirrors.isEmpty, "\(product.name) has no mirror")
        let before = configuration
        if let counter = changes.counter {
            try Self.check(product.hasNFCCounter, "\(product.name) has no NFC counter that can be turned on or off")
            configuration.counter = counter
        }
        if let mirror = try MirrorSetting(changes) { try place(mirror) }
        let mirror = configuration.mirror(on: product)
        try Self.check(
            !mirror.content.hasCounter || configuration.counter != .off,
            "the mirror shows the counter, which is off; turn the counter on, or the mirror off")
        let configuration = configuration
        var done = DoneSettings()
        if configuration.page1 != before.page1 {
            try await done.add("the counter") { () throws(TagError) in
                try await Self.step("the counter is set as before, or as wanted") { () throws(TagError) in
                    try await store(1, configuration.page1)
                }
            }
        }
        if configuration.page0 != before.page0 {
            try await done.add("the mirror") { () throws(TagError) in
                try await Self.step("the mirror is the old one, or the new one") { () throws(TagError) in
                    try await store(0, configuration.page0)
                }
            }
        }
        let isOn = mirror.content != .off
        return TagSettings(
            counter: product.hasNFCCounter ? configuration.counter : nil, mirror: mirror.content,
            mirrorPage: isOn ? mirror.page : nil, mirrorByte: isOn ? mirror.byte : nil)
    }

    /// Puts a mirror where it covers data pages only.
    private mutating func place(_ mirror: MirrorSetting) throws(TagError) {
        guard mirror.content != .off else { return configuration.setMirror(.off, on: product) }
        try Self.check(
            product.mirrors.contains(mirror.content),
            "\(product.name) can mirror its UID only")
        let end = (product.lastUserPage + 1) * Type2Pages.size
        try Self.check(
            0...3 ~= mirror.byte && 4...product.lastUserPage ~= mirror.page
                && mirror.page * Type2Pages.size + mirror.byte + mirror.content.size <= end,
            "a mirror of \(mirror.content.size) bytes does not fit at page \(mirror.page), byte \(mirror.byte): pages 4 to \(product.lastUserPage) of the \(product.name) hold data"
        )
        configuration.setMirror(mirror, on: product)
    }
}

extension TagSettingChanges {
    /// What is wanted of an ICODE SLIX2, in words; Type 2 tags have nothing of it.
    fileprivate var ofICODE: [String] {
        [
            counterValue == nil ? nil : "counter whose value can be set", afi == nil ? nil : "AFI",
            eas == nil ? nil : "EAS", locks?.isEmpty != false ? nil : "locks of settings",
            privacy == nil ? nil : "privacy mode",
        ].compactMap(\.self)
    }
}

extension MirrorSetting {
    /// The mirror that is wanted; nil if it stays unchanged.
    ///
    /// - Throws: ``TagError`` 1 for a place without a mirror, or a mirror without a place.
    fileprivate init?(_ changes: TagSettingChanges) throws(TagError) {
        let content = changes.mirror ?? .off
        guard content != .off else {
            guard changes.mirrorPage == nil, changes.mirrorByte == nil else {
                throw TagError(.unsupportedFeature, "mirrorPage and mirrorByte need a mirror")
            }
            guard changes.mirror != nil else { return nil }
            self = .off
            return
        }
        guard let page = changes.mirrorPage else {
            throw TagError(.unsupportedFeature, "mirrorPage is missing: where the mirror begins")
        }
        self.init(content: content, page: page, byte: changes.mirrorByte ?? 0)
    }
}

extension Type2Product {
    /// The pages of PWD and PACK, or of the key.
    fileprivate func secretPages(_ configurationPage: Int) -> Range<Int> {
        switch secret {
        case .password: configurationPage + 2..<configurationPage + 4
        case .aesKey(let page, _): page..<page + secret.size / Type2Pages.size
        }
    }
}

extension Type2Secret {
    /// The password or key as delivered.
    fileprivate var factoryValue: [UInt8] { [UInt8](repeating: self == .password ? 0xFF : 0, count: size) }
}

extension Type2Settings {
    /// Writes CFG0 or CFG1, and reads it back.
    private func store(_ index: Int, _ bytes: [UInt8]) async throws(TagError) {
        let page = configurationPage + index
        try await chip.pages.write(bytes, to: page)
        let found = try await chip.pages.plainRead(from: page)
        guard found.starts(with: bytes) else {
            throw TagError(
                .tagResponseError,
                "page \(page) holds \(Hexadecimal.string(Array(found.prefix(4)))) after \(Hexadecimal.string(bytes)) was written"
            )
        }
    }

    /// Writes; a failure is one of writing, and states what is on the tag then.
    private static func step(_ state: String, _ body: () async throws(TagError) -> Void) async throws(TagError) {
        do throws(TagError) {
            try await body()
        } catch {
            throw TagError(
                error.code == .tagResponseError ? .tagUpdateFailure : error.code, "\(error.detail); \(state)",
                response: error.response, statusWord: error.statusWord)
        }
    }

    private static func check(_ isValid: Bool, _ fault: @autoclosure () -> String) throws(TagError) {
        guard isValid else { throw TagError(.unsupportedFeature, fault()) }
    }
}
