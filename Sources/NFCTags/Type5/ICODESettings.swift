import ISO7816
import NFCTypes

/// Changes the passwords and the page protection of an ICODE SLIX2.
///
/// The memory is opened before a password that protects it is written, and protected again only once the tag has accepted the new one:
/// wherever that is interrupted, no page needs a password that is not known to be the one or the other.
struct ICODESettings {
    let chip: Type5Chip
    let channel: ICODEChannel
    /// The blocks for data, in front of the counter.
    let blockCount: Int
    private(set) var information: ICODESystemInformation

    /// Loads the settings.
    ///
    /// - Throws: ``TagError`` 1 if the tag has none, or the reader sends no requests.
    init(_ chip: Type5Chip) async throws(TagError) {
        let geometry = try await chip.knownGeometry()
        let product = geometry.product
        guard product.hasPasswords, let counter = geometry.counterBlock else {
            throw TagError(
                .unsupportedFeature,
                "\(product.name ?? "this ISO 15693 tag") has no password or settings that nfcd supports; ICODE SLIX2 has"
            )
        }
        guard let channel = chip.requests else {
            throw TagError(
                .unsupportedFeature,
                "passwords and settings of an ICODE SLIX2 take a reader that sends ISO 15693 requests, such as ACR1552U; this one reads and writes blocks only"
            )
        }
        (self.chip, self.channel, blockCount) = (chip, channel, counter)
        information = try await Self.information(channel)
    }

    /// Asks the tag what is protected.
    static func information(_ channel: ICODEChannel) async throws(TagError) -> ICODESystemInformation {
        let content = try await channel.perform(to: .getNXPSystemInformation)
        guard let information = ICODESystemInformation(content) else {
            throw TagError(
                .tagResponseError, "GET NXP SYSTEM INFORMATION was answered with \(Hexadecimal.string(content))",
                response: content)
        }
        return information
    }
}

extension ICODESettings {
    /// Sets a password, and for the read or write password what it protects.
    mutating func set(_ wanted: TagPassword) async throws(TagError) -> TagProtection {
        let kind = wanted.kind ?? (wanted.protects == .readWrite ? .read : .write)
        try Self.check(
            wanted.password.bytes.count == 4,
            "a password of the ICODE SLIX2 has 4 bytes, not \(wanted.password.bytes.count)")
        try Self.check(wanted.pack == nil, "the ICODE SLIX2 has no PACK")
        try Self.check((wanted.attempts ?? 0) == 0, "the ICODE SLIX2 does not count wrong passwords")
        guard kind.protectsPages else { return try await setOther(kind, wanted) }
        let target = try protection(wanted, kind)
        try checkProtectionLock()
        try await givePasswords()
        let before = information.protection
        try await open(kind)
        try await replace(kind, by: wanted.password.bytes, restoring: before)
        try await Self.step("the tag has the new \(kind.words); possible: its pages need it, or are open") {
            () throws(TagError) in
            try await protect(target)
            try await checkStatus()
        }
        let blocks = target.blocks(needing: kind, of: blockCount)
        return TagProtection(
            firstPage: blocks.lowerBound, protects: kind == .read ? .readWrite : .write, attempts: 0,
            endPage: blocks.upperBound, kind: kind)
    }

    /// Opens all pages, and sets the passwords that were given as they were delivered.
    mutating func removePassword() async throws(TagError) {
        try checkProtectionLock()
        let kinds = [PasswordKind.read, .write].filter { channel.password($0) != nil }
        try await givePasswords()
        try await Self.step("the tag has its passwords; possible: its pages need them as before, or are open") {
            () throws(TagError) in try await protect(.none)
        }
        var done = ["no page needs a password"]
        for kind in kinds where channel.password(kind) != kind.factoryPassword {
            do throws(TagError) {
                try await replace(kind, by: kind.factoryPassword, restoring: .none)
            } catch {
                throw error.after(done)
            }
            done.append("the \(kind.words) is as delivered")
        }
    }

