import NFCTypes
import NFCReaders
public import NFCTags
import Synchronization

/// What a command can do with a held tag while it is its turn. ``CommandPlace/run(_:)`` passes it to one command at a time.
public final class TagCommands: Sendable {
    /// The technology and the identifier of the tag.
    public let identity: TagIdentity
    /// The type under which the tag was delivered, which decides about the commands that it takes.
    private let type: TagType
    private let contact: TagContact
    let rules: CommandRules
    private let metrics: Metrics?
    private let audit: TagAudit
    private let personalisation: Personalisation?
    /// Whether the session selected the FIDO application and can select no other.
    private let isSecurityKey: Bool
    private let state: Mutex<State>

    private struct State {
        var driver = Driver.none
        /// What is known for judging raw commands.
        var screen: CommandScreen
        /// Whether the tag may be selected, authenticated or mute.
        var leavesState = false
        var outcome: ReaderFeedback.Kind?
        /// The change that the running command makes, for the audit.
        var change: TagAudit.Change?
        var secrets = WithheldSecrets()
    }

    /// The driver used last, with what it remembers of the tag. Anything done without it may select, open or change something
    /// that it relies on: then it is dropped, and the next driver reads what it needs again.
    private enum Driver {
        case none
        case ndef(any NDEFTag)
        case classic(MIFAREClassic)
    }

    init(
        _ contact: TagContact, as delivery: TagDelivery? = nil, rules: CommandRules = .open, metrics: Metrics? = nil,
        audit: TagAudit = .none, personalisation: Personalisation? = nil
    ) {
        let delivery = delivery ?? TagDelivery(contact.identity.type)
        identity = contact.identity
        type = delivery.type
        isSecurityKey = rules.selectIdentifiers == [FIDOCommand.application] && delivery.initialSelectedAID != nil
        state = Mutex(State(screen: CommandScreen(contact.identity, delivery)))
        self.contact = contact
        self.rules = rules
        self.metrics = metrics
        self.audit = audit
        self.personalisation = personalisation
    }

    /// How the last change of the tag's message ended; nil where nothing was changed.
    var outcome: ReaderFeedback.Kind? { state.withLock(\.outcome) }

    /// Whether the running command changes the tag.
    var isChanging: Bool { state.withLock { $0.change != nil } }

    /// Whether the tag may be left selected, authenticated or mute by a raw command, a password or a failed change. A security key
    /// stays unchanged: to it a reset is a tap that no person made, and forgets wrong PINs (CTAP 2.1, 5 and 6.5).
    var leavesState: Bool { state.withLock(\.leavesState) && !isSecurityKey }

    /// Runs a command, counts its failure, and logs what it changed. No error shows a secret that the tag was given.
    func run<Value: Sendable>(
        _ command: (TagCommands) async throws(TagError) -> Value
    ) async throws(TagError) -> Value {
        do throws(TagError) {
            let value = try await command(self)
            audit.log(state.withLock { $0.change.take() }, on: identity, nil)
            return value
        } catch {
            metrics?.countError(error)
            audit.log(state.withLock { $0.change.take() }, on: identity, error)
            throw withheld(error)
        }
    }

    // MARK: NDEF

    /// Reads status, capacity and message.
    ///
    /// - Throws: ``TagError``; see ``NDEFTag/readNDEF()``.
    public func readNDEF() async throws(TagError) -> NDEFReadResult {
        do throws(TagError) {
            let result = try await ndefDriver()?.readNDEF() ?? .notSupported(noNDEF)
            metrics?.countRead(nil)
            return result
        } catch {
            metrics?.countRead(error)
            throw error
        }
    }

    /// Replaces the message by an encoded one; no bytes erase it.
    ///
    /// - Throws: ``TagError``; see ``NDEFTag/writeNDEF(_:verifying:overwriting:progress:)``.
    public func writeNDEF(
        _ message: [UInt8], verifying: Bool, overwriting: Bool = false, progress: TagProgress? = nil
    ) async throws(TagError) {
        let what = message.isEmpty ? "erasing the message" : "writing a message of \(message.count) bytes"
        try await change(what) { driver throws(TagError) in
            try await driver.writeNDEF(
                message, verifying: verifying, overwriting: overwriting, progress: progress)
        }
    }

