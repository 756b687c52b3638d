import NFCTags
import SecureTags
import TagProofs
import VirtualTags

/// A virtual MIFARE Ultralight AES on a reader, which is set up.
struct UltralightBench: SettingUp {
    let tag: SharedTag<VirtualType2Tag>
    let reader: any VirtualCard
    let family: ReaderProfile
    let records = MemoryRecords()
    var profile: TagProfile
    var ring = Site.ring
    var options = SetUpOptions()

    static let profile = TagProfile(name: "locker", product: .ultralightAES, keys: [.tag: "door"])

    /// As delivered, with a message.
    static func delivered() throws -> VirtualType2Tag {
        try VirtualType2Tag(
            product: .ultralightAES, identifier: Site.uid,
            ndefMessage: [0xD1, 0x01, 0x0B, 0x55, 0x04] + Array("ex.am/door".utf8))
    }

    init(
        _ tag: VirtualType2Tag? = nil, on reader: FrameReader = .acr1252u, locks: Bool = false
    ) throws {
        self.tag = SharedTag(try tag ?? Self.delivered())
        (family, profile, self.reader) = (reader.profile, Self.profile, reader.card(self.tag))
        if locks { options.irreversible = [.lockKeys] }
    }

    func status() async throws -> SetUpStatus {
        try await ask { (setUp, channel) async throws(SetUpError) in try await setUp.status(channel) }.get()
    }

    /// Resumes, or begins again where nothing was begun.
    func finish(_ task: SetUpTask, _ plan: FaultPlan = .none) async -> SetUpVisit {
        let visit = await resume(plan)
        let isOther = visit.outcome.map { $0.versions != Self.both(version(task)) } ?? false
        return visit.error?.reason == .nothingToResume || isOther ? await run(task, plan) : visit
    }

    // MARK: What the tag is

    private static func both(_ version: UInt8) -> [UInt8] { [version, version] }

    private func page(_ number: Int) -> [UInt8] { Array(tag.state.memory[4 * number..<4 * number + 4]) }

    /// The version at the end of a task.
    func version(_ task: SetUpTask) -> UInt8 {
        task == .reset ? 0 : ring.versions(of: "door").first?.version ?? 0
    }

    /// Whether both keys are those of a version.
    func hasKeys(version: UInt8) -> Bool {
        guard version != 0 else {
            return (0..<2).allSatisfy { tag.state.hasKey(number: $0, value: [UInt8](repeating: 0, count: 16)) }
        }
        guard let master = ring.entry("door", version: version)?.master,
            let key = try? profile.expectedKey(.tag, of: Site.uid, from: master),
            let spare = try? profile.expectedSpareKey(1, of: Site.uid, from: master)
        else { return false }
        return tag.state.hasKey(number: 0, value: Site.bytes(key))
            && tag.state.hasKey(number: 1, value: Site.bytes(spare))
    }

    var isProtected: Bool { page(41)[3] < 0x3C }
    var hasLockedKeys: Bool { page(45)[0] & 0xC0 == 0xC0 }
    var hasAnyLock: Bool { page(45)[0] != 0 }

    /// Whether the keys are those of the version that the tag notes, or can be written by everyone.
    var hasNoUnknownKey: Bool { isProtected || hasAnyLock ? hasKeys(version: page(42)[1]) : true }

    /// Whether the tag is as the task leaves it, and no key was ever wrong.
    func isFinished(_ task: SetUpTask) -> Bool {
        let isLocked = task != .reset && options.irreversible.contains(.lockKeys)
        return hasKeys(version: version(task)) && isProtected == (task != .reset) && hasLockedKeys == isLocked
            && hasOnlyDoneRecords && isUncounted
    }

    var isUncounted: Bool { tag.state.wrongAnswers == 0 }

    /// What a tap proves.
    func tap() async throws -> Tap { try await Site(profile, ring: ring).tap(reader, on: family) }
}
