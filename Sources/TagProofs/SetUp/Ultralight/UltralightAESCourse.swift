import NFCTags
import SecureTags

/// MIFARE Ultralight AES of a profile.
struct UltralightAESSetUp: SetUpProduct {
    /// DataProtKey and UIDRetrKey. The second one must not stay as delivered: an authentication with it lowers the count of wrong keys.
    static let keyCount: UInt8 = 2

    let keys: SetUpKeys
    private let reader: ReaderProfile

    /// - Throws: ``SetUpError`` if profile or keys do not allow to set up tags.
    init(_ profile: TagProfile, _ ring: KeyRing, _ reader: ReaderProfile) throws(SetUpError) {
        keys = try SetUpKeys(profile, ring, count: Self.keyCount, first: .tag)
        self.reader = reader
    }

    func probe(_ channel: any CardChannel, _ options: SetUpOptions) async throws -> UltralightAESCourse {
        let tag = try UltralightAESTag(channel, reader)
        return UltralightAESCourse(tag: tag, keys: keys, state: try await tag.state(), options: options)
    }
}

/// One step with a MIFARE Ultralight AES. Each can be done again.
enum UltralightAESStep: SetUpStep, Hashable {
    /// The key of a version; 0 for that of a tag as delivered.
    case writeKey(UInt8, version: UInt8)
    /// Authenticates with both keys, which the tag surely has although it shows none: one that imitates it has others.
    case recognise(version: UInt8)
    /// Authenticates with both keys.
    case proveKeys(version: UInt8)
    /// CFG1.
    case writeSettings(version: UInt8)
    case protect
    case unprotect
    case lockKeys
    /// Authenticates, and compares UID, settings and locks.
    case confirm

    var changesTag: Bool {
        switch self {
        case .recognise, .proveKeys, .confirm: false
        default: true
        }
    }

    var words: String {
        switch self {
        case .writeKey(let number, 0): "write key \(number) of a tag as delivered"
        case .writeKey(let number, let version): "write key \(number), version \(version)"
        case .recognise: "prove both keys, which were written before"
        case .proveKeys: "prove both keys"
        case .writeSettings(UltralightAESCourse.deliveredVersion): "write the settings of a tag as delivered"
        case .writeSettings(let version): "let everyone read, and note version \(version) of the keys"
        case .protect: "protect the tag: writing needs the key, and commands have codes"
        case .unprotect: "remove the protection"
        case .lockKeys: "lock the keys permanently"
        case .confirm: "compare UID, settings and locks"
        }
    }

    var newVersions: [UInt8: UInt8] {
        if case .writeKey(let number, let version) = self { [number: version] } else { [:] }
    }

    var provenVersions: [UInt8: UInt8] {
        if case .proveKeys(let version) = self { [0: version, 1: version] } else { [:] }
    }
}

/// The steps from what a MIFARE Ultralight AES is to what it should be.
///
/// A key is four pages, so that a tag which leaves has parts of two keys. That loses nothing while no key protects the tag (AUTH0 behind
/// the memory): it can be written again by everyone. So a tag is protected only after it has proven both keys, and before a rotation or a
/// reset its protection is removed with the old key. CFG0 sets AUTH0 and SEC_MSG_ACT with one write: a tag is protected with codes, or not
/// at all. VCTID in CFG1 holds the version of the keys, so that no key is ever guessed.
///
/// AUTHLIM stays 0: with codes and locked keys it would only let anyone with a reader make the tag useless.
struct UltralightAESCourse: SetUpCourse {
    /// VCTID as delivered.
    static let deliveredVersion: UInt8 = 0x05
    /// The first page that is protected: the message and all behind it.
    static let firstProtectedPage: UInt8 = 0x04

    let tag: UltralightAESTag
    let keys: SetUpKeys
    let state: UltralightAESTag.State
    var options: SetUpOptions

    private var settings: UltralightSettings { state.settings }
    private var version: UInt8 { settings.keyVersion }
    private var isProtected: Bool { settings.hasCodes || settings.firstProtectedPage < UltralightSettings.noPage }
    /// Whether neither key can be changed any more.
    private var isKeyLocked: Bool { (settings.keyLocks ?? 0) & 0xC0 == 0xC0 }
    private var isVersionKnown: Bool { version != 0 && keys.knows(0, version: version) }
    /// The version that the keys should get.
    private var target: UInt8 { options.versions?.first ?? keys.current(0) }
    /// The version at the end of a set-up: locked keys stay.
    private var goal: UInt8 { isKeyLocked ? version : target }

    var uid: [UInt8] { state.uid }
    var versions: [UInt8] { Self.both(isProtected || isKeyLocked ? version : 0) }
    /// Its signature is of another curve, which nfcd does not verify here.
    var originality: SetUpOutcome.Originality { .missing }
    var showsKeys: Bool { false }
    var isComplete: Bool { isProtected && hasWantedSettings && version == goal }

    private var hasWantedSettings: Bool {
        settings.hasCodes && settings.firstProtectedPage == Self.firstProtectedPage && !settings.protectsReading
    }

    private static func both(_ version: UInt8) -> [UInt8] {
        [UInt8](repeating: version, count: Int(UltralightAESSetUp.keyCount))
    }

    func goal(_ task: SetUpTask) -> [UInt8] {
        guard task == .reset else { return Self.both(goal) }
        return Self.both(isKeyLocked ? version : 0)
    }

