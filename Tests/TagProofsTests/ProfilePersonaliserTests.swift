import NFCReaders
import NFCSessions
import NFCTags
import NFCTypes
import SecureTags
import TagProofs
import TapJournal
import TestSupport
import Testing
import VirtualTags

/// The way from a client's request to the set-up of a tag: which profile, which error, which counter.
@Suite struct ProfilePersonaliserTests {
    private static let web = SetUpBench.profile
    private static let front = Site.mutual { $0.keys[.master] = "master" }
    private static let card = TagProfile(name: "card", product: .desfire, keys: [.tag: "door", .master: "master"])

    /// Puts the tag on the reader.
    private func visit<Value>(
        _ bench: SetUpBench, _ plan: FaultPlan = .none, profiles: [TagProfile] = [web], ring: KeyRing = Site.ring,
        _ body: (ProfilePersonaliser, PersonalisedTag) async throws(TagError) -> Value
    ) async -> Result<Value, TagError> {
        let card = FaultInjectingCard(bench.reader, plan: plan)
        let channel = CountingChannel(card)
        defer { bench.reader.powerOff() }
        let reconnection = CardReconnection(identifier: []) { () async throws(CardChannelError) in
            card.reset()
            if !card.isPresent { throw .tagLost }
        }
        let identity = TagIdentity(
            technology: .iso14443Part4(.a), identifier: bench.identifier, atr: card.answerToReset)
        do throws(TagError) {
            let personaliser = ProfilePersonaliser(profiles: profiles, keys: ring, records: bench.records)
            return .success(
                try await body(personaliser, PersonalisedTag(identity, over: channel, on: .generic, reconnection)))
        } catch {
            return .failure(error)
        }
    }

    private func personalise(
        _ bench: SetUpBench, _ task: PersonalisationTask, _ plan: FaultPlan = .none, profiles: [TagProfile] = [web],
        ring: KeyRing = Site.ring, profile: String? = nil, _ change: (inout PersonalisationRequest) -> Void = { _ in }
    ) async -> Result<PersonalisationOutcome, TagError> {
        var request = PersonalisationRequest(task, profile: profile)
        change(&request)
        let wanted = request
        return await visit(bench, plan, profiles: profiles, ring: ring) { (personaliser, tag) async throws(TagError) in
            try await personaliser.personalise(
                wanted, tag, allow: { (_) throws(TagError) in }, progress: nil)
        }
    }

    private func state(
        _ bench: SetUpBench, profiles: [TagProfile] = [web], ring: KeyRing = Site.ring, profile: String? = nil
    ) async -> Result<PersonalisationStatus, TagError> {
        await visit(bench, profiles: profiles, ring: ring) { (personaliser, tag) async throws(TagError) in
            try await personaliser.query(profile: profile, identifier: nil, tag)
        }
    }

    // MARK: What was asked for

    @Test(arguments: [PersonalisationTask.rotate, .reset, .verify])
    func `a task that makes nothing permanent refuses to`(task: PersonalisationTask) async throws {
        let bench = try SetUpBench()
        _ = try await personalise(bench, .setUp).get()
        let result = await personalise(bench, task) { $0.permanent = [.randomIdentifier] }
        guard case .failure(let error) = result else {
            return #expect(Bool(false), "a success")
        }
        #expect(error.code == .unsupportedFeature && error.detail.contains("makes nothing permanent"), "\(error)")
        #expect(bench.hasKeys(version: 1))
    }