    /// Changes bytes inside a record.
    ///
    /// - Throws: ``TagError``; see ``NDEFTag/updateRecord(_:verifying:progress:)``.
    public func updateRecord(
        _ update: RecordUpdate, verifying: Bool, progress: TagProgress? = nil
    ) async throws(TagError) {
        try await change("changing \(update.old.count) bytes of record \(update.record)") { driver throws(TagError) in
            try await driver.updateRecord(update, verifying: verifying, progress: progress)
        }
    }

    /// Formats a tag without NDEF, with an empty message.
    ///
    /// - Parameter overwriting: whether other data in its memory may be overwritten.
    /// - Throws: ``TagError``; see ``NDEFTag/formatNDEF(overwriting:)``.
    public func formatNDEF(overwriting: Bool = false) async throws(TagError) {
        try await change("formatting") { driver throws(TagError) in
            try await driver.formatNDEF(overwriting: overwriting)
        }
    }

    /// Gives the tag its password. A raw command ends the authentication; the password has to be given again afterwards.
    ///
    /// - Parameter kind: which password of a tag that has several; nil for the usual one.
    /// - Throws: ``TagError``; see ``NDEFTag/authenticate(password:)``. No error contains the password.
    public func authenticate(password: [UInt8], kind: PasswordKind? = nil) async throws(TagError) -> [UInt8] {
        noteAuthentication()
        withhold(password)
        let driver = try driver()
        if !rules.give([.raw, .lock]), try await driver.mayLimitAttempts(of: password) {
            try rules.check(
                [.raw, .lock], "an attempt with a password, of which the tag may take only a few wrong ones, is")
        }
        return try await driver.authenticate(password: password, kind: kind)
    }

    /// Notes that the tag may stay authenticated.
    package func noteAuthentication() { state.withLock { $0.leavesState = true } }

    /// Refuses a command that needs more than its method declares; see ``CommandRules/check(_:_:)``.
    package func check(_ capabilities: [Capability], _ words: String) throws(TagError) {
        try rules.check(capabilities, words)
    }

    /// Withholds a secret from the errors of this command and of later ones.
    package func withhold(_ secret: [UInt8]) { state.withLock { $0.secrets.add(secret) } }

    /// The error without the secrets that the tag was given.
    private func withheld(_ error: TagError) -> TagError {
        let detail = state.withLock(\.secrets).removed(from: error.detail)
        guard detail != error.detail else { return error }
        return TagError(
            error.code, detail, response: error.response, statusWord: error.statusWord, leaves: error.leaves)
    }

    /// Runs a command that changes the tag.
    ///
    /// - Parameters:
    ///   - what: the change in words without any data, for the log.
    ///   - effect: what the raw commands for it would do.
    package func change<Value: Sendable>(
        _ what: String, effect: CommandEffect = .write, _ command: (any NDEFTag) async throws(TagError) -> Value
    ) async throws(TagError) -> Value {
        state.withLock { ($0.outcome, $0.change) = (.failure, .init(effect: effect, words: what)) }
        do throws(TagError) {
            let value = try await command(driver())
            state.withLock { $0.outcome = .success }
            metrics?.countWrite(nil)
            return value
        } catch {
            state.withLock { $0.leavesState = true }  // A tag that refused is mute until it is selected again.
            metrics?.countWrite(error)
            throw error
        }
    }

    /// The driver of the tag's technology.
    ///
    /// - Throws: ``TagError`` 1 if there is none.
    package func driver() throws(TagError) -> any NDEFTag {
        guard let driver = ndefDriver() else { throw TagError(.unsupportedFeature, noNDEF) }
        return driver
    }

    /// The driver of the tag's technology; nil if there is none.
    package func ndefDriver() -> (any NDEFTag)? {
        state.withLock { state in
            state.screen.forgetSelection()
            if case .ndef(let driver) = state.driver { return driver }
            guard let driver = contact.ndef else { return nil }
            state.driver = .ndef(driver)
            return driver
        }
    }

    /// The reason for which there is no driver.
    package var noNDEF: String { "NDEF on \(identity.technology) is not supported" }

    // MARK: Personalisation