    /// A tag without protection that notes a version of its keys was on its way to others, or to those as delivered. The set-up ends both.
    var interruptedTask: SetUpTask? {
        if isProtected { return isComplete && isVersionKnown ? .setUp : nil }
        return isVersionKnown && version != Self.deliveredVersion && !isKeyLocked ? .setUp : nil
    }

    var remarks: [String] { isProtected && !isKeyLocked ? [Self.weakness] : [] }

    func remarks(_ task: SetUpTask) -> [String] {
        switch task {
        case .reset: isKeyLocked ? ["the keys of the tag stay: they are locked permanently (LOCK_KEYS)"] : []
        case .setUp, .rotate: isKeyLocked || options.irreversible.contains(.lockKeys) ? [] : [Self.weakness]
        }
    }

    private static let weakness =
        "taps of the tag are weak until its keys are locked permanently (LOCK_KEYS): a device between tag and reader "
        + "can overwrite them in parts, and so find them"

    func run(_ task: SetUpTask, _ reconnection: CardReconnection) -> UltralightAESRun {
        UltralightAESRun(tag, keys, state, isReset: task == .reset, reconnection)
    }
}

extension UltralightAESCourse {
    func steps(_ task: SetUpTask) throws(SetUpError) -> [UltralightAESStep] {
        guard options.irreversible.isSubset(of: [.lockKeys]) else {
            throw SetUpError(.unsuitable, "a MIFARE Ultralight AES is set up without a random UID and a tamper loop")
        }
        try isProtected ? checkProtected() : checkUnprotected()
        return switch task {
        case .setUp: try setUp()
        case .rotate: try rotate()
        case .reset: try reset()
        }
    }

    private func checkProtected() throws(SetUpError) {
        guard settings.hasCodes, isVersionKnown else {
            throw SetUpError(
                .foreign, "the tag is protected with a key that is not of the profile, or was set without nfcd")
        }
    }

    private func checkUnprotected() throws(SetUpError) {
        guard settings.page0[0] & 0x01 == 0, settings.attemptLimit == 0, !settings.isLocked else {
            throw SetUpError(.foreign, "the tag has settings that are not as delivered: it is of someone else")
        }
        guard isKeyLocked ? isVersionKnown : (settings.keyLocks ?? 0) & 0xC0 == 0 else {
            throw SetUpError(.foreign, "a key of the tag is locked permanently (LOCK_KEYS), and is not of the profile")
        }
    }

    private func setUp() throws(SetUpError) -> [UltralightAESStep] {
        guard options.originality != .required else {
            throw SetUpError(.wrongTag, "nfcd cannot verify the signature of the maker of a MIFARE Ultralight AES")
        }
        guard isProtected else { return try unprotectedSetUp() }
        guard version == goal else {
            throw SetUpError(.foreign, "the tag is set up already, with an earlier key; change its keys with rotate")
        }
        guard hasWantedSettings else {
            throw SetUpError(.foreign, "the settings of the tag are not those of a set-up; reset it first")
        }
        return try lock() + [.confirm]
    }

    /// Keys are written in plain. So those that were written before are proven, and not written to a tag that may imitate the right one.
    private var recognition: [UltralightAESStep] {
        guard !isProtected, let version = options.written?.first, version != 0 else { return [] }
        return [.recognise(version: version)]
    }

    private func unprotectedSetUp() throws(SetUpError) -> [UltralightAESStep] {
        let isWritten = isKeyLocked || !recognition.isEmpty && options.written == Self.both(goal)
        let keys: [UltralightAESStep] =
            isWritten ? [] : [.writeKey(1, version: goal), .writeKey(0, version: goal)]
        return try recognition + keys + [.proveKeys(version: goal), .writeSettings(version: goal), .protect] + lock()
            + [.confirm]
    }

    private func lock() throws(SetUpError) -> [UltralightAESStep] {
        guard options.irreversible.contains(.lockKeys), !isKeyLocked else { return [] }
        guard (settings.keyLocks ?? 0) & 0x20 == 0 else {
            throw SetUpError(.unsuitable, "the locks of the keys were frozen before they were set; use another tag")
        }
        return [.lockKeys]
    }

    private func rotate() throws(SetUpError) -> [UltralightAESStep] {
        guard isVersionKnown else {
            throw SetUpError(.foreign, "the tag is not one that was set up with the profile")
        }
        guard !isKeyLocked || version == target else {
            throw SetUpError(
                .unsuitable,
                "the keys of the tag are locked permanently (LOCK_KEYS): keep version \(version) of the key as "
                    + "previous, or use another tag")
        }
        guard isProtected else { return try unprotectedSetUp() }
        if isComplete { return try lock() + [.confirm] }
        return try unprotecting() + unprotectedSetUp()
    }

    private func reset() throws(SetUpError) -> [UltralightAESStep] {
        let unprotecting = isProtected ? try unprotecting() : recognition
        guard !isKeyLocked else { return unprotecting + [.confirm] }
        return unprotecting + [
            .writeKey(1, version: 0), .writeKey(0, version: 0), .proveKeys(version: 0),
            .writeSettings(version: Self.deliveredVersion), .confirm,
        ]
    }

    private func unprotecting() throws(SetUpError) -> [UltralightAESStep] {
        guard !settings.isLocked else {
            throw SetUpError(.unsuitable, "the settings of the tag are locked permanently (CFGLCK)")
        }
        return [.unprotect]
    }
}
