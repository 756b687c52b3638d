import ISO7816

extension Type2Chip {
    /// What the tag is; the header with its locks has been read.
    func describe() async throws(TagError) -> TagDescription {
        let header = try loadedHeader()
        let product = try await describedProduct()
        let (protection, refusal) = try await readableProtection(of: product)
        var fields = [try await proofStrength(product, protection)?.field].compactMap(\.self)
        fields += [
            .init("Capability container", Hexadecimal.string(header.container.bytes)),
            .init("Static lock bytes", Hexadecimal.string(header.page2.suffix(2))),
        ]
        let facts = try await facts(product)
        let originality = try await originality(product, facts)
        fields += Self.fields(facts, originality)
        if let product { fields += Self.fields(protection, product) }
        if let refusal { fields.append(.refused("lock bytes and configuration", refusal)) }
        let maker = try await maker(of: product)
        return TagDescription(
            product: maker.name, manufacturer: maker.manufacturer, memorySize: product?.memorySize,
            blockSize: Type2Pages.size, lockState: Self.lockState(header, product, protection),
            originality: originality,
            fields: fields)
    }

    /// The product; by GET_VERSION also on readers where that is not sent otherwise, if the memory does not show it.
    private func describedProduct() async throws(TagError) -> Type2Product? {
        if let product = try await recognizedProduct() { return product }
        try await askVersion()
        return settledProduct
    }

    /// The same of a tag that refuses its header: what its version and signature show.
    func describe(withoutHeader refusal: TagError) async throws(TagError) -> TagDescription {
        try await askVersion()
        let product = version?.product
        let facts = try await facts(product)
        let originality = try await originality(product, facts)
        let maker = try await maker(of: product)
        return TagDescription(
            product: maker.name, manufacturer: maker.manufacturer, memorySize: product?.memorySize,
            blockSize: Type2Pages.size, lockState: product == nil ? .unknown : .passwordProtected,
            originality: originality,
            fields: [try await proofStrength(product, nil)?.field].compactMap(\.self)
                + Self.fields(facts, originality) + [.refused("pages 0 to 3", refusal)])
    }

    /// By the product, and by the settings of a MIFARE Ultralight AES; nil for an unknown product.
    private func proofStrength(
        _ product: Type2Product?, _ protection: Type2Protection?
    ) async throws(TagError) -> ProofStrength? {
        guard let product else { return version?.hasMessageKey == true ? .messageKey : nil }
        guard case .aesKey(_, let page) = product.secret, let protection else { return product.proofStrength }
        return .aesKey(
            isMessagingSecure: protection.configuration?.needsSecureMessaging,
            isKeyLocked: try await isKeyLocked(page, protection))
    }

    /// Bit 6 of LOCK_KEYS; nil where the page cannot be read without the key.
    private func isKeyLocked(_ page: Int, _ protection: Type2Protection) async throws(TagError) -> Bool? {
        guard pages.isAuthenticated || !protection.protectsReading || protection.firstProtectedPage > page else {
            return nil
        }
        do throws(TagError) {
            return try await pages.plainRead(from: page).first.map { $0 & 0x40 != 0 }
        } catch {
            guard error.code == .tagResponseError else { throw error }
            return nil
        }
    }

    /// nil if the product is not known, or its configuration cannot be read without the password, with the refusal.
    private func readableProtection(
        of product: Type2Product?
    ) async throws(TagError) -> (Type2Protection?, refusal: TagError?) {
        guard let product else { return (nil, nil) }
        do throws(TagError) {
            return (try await protection(of: product), nil)
        } catch {
            guard error.code == .tagResponseError else { throw error }
            return (nil, error)
        }
    }

    /// Version, signature and counters, as far as tag and reader give them.
    private func facts(_ product: Type2Product?) async throws(TagError) -> TagDump.Facts {
        var facts = TagDump.Facts()
        facts.version = version.map { HexBytes($0.bytes) }
        guard let native = pages.native, let product, product.answersVersion else { return facts }
        try await askVersion()
        facts.version = version.map { HexBytes($0.bytes) }
        facts.signature = try await native.signature().map { HexBytes($0) }
        // NTAG's only counter is off as delivered, and a refusal would mute a tag that cannot be selected again.
        guard native.canReactivate || product.counters?.lowerBound == 0 else { return facts }
        var counters: [Int: Int] = [:]
        for number in product.counters.map(Array.init) ?? [] {
            counters[number] = try await native.counter(number)
        }
        if !counters.isEmpty { facts.counters = counters }
        return facts
    }