    /// Makes the tag one of a profile of nfcd's key store, or changes or undoes that.
    ///
    /// - Throws: ``TagError`` 1 without profiles, 2 for a permanent setting that is not granted, 203 if the record or the counter was
    ///   not stored; see ``TagPersonaliser``.
    package func personalise(
        _ request: PersonalisationRequest, progress: TagProgress? = nil
    ) async throws(TagError) -> PersonalisationOutcome {
        let personalisation = try profiles()
        let check = { (settings: Set<PermanentSetting>) throws(TagError) in try self.check(permanent: settings) }
        try check(request.permanent)
        let change = request.change(by: nil)
        if change != nil { state.withLock { ($0.outcome, $0.change) = (.failure, change) } }
        do throws(TagError) {
            let outcome = try await resting { tag throws(TagError) in
                try await personalisation.perform(request, tag, allow: check, progress: progress)
            }
            guard change != nil else { return outcome }
            state.withLock { ($0.outcome, $0.change) = (.success, request.change(by: outcome.profile)) }
            metrics?.countWrite(nil)
            return outcome
        } catch {
            if change != nil {
                state.withLock { $0.change = request.change(by: error.profile) }
                metrics?.countWrite(error)
            }
            throw error
        }
    }

    /// Returns how far the tag is one of a profile.
    ///
    /// - Throws: ``TagError`` 1 without profiles; see ``TagPersonaliser``.
    package func queryPersonalisation(
        profile: String?, identifier: [UInt8]?
    ) async throws(TagError) -> PersonalisationStatus {
        let personaliser = try profiles().personaliser
        return try await resting { tag throws(TagError) in
            try await personaliser.query(profile: profile, identifier: identifier, tag)
        }
    }

    /// Runs a command with the tag as it is after an activation, which it is afterwards again: a tag that is authenticated refuses what
    /// it would do otherwise.
    private func resting<Value>(
        _ command: (PersonalisedTag) async throws(TagError) -> Value
    ) async throws(TagError) -> Value {
        if leavesState {
            do throws(CardChannelError) { try await activate() } catch {
                throw TagError(error.code, "the tag could not be activated again: \(error)")
            }
        }
        state.withLock { state in
            state.screen.forgetSelection()
            (state.driver, state.leavesState) = (.none, true)
        }
        let tag = PersonalisedTag(
            identity, over: contact.connection, on: contact.profile, contact.reconnection)
        do throws(TagError) {
            let value = try await command(tag)
            // What was done is done, also if the tag leaves now.
            try? await activate()
            return value
        } catch {
            try? await activate()
            throw error
        }
    }

    private func activate() async throws(CardChannelError) {
        guard !isSecurityKey else { return }
        try await contact.reconnection.perform()
        state.withLock { $0.leavesState = false }
    }

    private func profiles() throws(TagError) -> Personalisation {
        guard let personalisation else {
            throw TagError(
                .unsupportedFeature,
                "nfcd has no profiles of tags: add keys and a profile to keys.toml, which `man keys.toml` explains, and restart nfcd"
            ).about("keys.toml")
        }
        return personalisation
    }

    private func check(permanent settings: Set<PermanentSetting>) throws(TagError) {
        guard !settings.isEmpty else { return }
        let names = settings.map(\.rawValue).sorted().joined(separator: ", ")
        try check([.personalise, .personalisePermanently], "a permanent setting (\(names)) is")
    }

    // MARK: Raw commands

    /// Sends a command APDU unchanged and returns the unchanged response: data, SW1, SW2.
    ///
    /// - Throws: ``TagError``, before anything is sent: 1 in a session that is not of kind tag, 2 where its effect or its
    ///   application is not granted or not on the session's list. Then 100 when the tag left, 102 when there is no response or one
    ///   without a status word.
    public func sendCommand(_ apdu: [UInt8]) async throws(TagError) -> (data: [UInt8], sw1: UInt8, sw2: UInt8) {
        let response = try await send(.apdu(apdu)) { () throws(TagError) in try await transmit(apdu) }
        let status = Array(response.suffix(2))
        guard status.count == 2 else {
            throw TagError(.tagResponseError, "the response has no status word", response: response)
        }
        return (Array(response.dropLast(2)), status[0], status[1])
    }