    /// A password that protects no pages.
    private mutating func setOther(_ kind: PasswordKind, _ wanted: TagPassword) async throws(TagError) -> TagProtection
    {
        try Self.check(
            wanted.firstPage == nil && wanted.endPage == nil && wanted.protects == nil,
            "the \(kind.words) of the ICODE SLIX2 protects no pages")
        try await give(kind)
        try await replace(kind, by: wanted.password.bytes, restoring: information.protection)
        return TagProtection(
            firstPage: blockCount, protects: .write, attempts: 0, endPage: blockCount, kind: kind)
    }

    /// The wanted pages and conditions; where nothing is wanted, those of this password on the tag, else every page.
    private func protection(_ wanted: TagPassword, _ kind: PasswordKind) throws(TagError) -> ICODEProtection {
        let scope: PasswordScope = kind == .read ? .readWrite : .write
        try Self.check(
            (wanted.protects ?? scope) == scope,
            "the read password of the ICODE SLIX2 protects reading and writing, and its write password writing only")
        let present = information.protection
        let bits = ICODEProtection.Conditions.needing(kind)
        let others = present.conditions.subtracting(bits)
        if wanted.firstPage == nil, wanted.endPage == nil, !present.conditions.isDisjoint(with: bits) { return present }
        let (first, end) = (wanted.firstPage ?? 0, wanted.endPage ?? blockCount)
        try Self.check(
            0..<end ~= first && end <= blockCount,
            "the ICODE SLIX2 has pages 0 to \(blockCount - 1) for data, and pages \(first) to \(end - 1) are not among them"
        )
        try Self.check(
            first == 0 || end == blockCount,
            "the ICODE SLIX2 divides its pages in two: a password protects those in front of a page, or those from a page on"
        )
        let isLow = first == 0 && end < blockCount
        let pointer = isLow ? end : first
        try Self.check(
            others.isEmpty || pointer == present.pointer,
            "another password of the tag protects pages with page \(present.pointer) as the border; remove it first, or give the same border"
        )
        let half: ICODEProtection.Conditions = isLow ? .low : .high
        return ICODEProtection(pointer: pointer, conditions: others.union(bits.intersection(half)))
    }

    private func checkProtectionLock() throws(TagError) {
        guard !information.locks.contains(.protection) else {
            throw TagError(.tagNotWritable, "what the passwords of this ICODE SLIX2 protect is locked permanently")
        }
    }
}

extension ICODESettings {
    /// Gives both passwords that a change of the protection takes: those of the caller, and else those as delivered.
    func givePasswords() async throws(TagError) {
        for kind in [PasswordKind.read, .write] { try await give(kind) }
    }

    /// Gives the password as delivered, unless the caller gave another one. Where pages need this password, none is tried.
    func give(_ kind: PasswordKind) async throws(TagError) {
        guard channel.password(kind) == nil else { return }
        guard information.protection.blocks(needing: kind, of: blockCount).isEmpty else {
            throw TagError(.tagNotWritable, "the ICODE SLIX2 needs its present \(kind.words); give it first")
        }
        do throws(TagError) {
            try await channel.give(kind, kind.factoryPassword)
        } catch {
            guard error.code == .tagResponseError else { throw error }
            throw TagError(
                .tagNotWritable,
                "the \(kind.words) of the ICODE SLIX2 is not the one as delivered; give it first: \(error.detail)",
                response: error.response, statusWord: error.statusWord)
        }
    }

    /// Opens the pages that need the password of a kind.
    private mutating func open(_ kind: PasswordKind) async throws(TagError) {
        let present = information.protection
        let open = ICODEProtection(
            pointer: present.pointer, conditions: present.conditions.subtracting(.needing(kind)))
        try await Self.step(
            "the tag has its old \(kind.words); possible: its pages need it as before, or are open"
        ) { () throws(TagError) in
            try await protect(open)
        }
    }