    /// nil for products without a signature.
    private func originality(
        _ product: Type2Product?, _ facts: TagDump.Facts
    ) async throws(TagError) -> TagOriginality? {
        guard product?.answersVersion == true else { return nil }
        guard let signature = facts.signature, let version else { return .unknown }
        // Not by pages 0 and 1: an emulator may have others than its identifier.
        let identifier = try await pages.identifier()
        return OriginalitySignature.check(signature.bytes, of: identifier, version: version)
    }

    private static func fields(_ facts: TagDump.Facts, _ originality: TagOriginality?) -> [TagDescription.Field] {
        var fields: [TagDescription.Field] = []
        if let bytes = facts.version {
            fields.append(.init("Version", "\(bytes)"))
            if let version = Type2Version(bytes.bytes), version.product == nil {
                fields.append(.init("Chip", version.words))
            }
        }
        if let signature = facts.signature {
            fields.append(.init("Originality signature", "\(signature)"))
        }
        if let originality {
            fields.append(.init("Originality", originality.words(isSignatureKnown: facts.signature != nil)))
        }
        for (number, value) in (facts.counters ?? [:]).sorted(by: { $0.key < $1.key }) {
            fields.append(.init("Counter \(number)", String(value)))
        }
        return fields
    }

    /// The maker, and the name of the product. A chip without a version is of the maker that its identifier names (ISO/IEC 7816-6):
    /// its memory only shows which product it is like.
    private func maker(
        of product: Type2Product?
    ) async throws(TagError) -> (manufacturer: String?, name: String?) {
        if let version { return (version.vendorName, product?.name) }
        let header = try? loadedHeader()
        let identifier = header?.hasIdentifier == true ? header?.bytes : try await pages.identifier()
        guard let code = identifier?.first, code != Type2Version.nxp else {
            return (product?.manufacturer, product?.name)
        }
        return (ChipMaker.name(code) ?? "maker \(Hexadecimal.string(code))", product.map { "like \($0.name)" })
    }

    private static func lockState(
        _ header: Type2Header, _ product: Type2Product?, _ protection: Type2Protection?
    ) -> LockState {
        guard let product, product.locks != nil || product.configurationPage != nil else { return .unknown }
        guard let protection else { return .passwordProtected }
        let dynamic = protection.dynamicLock ?? []
        if header.isLocked, product.locks?.isComplete(dynamic) == true { return .locked }
        if protection.firstProtectedPage <= product.lastUserPage { return .passwordProtected }
        guard product.locks != nil else { return .unknown }
        let isOpen = (3...15).allSatisfy { !header.locks(page: $0) } && dynamic.allSatisfy { $0 == 0 }
        return isOpen ? .unlocked : .partlyLocked
    }

    private static func fields(_ protection: Type2Protection?, _ product: Type2Product) -> [TagDescription.Field] {
        guard let protection else { return [] }
        var fields: [TagDescription.Field] = []
        if let bytes = protection.dynamicLock {
            fields.append(.init("Dynamic lock bytes", Hexadecimal.string(bytes)))
        }
        guard let configuration = protection.configuration else { return fields }
        let first = protection.firstProtectedPage
        fields.append(
            .init(
                product.secret == .password ? "Password" : "AES key",
                first >= product.readablePages ? "not used" : "needed from page \(first) on, \(protection.scope)"))
        fields.append(.init("Configuration", configuration.isLocked ? "locked" : "not locked"))
        if configuration.attemptLimit > 0 {
            fields.append(
                .init(
                    product.secret == .password ? "Wrong passwords taken" : "Wrong keys taken",
                    String(configuration.attemptLimit)))
        }
        if product.hasNFCCounter { fields.append(.init("NFC counter", configuration.counter.words)) }
        let mirror = configuration.mirror(on: product)
        if mirror.content != .off {
            fields.append(.init("Mirror", "\(mirror.content.words) at page \(mirror.page), byte \(mirror.byte)"))
        }
        return fields
    }
}