    /// Sends a frame of a MIFARE tag's own command set, without CRC both ways. A native command of a DESFire card is sent wrapped
    /// into an APDU, and its answer is given as the card's own: the status byte, then the data. A frame to MIFARE Plus is sent
    /// unchanged.
    ///
    /// - Throws: ``TagError``, before anything is sent: 1 for another type of tag or kind of session, or a reader that
    ///   passes no frames, 105 for an empty frame. Then 100 when the tag left, 102 when it refuses or is silent.
    public func sendMiFareCommand(_ frame: [UInt8]) async throws(TagError) -> [UInt8] {
        try rules.checkKind()
        try require([.miFare], "miFare commands")
        guard let first = frame.first else {
            throw TagError(.packetTooLong, "a MIFARE frame has at least 1 byte, not 0")
        }
        if case .iso14443Part4 = identity.technology {
            return try await send(.miFare(frame)) { () throws(TagError) in
                guard identity.miFareFamily == .desfire else { return try await transmit(frame) }
                let channel = DESFireChannel(channel: contact.connection)
                let response = try await channel.exchange(first, Array(frame.dropFirst()))
                return [response.status.rawValue] + response.data
            }
        }
        guard let channel = contact.profile.nativeChannel(over: contact.connection).map(Type2RawFrames.init)
        else { throw noTransport("MIFARE frames") }
        return try await send(.miFare(frame)) { () throws(TagError) in try await channel.transceive(frame) }
    }

    /// Sends a FeliCa packet, from the command code on.
    ///
    /// - Returns: the answer from the response code on.
    /// - Throws: ``TagError``, before anything is sent: 1 for another type of tag or kind of session, 105 unless there are 1
    ///   to 254 bytes, 2 for polling a system that is not on the session's list. Then 1 where a reader without a known
    ///   transport refuses, 100 when the card left, 102 when it is silent.
    public func sendFeliCaCommand(_ packet: [UInt8]) async throws(TagError) -> [UInt8] {
        try rules.checkKind()
        try require([.feliCa], "feliCa commands")
        guard let length = UInt8(exactly: packet.count + 1), length > 1 else {
            throw TagError(.packetTooLong, "a FeliCa packet has 1 to 254 bytes, not \(packet.count)")
        }
        return try await send(.feliCa(packet)) { () throws(TagError) in
            let answer = try await transceive(feliCaFrame: [length] + packet)
            guard let first = answer.first, Int(first) == answer.count, answer.count > 1 else {
                throw TagError(
                    .tagResponseError, "the length byte of the FeliCa response is wrong", response: answer)
            }
            return Array(answer.dropFirst())
        }
    }

    private func transceive(feliCaFrame: [UInt8]) async throws(TagError) -> [UInt8] {
        do throws(TagError) {
            return try await contact.profile.feliCaChannel(over: contact.connection).transceive(feliCaFrame)
        } catch {
            guard !contact.profile.knowsFeliCaTransport, error.statusWord != nil else { throw error }
            throw noTransport("FeliCa packets")
        }
    }

    /// Sends a request of ISO/IEC 15693; `data` is everything after flags and command code, the UID included.
    ///
    /// - Returns: the flags of the response and what follows them; an error code of the tag is a response.
    /// - Throws: ``TagError``, before anything is sent: 1 for another type of tag or kind of session, or a reader that
    ///   passes no requests. Then 100 when the tag left, 102 when it is silent.
    public func sendRequest(
        flags: UInt8, command: UInt8, data: [UInt8]
    ) async throws(TagError) -> (flags: UInt8, data: [UInt8]) {
        try rules.checkKind()
        try require([.iso15693], "iso15693 requests")
        guard let channel = contact.profile.iso15693Channel(over: contact.connection) else {
            throw noTransport("ISO/IEC 15693 requests")
        }
        let request = [flags, command] + data
        let answer = try await send(.iso15693(request)) { () throws(TagError) in
            try await channel.transceive(request)
        }
        guard let flags = answer.first else {
            throw TagError(.tagResponseError, "the ISO/IEC 15693 response has no flags")
        }
        return (flags, Array(answer.dropFirst()))
    }

    /// Checks that the tag is of one of these types.
    ///
    /// - Parameter what: the commands that need it, for the error.
    /// - Throws: ``TagError`` 1.
    public func require(_ types: Set<TagType>, _ what: String) throws(TagError) {
        guard !types.contains(type) else { return }
        throw unsupported(what)
    }

    private func unsupported(_ what: String) -> TagError {
        TagError(
            .unsupportedFeature,
            "\(what) are not supported on this tag: it is \(identity.technology), type \(type.rawValue)")
    }

