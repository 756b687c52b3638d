import NFCTags
import SecureTags

/// A kind of tag that can be set up, with what a profile wants of it.
protocol SetUpProduct: Sendable {
    associatedtype Course: SetUpCourse

    /// The keys of its tags.
    var keys: SetUpKeys { get }

    /// Asks a tag what it is. Nothing on it is changed, and no attempt with a key of the profile is made.
    ///
    /// - Throws: ``SetUpError`` for a tag that is not one of this kind, ``CardFailure``.
    func probe(_ channel: any CardChannel, _ options: SetUpOptions) async throws -> Course
}

/// What a tag is, and the steps from there to what it should be.
///
/// What the tag shows is the log: every state between can be continued.
protocol SetUpCourse: Sendable {
    associatedtype Run: SetUpRun

    /// The real UID, 7 bytes.
    var uid: [UInt8] { get }
    /// Whether the tag hides its UID, so that this is the one of the options.
    var isUIDGiven: Bool { get }
    /// The versions of its keys, by number.
    var versions: [UInt8] { get }
    /// The signature of the maker.
    var originality: SetUpOutcome.Originality { get }
    /// What was asked for. A record adds what was asked for when its task was begun.
    var options: SetUpOptions { get set }
    /// Whether the tag is as a set-up leaves it.
    var isComplete: Bool { get }
    /// The task that was begun and not finished, by what the tag shows; nil if it is not between two states.
    var interruptedTask: SetUpTask? { get }

    /// Whether the versions of its keys show that they are on the tag: with a MIFARE Ultralight AES, only protection does.
    var showsKeys: Bool { get }

    /// The number of the key with which the tag makes messages that are counted, or may have made some; nil if there are none.
    var spentKey: UInt8? { get }
    /// The number of the key whose messages a set-up begins to count again; nil if it does not.
    var restartedKey: UInt8? { get }

    /// What there is to know about the tag as it is, in sentences.
    var remarks: [String] { get }
    /// What a task leaves on the tag that its steps do not show, in sentences.
    func remarks(_ task: SetUpTask) -> [String]

    /// The versions at the end of a task: those of the options, if they have some.
    func goal(_ task: SetUpTask) -> [UInt8]

    /// The steps of a task, in their order.
    ///
    /// - Throws: ``SetUpError`` if the tag is not one for it.
    func steps(_ task: SetUpTask) throws(SetUpError) -> [Run.Step]

    /// The performance of a task with the tag.
    ///
    /// - Parameter reconnection: turns the field off and on, and activates the tag again.
    func run(_ task: SetUpTask, _ reconnection: CardReconnection) -> Run
}

extension SetUpCourse {
    var isUIDGiven: Bool { false }
    var showsKeys: Bool { true }

    var spentKey: UInt8? { nil }
    var restartedKey: UInt8? { nil }

    var remarks: [String] { [] }
    func remarks(_ task: SetUpTask) -> [String] { [] }
}

/// One step with a tag. Each can be done again.
protocol SetUpStep: Sendable {
    /// Whether the tag may be another after it.
    var changesTag: Bool { get }
    /// What is done, in words without a secret.
    var words: String { get }
    /// The versions that keys may have from its beginning on, by number.
    var newVersions: [UInt8: UInt8] { get }
    /// The versions that keys surely have at its end, by number: an answer with a code confirmed them, or a proof.
    var provenVersions: [UInt8: UInt8] { get }
}

extension SetUpStep {
    var newVersions: [UInt8: UInt8] { [:] }
    var provenVersions: [UInt8: UInt8] { [:] }
}

/// The performance of steps, one after the other.
protocol SetUpRun: Sendable {
    associatedtype Step: SetUpStep

    /// The counter of the message that was read to check it; nil if none was.
    var counter: Int? { get }
    /// The credential that was read to check it; nil if none was.
    var credential: [UInt8]? { get }

    /// Performs a step; `beforeChange` is called before the tag may become another.
    ///
    /// After an error, the tag is as before the step or as after it.
    ///
    /// - Throws: ``SetUpError``, ``CardFailure``.
    mutating func perform(_ step: Step, beforeChange: () -> Void) async throws
}

extension SetUpRun {
    var credential: [UInt8]? { nil }
}
