import ISO7816
import NFCTypes

// The counter, AFI, EAS, the permanent locks and the privacy mode of an ICODE SLIX2.

extension ICODESettings {
    /// Changes what is wanted: first what can be changed again, then locks, at last privacy mode. What can be checked is checked before
    /// the first change, and the passwords that are needed are given.
    func change(_ changes: TagSettingChanges) async throws(TagError) -> TagSettings {
        try Self.check(changes)
        try checkLocks(changes)
        if changes.locks?.contains(.bothPasswords) == true { try checkBothPasswords() }
        let counter = try await counter()
        let wanted = counter.changed(by: changes)
        if wanted != counter { try await prepare(wanted) }
        for lock in changes.locks ?? [] { try await prepare(lock) }

        var done = DoneSettings()
        var settings = TagSettings(counter: wanted.needsPassword ? .password : .on, mirror: .off)
        if let afi = changes.afi?.bytes.first {
            try await done.add("the AFI") { () throws(TagError) in try await write(afi: afi) }
        }
        if let eas = changes.eas {
            settings.eas = try await done.add("EAS") { () throws(TagError) in try await turn(eas: eas) }
        }
        if wanted != counter {
            try await done.add("the counter") { () throws(TagError) in try await set(wanted, instead: counter) }
        }
        settings.counterValue = wanted.value
        for lock in changes.locks ?? [] {
            try await done.add("the lock of \(lock.words)") { () throws(TagError) in try await set(lock) }
        }
        settings.locks = changes.locks
        settings.afi = try await done.seeing { () throws(TagError) in try await afi().map { HexBytes([$0]) } }
        if changes.privacy == true {
            settings.privacy = try await done.seeing { () throws(TagError) in try await enterPrivacy() }
        }
        return settings
    }

    /// What the tag shows of permanent locks, and whether the password is given with which privacy mode ends.
    private func checkLocks(_ changes: TagSettingChanges) throws(TagError) {
        let locked = information.locks
        if changes.afi != nil, locked.contains(.afi) { throw Self.lockedAlready("the AFI") }
        if changes.eas != nil, locked.contains(.eas) { throw Self.lockedAlready("EAS") }
        for lock in changes.locks ?? [] {
            if let bit = lock.bit, locked.contains(bit) { throw Self.lockedAlready(lock.words) }
        }
        guard changes.privacy == true, channel.password(.privacy) == nil else { return }
        throw TagError(
            .tagNotWritable,
            "privacy mode takes the privacy password, which alone ends it: give it first, so that it is known to be right"
        )
    }

    private static func lockedAlready(_ what: String) -> TagError {
        TagError(.tagNotWritable, "\(what) of this ICODE SLIX2 is locked permanently; nothing was changed")
    }

    private static func check(_ changes: TagSettingChanges) throws(TagError) {
        try check(
            changes.mirror == nil && changes.mirrorPage == nil && changes.mirrorByte == nil,
            "the ICODE SLIX2 has no mirror")
        try check(changes.counter != .off, "the counter of the ICODE SLIX2 cannot be turned off")
        try check(
            0...0xFFFF ~= changes.counterValue ?? 0, "the counter of the ICODE SLIX2 has a value of 0 to 65535")
        try check((changes.afi?.bytes.count ?? 1) == 1, "the AFI has 1 byte")
        try check(changes.privacy != false, "nfcd cannot end privacy mode: it does not see a tag that is in it")
        let locks = changes.locks ?? []
        try check(Set(locks).count == locks.count, "a lock is named twice")
    }
}

extension ICODESettings {
    private func afi() async throws(TagError) -> UInt8? {
        let content = try await channel.perform(to: .getSystemInformation)
        guard let found = ISO15693SystemInformation(content) else {
            throw TagError(.tagResponseError, "the system information is malformed", response: content)
        }
        chip.adopt(found)
        return found.afi
    }

