/// What the life of a session promises, a case for each row of the table of rules. The tests that show it over the real
/// socket are named in ``witnesses``: without one a case does not compile.
enum SessionRule: CaseIterable {
    case readersFree
    case readersBusy
    case noReaderOrNoService
    case notEntitled
    case timeIsOver
    case endedByClientOrOperator
    case endedUnexpectedly
    case firstMessageRead
    case tagArrives
    case tagLeaves
    case severalTags
    case pollingRestarted
    case commandWithoutTag
    case tagAnswersNonsense
    case tagCannotBeWritten
    case nothingAfterTheEnd

    /// A test, and what it has to do with the rule.
    struct Witness: Hashable {
        /// The file below `Tests/IntegrationTests`.
        let file: String
        let test: String
        /// Whether it has a real pcscd, with readers of vpcd's.
        let isOnPCSC: Bool
    }

    /// The tests that show the rule: each part of it has its own.
    var witnesses: [Witness] {
        switch self {
        case .readersFree:
            [.pcsc("PCSCTests", "scan reads the record of a virtual tag")]
        case .readersBusy:
            [
                .pcsc("PCSCTests", "the second of two sessions ends with 203 while the first is active"),
                .pcsc("PCSCTests", "two sessions on two readers run side by side"),
                .pcsc(
                    "SessionRuleTests", "those who queue get their turn in their order, or 203 when they wait too long"),
                .simulated("SimulatorTests", "a scan that waits its turn begins when the first has ended"),
            ]
        case .noReaderOrNoService:
            [
                .pcsc("SessionRuleTests", "a session that can have no reader ends with 1"),
                .pcsc("Rules/MissingReaderTests", "without a reader there is 1, and who waits for one gets it"),
                .pcsc("Rules/MissingReaderTests", "without the service there is 6, and who waits gets the reader"),
            ]
        case .notEntitled:
            [
                .pcsc("Rules/EntitlementTests", "a format that is not granted ends the session with 2"),
                .pcsc("Rules/EntitlementTests", "a capability that is not granted refuses the command with 2"),
                .pcsc("Rules/EntitlementTests", "an application that is not granted ends the session with 2"),
                .pcsc("SessionRuleTests", "a listed application is selected, and no other can be"),
                .simulated("AccessTests", "a session that is not granted ends with 2 before it is active"),
            ]
        case .timeIsOver:
            [
                .pcsc("PCSCTests", "a tag left lying is one event, also when pcscd takes its power away"),
                .simulated("SimulatorTests", "a session ends with 201 when its time is over"),
            ]
        case .endedByClientOrOperator:
            [
                .pcsc("Rules/SessionEndingTests", "an operator ends a session with 200, and its words come with it"),
                .simulated("MonitorTests", "sessions are listed and cancelled"),
                .simulated("SimulatorTests", "Ctrl-C ends the session with 200 and leaves the reader free"),
            ]
        case .endedUnexpectedly:
            // What is left is a system that suspends: that takes a system.
            [
                .pcsc(
                    "Rules/SessionEndingTests", "a client that is gone ends its session with 202 and frees the reader"),
                .pcsc(
                    "PCSCTests",
                    "a pcscd that is killed ends the session with 202, and one that comes back is used again"),
                .pcsc("Rules/SessionEndingTests", "a daemon that stops ends sessions, waiting ones too, with 202"),
                .simulated("SimulatorTests", "a daemon that is killed ends a scan with 202"),
            ]
        case .firstMessageRead:
            [.pcsc("SessionRuleTests", "the first message ends a session that wants one")]
        case .tagArrives:
            [
                .pcsc("PCSCTests", "a tap, a removal and a tap are two events, and a tag left lying is one"),
                .pcsc("PCSCTests", "a tag that lies there already is found when a session begins"),
            ]
        case .tagLeaves, .pollingRestarted, .commandWithoutTag:
            [.pcsc("SessionRuleTests", "a tag takes commands while it is there, connected, and its session lasts")]
        case .severalTags:
            [.pcsc("SessionRuleTests", "tags on two readers come in one array")]
        case .tagAnswersNonsense:
            [
                .pcsc("PCSCTests", "cards that break the rules give a clear error, and the next tag is read"),
                .pcsc("Rules/TagErrorTests", "nonsense from a tag is 102, with what it answered"),
            ]
        case .tagCannotBeWritten:
            [
                .pcsc("SessionRuleTests", "what cannot be written leaves the tag as it is"),
                .pcsc("Rules/TagErrorTests", "a write that does not take is 401, and the old message is on the tag"),
                .pcsc("RecoveryTests", "is never written once more"),
            ]
        case .nothingAfterTheEnd:
            [.pcsc("Rules/SessionEndingTests", "after the end nothing more is told of a session")]
        }
    }
}

extension SessionRule.Witness {
    fileprivate static func pcsc(_ file: String, _ test: String) -> Self {
        Self(file: file, test: test, isOnPCSC: true)
    }

    fileprivate static func simulated(_ file: String, _ test: String) -> Self {
        Self(file: file, test: test, isOnPCSC: false)
    }
}