    private func noTransport(_ what: String) -> TagError {
        TagError(
            .unsupportedFeature,
            "this reader (\(contact.profile.name)) has no known transport for \(what); use another reader")
    }

    private func transmit(_ apdu: [UInt8]) async throws(TagError) -> [UInt8] {
        do throws(CardChannelError) {
            return try await contact.connection.transmit(apdu)
        } catch {
            throw TagError(error.code, "no response to the command: \(error)")
        }
    }

    /// Sends a raw command that the rules allow, and records its effect.
    private func send(
        _ command: RawCommand, _ exchange: () async throws(TagError) -> [UInt8]
    ) async throws(TagError) -> [UInt8] {
        try rules.check(command, by: state.withLock(\.screen))
        state.withLock { ($0.driver, $0.leavesState, $0.change) = (.none, true, .init(command, by: $0.screen)) }
        do throws(TagError) {
            let answer = try await exchange()
            state.withLock { $0.screen.record(command, answer: answer) }
            return answer
        } catch {
            state.withLock { $0.screen.record(command, answer: nil) }
            throw error
        }
    }

    // MARK: MIFARE Classic

    // Each sector has to be opened first, and again after anything else was done with the card.

    /// Opens the sector of a block.
    ///
    /// - Throws: ``TagError``, before anything is sent: 1 for another type of tag or kind of session, a block that does not
    ///   exist, or a key of other than 6 bytes. Then 102 where the key is wrong; the card is halted until polling is restarted.
    public func authenticate(block: Int, key: [UInt8], type: MIFAREClassicKeyType) async throws(TagError) {
        let card = try classic(.authenticate)
        guard let sector = card.size.sector(of: block) else {
            throw TagError(.unsupportedFeature, "this MIFARE Classic has no block \(block)")
        }
        withhold(key)
        guard let key = MIFAREClassicKey(key) else {
            throw TagError(.unsupportedFeature, "a MIFARE Classic key has 6 bytes, not \(key.count)")
        }
        try await card.authenticate(sector: sector, key: key, type: type)
    }

    /// Reads the 16 bytes of a block of the open sector.
    ///
    /// - Throws: ``TagError`` 1 for another type of tag, 102 where the sector is not open or the card refuses.
    public func readBlock(_ block: Int) async throws(TagError) -> [UInt8] {
        try await classic(.read(block: block)).read(block: block)
    }

    /// Writes a block of the open sector.
    ///
    /// - Parameter allowsTrailer: whether the block may be the trailer.
    /// - Throws: ``TagError`` 2 for block 0, and for a trailer unless that is allowed; 402 unless there are 16 bytes; else as
    ///   ``readBlock(_:)``.
    public func writeBlock(_ block: Int, _ bytes: [UInt8], allowsTrailer: Bool) async throws(TagError) {
        try await classic(.write(block: block)).write(block: block, bytes, allowing: allowsTrailer ? .trailers : [])
    }

    /// Adds to a value block of the open sector.
    ///
    /// - Throws: ``TagError`` 1 where the reader has no known command for it; else as ``readBlock(_:)``.
    public func increment(_ block: Int, by amount: Int32) async throws(TagError) {
        try await classic(.write(block: block)).increment(block: block, by: amount)
    }

    /// Subtracts from a value block of the open sector; errors as for ``increment(_:by:)``.
    public func decrement(_ block: Int, by amount: Int32) async throws(TagError) {
        try await classic(.write(block: block)).decrement(block: block, by: amount)
    }

    /// Copies a value block of the open sector to another one in it; errors as for ``increment(_:by:)``.
    public func copyValue(from block: Int, to destination: Int) async throws(TagError) {
        try await classic(.write(block: destination)).copyValue(from: block, to: destination)
    }

    private func classic(_ command: MIFAREClassicCommand) throws(TagError) -> MIFAREClassic {
        try rules.checkKind()
        if identity.technology == .mifareClassic {
            try rules.check(.classic(command), by: state.withLock(\.screen))
            state.withLock { $0.change = .init(.classic(command), by: $0.screen) }
        }
        let known: MIFAREClassic? = state.withLock { state in
            if case .classic(let card) = state.driver { return card }
            guard let card = contact.classic else { return nil }
            (state.driver, state.leavesState) = (.classic(card), true)
            return card
        }
        guard let known else { throw unsupported("miFareClassic commands") }
        return known
    }
}