    private func write(afi: UInt8) async throws(TagError) {
        try await Self.step("the AFI is the old one or the new one") { () throws(TagError) in
            try await permitted("the AFI", .writeAFI(afi))
            let found = try await self.afi()
            guard found == afi else {
                throw TagError(.tagResponseError, "the tag shows another AFI than was written")
            }
        }
    }

    private func turn(eas: Bool) async throws(TagError) -> Bool {
        try await Self.step("EAS is as it was, or \(eas ? "on" : "off")") { () throws(TagError) in
            try await permitted("EAS", eas ? .setEAS : .resetEAS)
            guard try await hasEAS() == eas else {
                throw TagError(.tagResponseError, "EAS is \(eas ? "off" : "on") after it was changed")
            }
        }
        return eas
    }

    /// Whether EAS is on. A tag with EAS off does not answer, so it is asked something else afterwards.
    func hasEAS() async throws(TagError) -> Bool {
        let sequence: [UInt8]
        do throws(TagError) {
            sequence = try await channel.perform(to: .easAlarm)
        } catch {
            guard error.code == .tagResponseError, !error.isFromTag else { throw error }
            _ = try await Self.information(channel)
            return false
        }
        guard sequence.count == 32 else {
            throw TagError(
                .tagResponseError, "EAS ALARM was answered with \(sequence.count) bytes", response: sequence)
        }
        return true
    }

    /// Sends a request that may be locked or need the EAS/AFI password.
    private func permitted(_ what: String, _ request: ISO15693Request) async throws(TagError) {
        do throws(TagError) {
            _ = try await channel.perform(to: request)
        } catch {
            guard error.isFromTag else { throw error }
            throw TagError(
                .tagNotWritable, "\(what) is locked, or needs the EAS/AFI password; give it first: \(error.detail)",
                response: error.response, statusWord: error.statusWord)
        }
    }
}

/// The counter of an ICODE SLIX2: the block behind those for data.
struct ICODECounter: Sendable, Hashable {
    let value: Int
    /// Whether counting needs the read password.
    let needsPassword: Bool

    init(value: Int, needsPassword: Bool) { (self.value, self.needsPassword) = (value, needsPassword) }

    /// Nil unless there are four bytes.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == 4 else { return nil }
        self.init(value: Int(bytes[0]) | Int(bytes[1]) << 8, needsPassword: bytes[3] & 0x01 != 0)
    }

    /// The counter that is wanted.
    func changed(by changes: TagSettingChanges) -> ICODECounter {
        ICODECounter(
            value: changes.counterValue ?? value,
            needsPassword: changes.counter.map { $0 == .password } ?? needsPassword)
    }

    /// The block with which it is set.
    var bytes: [UInt8] {
        [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8), 0, needsPassword ? 1 : 0]
    }
}

extension ICODESettings {
    func counter() async throws(TagError) -> ICODECounter {
        let bytes = try await chip.read(block: blockCount, count: 1, size: 4)
        guard let counter = ICODECounter(bytes) else {
            throw TagError(.tagResponseError, "the counter has \(bytes.count) bytes", response: bytes)
        }
        return counter
    }

    /// Gives the passwords that setting the counter takes.
    private func prepare(_ counter: ICODECounter) async throws(TagError) {
        try await give(.write)
        if counter.value == 1, counter.needsPassword { try await give(.read) }
    }

    /// Sets the counter; the passwords have been given.
    private func set(_ wanted: ICODECounter, instead old: ICODECounter) async throws(TagError) {
        // Writing 1 counts: the tag is set to 0 and counts once.
        let isOne = wanted.value == 1
        let first = isOne ? ICODECounter(value: 0, needsPassword: wanted.needsPassword) : wanted
        try await Self.step("the counter is \(old.value), \(isOne ? "0 " : "")or \(wanted.value)") {
            () throws(TagError) in
            try await chip.write(BlockWrite(block: blockCount, bytes: first.bytes))
            if isOne { try await chip.write(BlockWrite(block: blockCount, bytes: wanted.bytes)) }
            let found = try await counter()
            guard found == wanted else {
                throw TagError(.tagResponseError, "the counter is \(found.value) after it was set to \(wanted.value)")
            }
        }
    }
}