extension CounterUse {
    fileprivate var words: String {
        switch self {
        case .off: "off"
        case .on: "on"
        case .password: "on, read with the password"
        }
    }
}

extension TagOriginality {
    fileprivate func words(isSignatureKnown: Bool) -> String {
        switch self {
        case .genuine: "genuine: NXP signed this UID"
        case .notGenuine: "not genuine: NXP did not sign this UID"
        case .unknown where isSignatureKnown: "unknown: no public key is known for this product"
        case .unknown: "unknown: the signature was not read"
        }
    }
}

extension MirrorContent {
    fileprivate var words: String {
        switch self {
        case .off: "nothing"
        case .uid: "UID"
        case .counter: "counter"
        case .uidAndCounter: "UID and counter"
        }
    }
}

extension Type2Protection {
    fileprivate var scope: String { protectsReading ? "to read and write" : "to write" }
}

extension Type2Chip {
    /// Every page; the header with its locks has been read.
    func dump(progress: TagProgress?) async throws(TagError) -> TagDump {
        let header = try loadedHeader()
        let product = try await describedProduct()
        let end = product?.readablePages ?? declaredEnd(header.container)
        let protection = try await readableProtection(of: product).0
        var readable = end
        if !pages.isAuthenticated, let protection, protection.protectsReading {
            readable = min(end, protection.firstProtectedPage)
        }
        // READ starts over at page 0 in front of a protected page, so without knowing them one page at a time counts.
        let isSure = protection != nil
        var progress = DumpProgress(progress, total: end)
        let pages = try await content(upTo: readable, step: isSure ? nil : 1, &progress)
        let blocks = (0..<end).map { page in
            TagBlock(
                number: page, bytes: pages.indices.contains(page) ? pages[page] : nil,
                meaning: Self.meaning(of: page, product))
        }
        // Last, as a tag that refuses one of them forgets the password.
        let facts = try await facts(product)
        progress.finish()
        return TagDump(
            layout: .type2, product: product?.name, blockSize: Type2Pages.size, sections: [.init(blocks: blocks)],
            facts: facts)
    }

    /// One past the last page that a valid container declares. What is not a container declares no size: then it is as much as every
    /// chip has.
    private func declaredEnd(_ container: Type2CapabilityContainer) -> Int {
        let end = container.isValid ? container.dataArea.upperBound : Type2Product.ultralight.memorySize
        return end / Type2Pages.size
    }

    /// The pages up to the first one that is refused.
    private func content(
        upTo end: Int, step: Int?, _ progress: inout DumpProgress
    ) async throws(TagError) -> [[UInt8]] {
        var found: [[UInt8]] = []
        while found.count < end {
            let bytes: [UInt8]
            do throws(TagError) {
                bytes =
                    step == nil
                    ? try await pages.readAll(from: found.count, upTo: end)
                    : try await pages.plainRead(from: found.count)
            } catch {
                guard error.code == .tagResponseError, !found.isEmpty else { throw error }
                break
            }
            let count = min(bytes.count / Type2Pages.size, step ?? end, end - found.count)
            guard count > 0 else { break }
            for index in 0..<count {
                found.append(Array(bytes[index * Type2Pages.size..<(index + 1) * Type2Pages.size]))
            }
            progress.reach(found.count)
        }
        return found
    }

    private static func meaning(of page: Int, _ product: Type2Product?) -> String? {
        switch page {
        case 0, 1: return "identifier"
        case 2: return "static lock"
        case 3: return "capability container"
        case product?.locks?.page: return "dynamic lock"
        default: break
        }
        guard let product, let configuration = product.configurationPage, page >= configuration else { return nil }
        switch (page - configuration, product.secret) {
        case (0, _): return "configuration, AUTH0"
        case (1, _): return "configuration, ACCESS"
        case (2, .password): return "password, reads as zeros"
        case (3, .password): return "PACK, reads as zeros"
        case (_, .aesKey(let key, _)) where key..<key + 4 ~= page: return "DataProtKey, reads as zeros"
        case (_, .aesKey(_, lockPage: page)): return "key lock"
        default: return nil
        }
    }
}
