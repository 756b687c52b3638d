import NFCReaders
import NFCTags
import NFCTypes
import Synchronization
import TapJournal
import TestSupport
import Testing
import VirtualTags

@testable import NFCSessions

/// What a session does with a tag that is set up: counters, grants, the audit, the light, and the state of the tag.
@Suite(.timeLimit(.minutes(20))) struct `A tag that is set up` {
    private let store = MemoryTapStore()
    private let lines = Lines()

    /// The lines of the log.
    private final class Lines: Sendable {
        private let state = Mutex<[String]>([])

        var all: [String] { state.withLock { $0 } }
        func add(_ line: String) { state.withLock { $0.append(line) } }
        func clear() { state.withLock { $0 = [] } }
    }

    /// A tag whose session has this personaliser.
    private func tag(
        _ personaliser: ScriptedPersonaliser?, journal: Bool = true, _ capabilities: Set<Capability>? = nil
    ) throws -> (tag: TagCommands, connection: ModelConnection) {
        let card = try VirtualTagModel.named("type4").makeTag(ndefMessage: Fixtures.message).inReader()
        let connection = ModelConnection(card)
        let identity = TagIdentity(
            technology: .iso14443Part4(.a), identifier: ScriptedPersonaliser.identifier, atr: [])
        let settings = JournalSettings(
            store: store,
            clock: TapClock { TapTime(milliseconds: 0, sinceBoot: .zero, bootID: "", clock: .unsynchronised) })
        let recorder = TapRecorder(
            TapSettings(journal: journal ? settings : nil), uptime: Stopwatch(TestClock()), metrics: Metrics(),
            logger: .silent)
        let rules = capabilities.map { capabilities in
            CommandRules(reader: Fixtures.desk) {
                Permissions([Entitlements(formats: [.tag], capabilities: capabilities, readers: .all)])
            }
        }
        let log = EventLog { [lines] _, message, _ in
            lines.add(message())
        }
        let tag = TagCommands(
            TagContact(identity: identity, connection: connection, profile: .generic), rules: rules ?? .open,
            audit: TagAudit(SessionID(rawValue: "s"), of: RecordingClient(1), on: Fixtures.desk.id, log),
            personalisation: personaliser.map { Personalisation(personaliser: $0, recorder: recorder) })
        return (tag, connection)
    }

    private func personalise(
        _ tag: TagCommands, _ task: PersonalisationTask = .setUp,
        _ change: @Sendable (inout PersonalisationRequest) -> Void = { _ in }
    ) async -> Result<PersonalisationOutcome, TagError> {
        var request = PersonalisationRequest(task, profile: "door")
        change(&request)
        let wanted = request
        do throws(TagError) {
            return .success(try await tag.run { tag throws(TagError) in try await tag.personalise(wanted) })
        } catch {
            return .failure(error)
        }
    }

    // MARK: Counters

    private static func claim(_ value: Int64) -> CounterClaim {
        CounterClaim(line: [UInt8](repeating: 1, count: 16), value: value)
    }

    @Test func `has spent the message that was read before success is returned`() async throws {
        let (tag, _) = try tag(ScriptedPersonaliser(counter: 5))
        store.hold()
        async let result = personalise(tag)
        await store.reached()
        #expect(tag.outcome == .failure)
        store.release()
        #expect(try await result.get().refusedThrough == nil)
        #expect(tag.outcome == .success)
        for (counter, status) in [(5, TapProof.Status.replayed), (6, .proven)] {
            let proof = try await store.settle(TapProof(.proven, .sun, profile: "door"), Self.claim(Int64(counter)))
            #expect(proof.status == status)
        }
    }

    @Test func `names the counter up to which it is refused, if it counts from 1 again`() async throws {
        _ = try await store.settle(TapProof(.proven, .sun, profile: "door"), Self.claim(70))
        let (tag, _) = try tag(ScriptedPersonaliser(counter: 1))
        #expect(try await personalise(tag).get().refusedThrough == 70)
        let proof = try await store.settle(TapProof(.proven, .sun, profile: "door"), Self.claim(70))
        #expect(proof.status == .replayed)
    }

    @Test func `is not a success where the counter was not stored`() async throws {
        let (tag, _) = try tag(ScriptedPersonaliser(counter: 5))
        store.fail(.failed("the disk is gone"))
        guard case .failure(let error) = await personalise(tag) else { return #expect(Bool(false), "a success") }
        #expect(error.code == .systemIsBusy && tag.outcome == .failure)
        #expect(
            error.detail.contains("04A1B2C3D4E5F6 is finished, but the counter 5") && error.detail.contains("verify"))
    }

    @Test func `needs no journal`() async throws {
        let (tag, _) = try tag(ScriptedPersonaliser(counter: 5), journal: false)
        #expect(try await personalise(tag).get().claim?.value == 5)
    }

    // MARK: Grants

    @Test(
        arguments: [
            ([.personalise], [], [], true), ([.personalise], [.tamper], [], false),
            ([.personalise], [], [.randomIdentifier], false),
            ([.personalise, .personalisePermanently], [.tamper], [], true),
            ([.personalise, .personalisePermanently], [.tamper], [.randomIdentifier], true),
            ([.personalisePermanently], [.tamper], [], false),
        ] as [(Set<Capability>, Set<PermanentSetting>, Set<PermanentSetting>, Bool)])
    func `gets permanent settings only by a grant, also those of an interrupted task`(
        capabilities: Set<Capability>, wanted: Set<PermanentSetting>, begun: Set<PermanentSetting>, isAllowed: Bool
    ) async throws {
        let personaliser = ScriptedPersonaliser(begun: begun)
        let (tag, _) = try tag(personaliser, capabilities)
        let result = await personalise(tag) { $0.permanent = wanted }
        #expect(personaliser.requests.count == (isAllowed ? 1 : 0))
        guard case .failure(let error) = result else { return #expect(isAllowed) }
        #expect(!isAllowed && error.code == .securityViolation)
        #expect(error.detail.contains("capabilities = [\"personalise\", \"personalise-permanently\"]"))
    }

    @Test func `needs profiles`() async throws {
        let (tag, _) = try tag(nil)
        guard case .failure(let error) = await personalise(tag) else { return #expect(Bool(false), "a success") }
        #expect(error.code == .unsupportedFeature && error.detail.contains("keys.toml"))
        #expect(await failure { _ = try await tag.queryPersonalisation(profile: nil, identifier: nil) } == error)
    }

    // MARK: The audit and the light

    @Test(
        arguments: [
            (.setUp, "setting it up by profile door"), (.rotate, "changing its keys by profile door"),
            (.reset, "making it as delivered by profile door"),
            (.resume, "finishing what was interrupted by profile door"),
            (.verify, nil),
        ] as [(PersonalisationTask, String?)])
    func `is logged with each change, and shows how that ended`(task: PersonalisationTask, words: String?) async throws
    {
        for failure in [nil, TagError(.tagConnectionLost, "it left with 8C1F5E02")] {
            lines.clear()
            let (tag, _) = try tag(ScriptedPersonaliser(failure: failure))
            _ = await personalise(tag, task)
            let found = lines.all
            #expect(found.count == (words == nil ? 0 : 1))
            #expect(tag.outcome == words.map { _ in failure == nil ? ReaderFeedback.Kind.success : .failure })
            guard let words else { continue }
            let end = failure == nil ? "done" : "failed with 100 TagConnectionLost"
            #expect(found.first?.hasSuffix("tag 04A1B2C3D4E5F6 on reader desk: \(words): \(end)") == true, "\(found)")
        }
    }

    @Test func `is logged with the profile that was chosen, also if it failed`() async throws {
        var failure = TagError(.tagConnectionLost, "it left")
        failure.profile = "gate"
        for (failure, name) in [(nil, " by profile door"), (failure, " by profile gate"), (Self.unasked, "")] {
            lines.clear()
            let (tag, _) = try tag(ScriptedPersonaliser(failure: failure))
            _ = await personalise(tag) { $0.profile = nil }
            #expect(lines.all.first?.contains("setting it up\(name): ") == true, "\(lines.all)")
        }
    }

    /// A failure before a profile was chosen.
    private static let unasked = TagError(.unsupportedFeature, "several profiles are for this tag")

    @Test func `is not changed by a dry run`() async throws {
        let (tag, _) = try tag(ScriptedPersonaliser())
        #expect(try await personalise(tag) { $0.isDryRun = true }.get().isDryRun)
        #expect(tag.outcome == nil && lines.all.isEmpty)
    }

    // MARK: The tag afterwards

    @Test(arguments: [nil, TagError(.tagResponseError, "the test says so")])
    func `is activated again, so that the session can continue`(failure: TagError?) async throws {
        let (tag, connection) = try tag(ScriptedPersonaliser(failure: failure))
        #expect(try await tag.readNDEF().message == Fixtures.message)
        _ = await personalise(tag)
        #expect(connection.resets == 1 && !tag.leavesState)
        let before = connection.log.count
        #expect(try await tag.readNDEF().message == Fixtures.message)
        // The driver selects and reads all that it needs.
        #expect(connection.log[before...].first?.starts(with: hex("00A40400")) == true)
    }

    @Test func `is activated before, if it may be authenticated`() async throws {
        let (tag, connection) = try tag(ScriptedPersonaliser())
        _ = try await tag.sendCommand(hex("00A4040007D276000085010100"))
        _ = await personalise(tag)
        #expect(connection.resets == 2)
    }
}