extension ICODESettings {
    /// Sets a permanent lock; its passwords have been given. Where the tag shows it, it is read back; elsewhere the tag's answer is what was
    /// seen.
    private func set(_ lock: TagLock) async throws(TagError) {
        try await Self.step("whether \(lock.words) is locked was not seen") { () throws(TagError) in
            try await request(lock)
            guard let bit = lock.bit else { return }
            let found = try await Self.information(channel)
            guard found.locks.contains(bit) else {
                throw TagError(.tagResponseError, "the tag does not show the lock of \(lock.words)")
            }
        }
    }

    private func request(_ lock: TagLock) async throws(TagError) {
        do throws(TagError) {
            let request = lock.request(pointer: information.protection.pointer)
            _ = try await channel.perform(to: request, option: lock.hasOption)
        } catch {
            guard error.isFromTag else { throw error }
            throw TagError(
                .tagNotWritable,
                "the tag refuses to lock \(lock.words): it is locked already, or needs its password; give it first: \(error.detail)",
                response: error.response, statusWord: error.statusWord)
        }
    }

    /// Gives the passwords that a lock takes.
    private func prepare(_ lock: TagLock) async throws(TagError) {
        switch lock {
        case .afi, .eas: break
        case .afiPassword, .easPassword: try await give(.easAFI)
        case .protection, .bothPasswords: try await givePasswords()
        case .readPassword: try await give(.read)
        case .writePassword: try await give(.write)
        }
    }

    /// Refuses the need for both passwords unless the tag has accepted both, and neither is one that everyone knows. It is permanent:
    /// with a password that the owner does not have, or does not know to be set, the protected blocks would be lost.
    private func checkBothPasswords() throws(TagError) {
        for kind in [PasswordKind.read, .write] {
            guard let password = channel.password(kind) else {
                throw TagError(
                    .tagNotWritable,
                    "the need for both passwords is permanent, so that the tag has to accept both before: it needs its \(kind.words); give it first"
                )
            }
            guard !PasswordKind.factoryPasswords.contains(password) else {
                throw TagError(
                    .tagNotWritable,
                    "the need for both passwords is permanent, and the \(kind.words) is still the one as delivered, which everyone knows; set another one first, and keep both"
                )
            }
        }
    }

    /// ENABLE PRIVACY with the password that the tag has accepted.
    private func enterPrivacy() async throws(TagError) -> Bool {
        guard let password = channel.password(.privacy) else { return false }
        try await Self.step("the tag may be in privacy mode, in which readers do not find it") { () throws(TagError) in
            try await channel.enablePrivacy(password)
        }
        return true
    }
}

extension TagLock {
    /// What is locked, in words.
    fileprivate var words: String {
        switch self {
        case .afi: "the AFI"
        case .eas: "EAS"
        case .afiPassword: "the password protection of the AFI"
        case .easPassword: "the password protection of EAS"
        case .protection: "the protection of the pages"
        case .bothPasswords: "the need for both passwords"
        case .readPassword: "the read password"
        case .writePassword: "the write password"
        }
    }

    /// Whether the option flag distinguishes it from another lock with the same request.
    fileprivate var hasOption: Bool { self == .afiPassword }

    /// Where the tag shows it; nil if it does not.
    fileprivate var bit: ICODESystemInformation.Locks? {
        switch self {
        case .afi: .afi
        case .eas: .eas
        case .protection: .protection
        case .afiPassword, .easPassword, .bothPasswords, .readPassword, .writePassword: nil
        }
    }

    fileprivate func request(pointer: Int) -> ISO15693Request {
        switch self {
        case .afi: .lockAFI
        case .eas: .lockEAS
        case .afiPassword, .easPassword: .protectEASOrAFI
        case .protection: .lockProtection(pointer: pointer)
        case .bothPasswords: .requireBothPasswords
        case .readPassword: .lockPassword(.read)
        case .writePassword: .lockPassword(.write)
        }
    }
}