    @Test func `a UID that is not that of the tag is refused`() async throws {
        let bench = try SetUpBench()
        let result = await personalise(bench, .setUp) { $0.identifier = [4, 1, 2, 3, 4, 5, 6] }
        guard case .failure(let error) = result else { return #expect(Bool(false), "a success") }
        #expect(error.code == .unsupportedFeature && error.detail.contains("not 04010203040506"), "\(error)")
        #expect(bench.hasKeys(version: 0))
    }

    @Test func `what a record asks for permanently needs the grant, also if the tag hides its UID`() async throws {
        let change = { (setup: inout VirtualNTAG424Setup) in
            setup = VirtualNTAG424Setup(tamperLoop: VirtualTamperLoop())
            setup.identifier = Site.uid
        }
        var torn = try SetUpBench(setup: change)
        torn.options.irreversible = [.tamper]
        #expect(await torn.run(.setUp, FaultPlan(.removeAfter, at: 30)).error != nil)
        let bench = try SetUpBench(setup: {
            change(&$0)
            $0.configuration.append(VirtualNTAG424Setup.randomIdentifier)
        })
        for record in torn.records.all { try await bench.records.save(record) }
        #expect(bench.records.all.map(\.isDone) == [false])
        let result = await visit(bench) { (personaliser, tag) async throws(TagError) in
            try await personaliser.personalise(
                PersonalisationRequest(.resume), tag,
                allow: { (settings) throws(TagError) in
                    guard settings.isEmpty else { throw TagError(.securityViolation, "not granted") }
                }, progress: nil)
        }
        guard case .failure(let error) = result else { return #expect(Bool(false), "a success") }
        #expect(error.detail.contains("tamper") && error.detail.contains("grant"), "\(error)")
        #expect(bench.hasKeys(version: 0))
    }

    // MARK: Profiles

    @Test func `the only profile for the product of a tag is chosen`() async throws {
        let bench = try SetUpBench()
        for profiles in [[Self.web], [Self.card, Self.web]] {
            #expect(try await state(bench, profiles: profiles).get().profile == "web")
        }
    }

    @Test(
        arguments: [
            ([web, front], nil, "several profiles are for this tag: name one of web, front"),
            ([card, Site.sun { $0.product = .ultralightC }], nil, "no profile is for this tag"),
            ([web, front], "dor", "there is no profile \"dor\": keys.toml has web, front"),
            ([card], nil, "card"), ([Site.sun()], nil, "names no master key"),
        ] as [([TagProfile], String?, String)])
    func `a profile that is not clear, or not for the tag, is an error with the names`(
        profiles: [TagProfile], name: String?, words: String
    ) async throws {
        let bench = try SetUpBench()
        for result in [
            await personalise(bench, .setUp, profiles: profiles, profile: name).map { _ in },
            await state(bench, profiles: profiles, profile: name).map { _ in },
        ] {
            guard case .failure(let error) = result else { return #expect(Bool(false), "a success") }
            #expect(error.code == .unsupportedFeature && error.detail.contains(words), "\(error.detail)")
        }
        #expect(bench.tag.state.eepromWrites == 0 && bench.records.all.isEmpty)
    }

    @Test func `the record of a tag names its profile, until the tag is as delivered`() async throws {
        let (bench, both) = (try SetUpBench(), [Self.front, Self.web])
        _ = try await personalise(bench, .setUp, profiles: both, profile: "web").get()
        #expect(try await personalise(bench, .verify, profiles: both).get().profile == "web")
        #expect(try await personalise(bench, .reset, profiles: both).get().profile == "web")
        guard case .failure(let error) = await personalise(bench, .setUp, profiles: both) else {
            return #expect(Bool(false), "a success")
        }
        #expect(error.detail.contains("name one of front, web"))
    }

    @Test func `what was begun by one profile is not continued by another`() async throws {
        let bench = try SetUpBench()
        _ = await personalise(bench, .setUp, FaultPlan(.removeAfter, at: 35))
        #expect(bench.records.all.map(\.isDone) == [false])
        for (profiles, name) in [([Self.front, Self.web], "front"), ([Self.front], nil)] {
            guard case .failure(let error) = await personalise(bench, .resume, profiles: profiles, profile: name) else {
                return #expect(Bool(false), "a success")
            }
            #expect(error.code == .unsupportedFeature && error.detail.contains("profile web"), "\(error.detail)")
        }
        #expect(try await personalise(bench, .resume, profiles: [Self.front, Self.web]).get().profile == "web")
        #expect(bench.hasKeys(version: 1))
    }

    @Test func `a token that does not answer is busy, and the tag stays as it was`() async throws {
        struct SilentKey: MasterKey {
            let isPublished = false
            func derived(from input: [UInt8], padding: KeyDiversification.Padding) async throws -> TagKey {
                throw UnavailableKey("token door: the token does not answer")
            }
            func shared() throws -> TagKey { Site.meta }
        }
        let ring = KeyRing(
            Site.ring.entries.map {
                .init(name: $0.name, version: $0.version, state: $0.state, master: SilentKey())
            })
        let bench = try SetUpBench()
        guard case .failure(let error) = await personalise(bench, .setUp, ring: ring) else {
            return #expect(Bool(false), "a success")
        }
        #expect(error.code == .systemIsBusy, "\(error)")
        #expect(error.detail.contains("could not be derived from master: token door: the token does not answer"))
        #expect(error.detail.hasSuffix("The tag is as it was. Try again when the token answers."), "\(error.detail)")
        #expect(bench.tag.state.eepromWrites == 0 && bench.records.all.isEmpty)
    }

    @Test(arguments: [PersonalisationTask.resume, .reset])
    func `what was begun by a profile that has another name by now is finished`(
        task: PersonalisationTask
    ) async throws {
        var renamed = Self.web
        renamed.name = "www"
        for name in [nil, "www"] {
            let bench = try SetUpBench()
            _ = await personalise(bench, .setUp, FaultPlan(.removeAfter, at: 35))
            let profiles = [Self.front, renamed]
            #expect(try await state(bench, profiles: profiles).get().profile == "www")
            #expect(try await personalise(bench, task, profiles: profiles, profile: name).get().profile == "www")
            #expect(bench.hasKeys(version: task == .reset ? 0 : 1) && bench.hasOnlyDoneRecords)
        }
    }

    @Test func `what was begun by a profile that no other replaces is listed`() async throws {
        let bench = try SetUpBench()
        _ = await personalise(bench, .setUp, FaultPlan(.removeAfter, at: 35))
        for task in [PersonalisationTask.resume, .reset] {
            guard case .failure(let error) = await personalise(bench, task, profiles: [Self.front]) else {
                return #expect(Bool(false), "a success")
            }
            #expect(
                error.detail.contains("meta-key meta, version 1") && error.detail.contains("front"), "\(error.detail)")
        }
    }

    // MARK: Imitations and hidden UIDs

    @Test func `a reset of a blank tag with the UID of another forgets that one only if it is to`() async throws {
        let bench = try SetUpBench()
        _ = try await personalise(bench, .setUp).get()
        bench.presentBlank()
        let records = bench.records.all
        let status = try await state(bench).get()
        #expect(status.state == .foreign && status.remarks.contains { $0.contains("secure reset --forget") })
        guard case .failure(let error) = await personalise(bench, .reset) else {
            return #expect(Bool(false), "a success")
        }
        #expect(error.code == .unsupportedFeature && error.detail.contains("secure reset --forget"), "\(error.detail)")
        for task in PersonalisationTask.allCases where task != .reset {
            let result = await personalise(bench, task) { $0.forgetsRecord = true }
            guard case .failure(let error) = result else { return #expect(Bool(false), "a success") }
            #expect(error.detail.contains("forgets no record"), "\(error.detail)")
        }
        #expect(bench.records.all == records && bench.isBlank)
        #expect(try await personalise(bench, .reset) { $0.forgetsRecord = true }.get().keyVersions == [0, 0, 0, 0, 0])
        #expect(try await state(bench).get().state == .delivered)
    }

    @Test(arguments: [0, 1] as [UInt8]) func `a UID that was given is not reported as proven`(version: UInt8)
        async throws
    {
        let bench = try SetUpBench { $0.configuration = [VirtualNTAG424Setup.randomIdentifier] }
        if version != 0 { _ = try await personalise(bench, .setUp) { $0.identifier = Site.uid }.get() }
        let other: [UInt8] = [4, 1, 2, 3, 4, 5, 6]
        let status = try await visit(bench) { (personaliser, tag) async throws(TagError) in
            try await personaliser.query(profile: nil, identifier: other, tag)
        }.get()
        #expect(status.identifier == other && status.isIdentifierGiven)
        #expect(status.remarks.contains { $0.contains("nothing proves") }, "\(status.remarks)")
        let plan = try await personalise(bench, version == 0 ? .setUp : .verify) {
            ($0.isDryRun, $0.identifier) = (true, other)
        }.get()
        #expect(plan.remarks.contains { $0.contains("nothing proves") }, "\(plan.remarks)")
        #expect(bench.isUncounted)
        // With a key, it is compared.
        let compared = await personalise(bench, version == 0 ? .setUp : .verify) { $0.identifier = other }
        guard case .failure = compared else { return #expect(Bool(false), "a success") }
        #expect(bench.hasKeys(version: version))
        let shown = try SetUpBench()
        #expect(try await state(shown).get().isIdentifierGiven == false)
    }

    // MARK: Counters

    @Test func `the counter of the message that was read is on the line of the taps`() async throws {
        let bench = try SetUpBench()
        let claim = try #require(try await personalise(bench, .setUp).get().claim)
        let tap = try #require(try await bench.status().attempt?.claim)
        #expect(claim.line == tap.line && claim.value == 1 && tap.value == 2)
        let checked = try #require(try await personalise(bench, .verify).get().claim)
        #expect(checked.line == claim.line && checked.value == 3)
    }

    @Test func `keys that are rotated begin another line`() async throws {
        var bench = try SetUpBench()
        let first = try #require(try await personalise(bench, .setUp).get().claim)
        bench.ring = SetUpBench.rotated
        let second = try #require(try await personalise(bench, .rotate, ring: SetUpBench.rotated).get().claim)
        #expect(try await bench.status().attempt?.claim?.line == second.line)
        #expect(first.line != second.line && first.value < second.value)
        #expect(try await personalise(bench, .reset, ring: SetUpBench.rotated).get().claim == nil)
    }

    // MARK: States

    @Test func `the state of a tag is that of its keys and its record`() async throws {
        let bench = try SetUpBench()
        #expect(try await state(bench).get().state == .delivered)
        _ = await personalise(bench, .setUp, FaultPlan(.removeAfter, at: 35))
        for isKnown in [true, false] {
            if !isKnown { bench.records.lose() }
            let status = try await state(bench).get()
            #expect(status.state == .interrupted && status.interrupted == .setUp, "\(isKnown)")
        }
        _ = try await personalise(bench, .resume).get()
        for isKnown in [true, false] {
            if !isKnown { bench.records.lose() }
            let status = try await state(bench).get()
            #expect(status.state == .current && status.interrupted == nil, "\(isKnown)")
            #expect(status.keyVersions == [1, 1, 1, 1, 1] && status.currentKeyVersions == status.keyVersions)
        }
        let outdated = try await state(bench, ring: SetUpBench.rotated).get()
        #expect(outdated.state == .outdated && outdated.currentKeyVersions == [2, 2, 2, 2, 2])
        _ = try await personalise(bench, .reset).get()
        #expect(try await state(bench).get().state == .delivered)
        let foreign = try SetUpBench { $0.keys[3] = .init([UInt8](repeating: 0x5C, count: 16), version: 9) }
        #expect(try await state(foreign).get().state == .foreign)
    }

    // MARK: Errors

    @Test func `a tag that leaves is error 100, with what it is now and what to do, and resume finishes it`()
        async throws
    {
        for (exchange, words) in [
            (3, "The tag is as it was. Put it back and try again."),
            (35, "The tag is unfinished. Put it back and run `nfcctl secure resume`."),
        ] {
            let bench = try SetUpBench()
            guard case .failure(let error) = await personalise(bench, .setUp, FaultPlan(.removeDuring, at: exchange))
            else { return #expect(Bool(false), "a success") }
            #expect(error.code == .tagConnectionLost && error.detail.hasSuffix(words), "\(error.detail)")
            #expect(error.detail.hasPrefix("setting up tag 04958CAA5C5E80 by profile web failed: "), "\(error.detail)")
            let task = exchange == 3 ? PersonalisationTask.setUp : .resume
            #expect(try await personalise(bench, task).get().keyVersions == [1, 1, 1, 1, 1])
            #expect(bench.hasKeys(version: 1) && bench.isUncounted)
        }
    }

    /// The command of a ChangeKey would disclose the key to those who heard the authentication.
    @Test(arguments: [Fault.removeDuring, .answer([0x67]), .answer([]), .answer([0x6F, 0x00])])
    func `no error quotes what was sent`(fault: Fault) async throws {
        for exchange in 1...50 {
            let bench = try SetUpBench()
            let sent = RecordingCard(bench.reader)
            let card = FaultInjectingCard(sent, plan: FaultPlan(fault, at: exchange))
            let channel = CountingChannel(card)
            let tag = PersonalisedTag(
                TagIdentity(technology: .iso14443Part4(.a), identifier: Site.uid, atr: []), over: channel,
                on: .generic, CardReconnection(identifier: []) { () async throws(CardChannelError) in card.reset() })
            let personaliser = ProfilePersonaliser(profiles: [Self.web], keys: Site.ring, records: bench.records)
            do throws(TagError) {
                _ = try await personaliser.personalise(
                    PersonalisationRequest(.setUp), tag, allow: { (_) throws(TagError) in }, progress: nil)
            } catch {
                #expect(error.response == nil)
                for (command, _) in sent.recorded where command.count > 8 {
                    #expect(
                        !error.detail.contains(Hexadecimal.string(command.dropFirst(5).prefix(4))), "\(error.detail)")
                }
            }
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: NFCErrorCode
        var advice = "The tag is as it was."
        let change: @Sendable (inout VirtualNTAG424Setup) -> Void
    }

    static let cases = [
        Case(testDescription: "foreign", code: .unsupportedFeature) {
            $0.keys[3] = .init([UInt8](repeating: 0x5C, count: 16), version: 9)
        },
        Case(
            testDescription: "key refused", code: .tagResponseError,
            advice: "The tag counted a failed attempt, and is as it was otherwise. Do not try it again with these keys."
        ) {
            $0.keys[0] = .init([UInt8](repeating: 0x5C, count: 16))
        },
        Case(testDescription: "a message", code: .unsupportedFeature) { $0.files[2] = hex("0008D1010455046162632F") },
    ]

    @Test(arguments: cases) func `a tag that cannot be set up has a code that says why`(example: Case) async throws {
        guard case .failure(let error) = await personalise(try SetUpBench(setup: example.change), .setUp) else {
            return #expect(Bool(false), "a success")
        }
        #expect(error.code == example.code && error.detail.hasSuffix(example.advice), "\(error.detail)")
    }

    @Test func `a record that is not stored is error 203`() async throws {
        let bench = try SetUpBench()
        bench.records.fail(at: 1)
        guard case .failure(let error) = await personalise(bench, .setUp) else {
            return #expect(Bool(false), "a success")
        }
        #expect(error.code == .systemIsBusy && bench.tag.state.eepromWrites == 0)
    }

    @Test func `nothing to resume, a UID of another length and LRP are error 1`() async throws {
        let bench = try SetUpBench()
        for result in [
            await personalise(bench, .resume),
            await personalise(bench, .setUp) { $0.identifier = [1, 2, 3, 4] },
            await personalise(bench, .setUp) { $0.permanent = [.lrp] },
        ] {
            guard case .failure(let error) = result else { return #expect(Bool(false), "a success") }
            #expect(error.code == .unsupportedFeature)
        }
        #expect(bench.tag.state.eepromWrites == 0)
    }

    // MARK: Permanent settings

    @Test func `permanent settings of an interrupted task are asked for again`() async throws {
        let bench = try SetUpBench()
        _ = await personalise(bench, .setUp, FaultPlan(.removeAfter, at: 35)) { $0.permanent = [.randomIdentifier] }
        let before = bench.tag.state.eepromWrites
        let refused = TagError(.securityViolation, "not granted")
        let result = await visit(bench) { (personaliser, tag) async throws(TagError) in
            try await personaliser.personalise(
                PersonalisationRequest(.resume), tag,
                allow: { (settings) throws(TagError) in if settings == [.randomIdentifier] { throw refused } },
                progress: nil)
        }
        guard case .failure(let error) = result else { return #expect(Bool(false), "a success") }
        #expect(error == refused && bench.tag.state.eepromWrites == before)
        _ = try await personalise(bench, .resume).get()
        #expect(bench.tag.state.hasRandomIdentifier && bench.hasKeys(version: 1))
    }
}

extension SetUpBench {
    /// What the reader sees.
    fileprivate var identifier: [UInt8] {
        tag.state.hasRandomIdentifier ? [0x08, 0x11, 0x22, 0x33] : tag.state.identifier
    }
}