    /// Writes a password and gives it, so that the tag is seen to have it.
    ///
    /// - Parameter protection: what is protected again if the tag refuses, and so still has its old password.
    private mutating func replace(
        _ kind: PasswordKind, by password: [UInt8], restoring protection: ICODEProtection
    ) async throws(TagError) {
        let isOpen = kind.protectsPages ? "; no page needs it" : ""
        let old = channel.password(kind) ?? kind.factoryPassword
        do throws(TagError) {
            // Afterwards the tag has the old password or the new one: neither is given again before that is known.
            defer { channel.forget(kind) }
            _ = try await channel.perform(to: .writePassword(kind, password))
        } catch {
            guard error.isFromTag else {
                throw error.inSettings(
                    "possible: the tag has its old \(kind.words), the new one, or another if it left during the write\(isOpen)"
                )
            }
            throw await refusal(of: kind, old, error, restoring: protection)
        }
        try await Self.step("possible: the tag has the new \(kind.words), or the old one\(isOpen)") {
            () throws(TagError) in
            try await channel.give(kind, password)
        }
    }

    /// The error for a password that the tag refuses to change. It still has the old one, so that its pages can be protected again.
    private mutating func refusal(
        of kind: PasswordKind, _ old: [UInt8], _ error: TagError, restoring protection: ICODEProtection
    ) async -> TagError {
        let reason =
            "the tag refuses to change its \(kind.words), which may be locked permanently: \(error.detail); it has the old one"
        do throws(TagError) {
            try await channel.give(kind, old)
            try await protect(protection)
            return TagError(.tagNotWritable, reason, response: error.response, statusWord: error.statusWord)
        } catch {
            return TagError(
                .tagUpdateFailure, "\(reason), and its pages may not need it: \(error.detail)",
                response: error.response, statusWord: error.statusWord)
        }
    }

    /// PROTECT PAGE, and reads back what the tag protects then.
    private mutating func protect(_ protection: ICODEProtection) async throws(TagError) {
        guard protection != information.protection else { return }
        chip.forgetProtection()
        _ = try await channel.perform(to: .protectPages(protection))
        information = try await Self.information(channel)
        guard information.protection == protection else {
            throw TagError(
                .tagResponseError,
                "the tag reports page \(information.protection.pointer) and conditions \(Hexadecimal.string(information.protection.conditions.rawValue)) after \(protection.pointer) and \(Hexadecimal.string(protection.conditions.rawValue)) were written"
            )
        }
    }

    /// Compares the protection of every block with what was set, where the tag reports it.
    private func checkStatus() async throws(TagError) {
        guard let found = try await chip.blockStatus(in: 0..<blockCount), !channel.refusesProtectionStatus else {
            return
        }
        for (block, status) in found.enumerated() {
            let wanted = information.protection.status(of: block, of: blockCount)
            guard status.intersection([.needsReadPassword, .needsWritePassword]) == wanted else {
                throw TagError(.tagResponseError, "the tag reports another protection of block \(block) than was set")
            }
        }
    }
}

extension ICODESettings {
    /// Writes; a failure is one of writing, and states what is on the tag then.
    static func step(_ state: String, _ body: () async throws(TagError) -> Void) async throws(TagError) {
        do throws(TagError) { try await body() } catch { throw error.inSettings(state) }
    }

    static func check(_ isValid: Bool, _ fault: @autoclosure () -> String) throws(TagError) {
        guard isValid else { throw TagError(.unsupportedFeature, fault()) }
    }
}

extension TagError {
    /// Whether the tag itself refused, so that nothing was changed. A reader may report silence in a form that looks like error 00.
    var isFromTag: Bool { iso15693.map { $0.rawValue != 0 } ?? false }

    /// The error of the rest of a change, of which a part is done.
    func after(_ done: [String]) -> TagError {
        TagError(
            code == .tagNotWritable ? .tagUpdateFailure : code,
            "\(detail); done before: \(done.joined(separator: ", "))", response: response, statusWord: statusWord)
    }

    /// The error of a change of settings, with what is on the tag; a refusal has changed nothing.
    func inSettings(_ state: String) -> TagError {
        guard code != .tagNotWritable else { return self }
        return TagError(
            code == .tagResponseError ? .tagUpdateFailure : code, "\(detail); \(state)", response: response,
            statusWord: statusWord)
    }
}

extension ICODEChannel {
    /// Sends one request and returns what follows the flags of the answer, see ``NativeChannel/perform(_:target:flags:)``.
    func perform(to request: ISO15693Request, option: Bool = false) async throws(TagError) -> [UInt8] {
        try await perform(request, target: target, flags: option ? [.highDataRate, .option] : .highDataRate)
    }
}
