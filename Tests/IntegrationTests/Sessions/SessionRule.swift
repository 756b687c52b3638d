import Foundation
import Testing

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
            [.pcsc("Sessions/PCSCTests", "scan reads the record of a virtual tag")]
        case .readersBusy:
            [
                .pcsc("Sessions/PCSCTests", "the second of two sessions ends with 203 while the first is active"),
                .pcsc("Sessions/PCSCTests", "two sessions on two readers run side by side"),
                .pcsc(
                    "Sessions/SessionRuleTests",
                    "those who queue get their turn in their order, or 203 when they wait too long"),
                .simulated("Sessions/SimulatorTests", "a scan that waits its turn begins when the first has ended"),
            ]
        case .noReaderOrNoService:
            [
                .pcsc("Sessions/SessionRuleTests", "a session that can have no reader ends with 1"),
                .pcsc("Sessions/SessionRuleTests", "without a reader there is 1, and who waits for one gets it"),
                .pcsc("Sessions/SessionRuleTests", "without the service there is 6, and who waits gets the reader"),
            ]
        case .notEntitled:
            [
                .pcsc("Sessions/SessionRuleTests", "a format that is not granted ends the session with 2"),
                .pcsc("Sessions/SessionRuleTests", "a capability that is not granted refuses the command with 2"),
                .pcsc("Sessions/SessionRuleTests", "an application that is not granted ends the session with 2"),
                .pcsc("Sessions/SessionRuleTests", "a listed application is selected, and no other can be"),
                .simulated("Daemon/AccessTests", "a session that is not granted ends with 2 before it is active"),
            ]
        case .timeIsOver:
            [
                .pcsc("Sessions/PCSCTests", "a tag left lying is one event, also when pcscd takes its power away"),
                .simulated("Sessions/SimulatorTests", "a session ends with 201 when its time is over"),
            ]
        case .endedByClientOrOperator:
            [
                .pcsc("Sessions/SessionEndingTests", "an operator ends a session with 200, and its words come with it"),
                .simulated("CommandLine/MonitorTests", "sessions are listed and cancelled"),
                .simulated("Sessions/SimulatorTests", "Ctrl-C ends the session with 200 and leaves the reader free"),
            ]
        case .endedUnexpectedly:
            // What is left is a system that suspends: that takes a system.
            [
                .pcsc(
                    "Sessions/SessionEndingTests",
                    "a client that is gone ends its session with 202 and frees the reader"),
                .pcsc(
                    "Sessions/PCSCTests",
                    "a pcscd that is killed ends the session with 202, and one that comes back is used again"),
                .pcsc("Sessions/SessionEndingTests", "a daemon that stops ends sessions, waiting ones too, with 202"),
                .simulated("Sessions/SimulatorTests", "a daemon that is killed ends a scan with 202"),
            ]
        case .firstMessageRead:
            [.pcsc("Sessions/SessionRuleTests", "the first message ends a session that wants one")]
        case .tagArrives:
            [
                .pcsc("Sessions/PCSCTests", "a tap, a removal and a tap are two events, and a tag left lying is one"),
                .pcsc("Sessions/PCSCTests", "a tag that lies there already is found when a session begins"),
            ]
        case .tagLeaves, .pollingRestarted, .commandWithoutTag:
            [
                .pcsc(
                    "Sessions/SessionRuleTests",
                    "a tag takes commands while it is there, connected, and its session lasts")
            ]
        case .severalTags:
            [.pcsc("Sessions/SessionRuleTests", "tags on two readers come in one array")]
        case .tagAnswersNonsense:
            [
                .pcsc("Sessions/PCSCTests", "cards that break the rules give a clear error, and the next tag is read"),
                .pcsc("Sessions/TagErrorTests", "nonsense from a tag is 102, with what it answered"),
            ]
        case .tagCannotBeWritten:
            [
                .pcsc("Sessions/SessionRuleTests", "what cannot be written leaves the tag as it is"),
                .pcsc("Sessions/TagErrorTests", "a write that does not take is 401, and the old message is on the tag"),
                .pcsc("Sessions/TagErrorTests", "is never written once more"),
            ]
        case .nothingAfterTheEnd:
            [.pcsc("Sessions/SessionEndingTests", "after the end nothing more is told of a session")]
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

/// The table of rules holds: its tests are there, and enough of them are on a real pcscd.
@Suite struct `The table of session rules` {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

    @Test(arguments: SessionRule.allCases) func `names tests that are there`(rule: SessionRule) throws {
        #expect(!rule.witnesses.isEmpty)
        for witness in rule.witnesses {
            let file = Self.folder.appending(path: "\(witness.file).swift")
            let text = try String(contentsOf: file, encoding: .utf8)
            let declaration = try #require(
                text.range(of: "func `\(witness.test)`("), "\(witness.file) has no test `\(witness.test)`")
            let rest = text[declaration.upperBound...]
            let body = rest.range(of: "@Test").map { rest[..<$0.lowerBound] } ?? rest
            // What the test does not say itself, a function of its file does.
            let isOnPCSC = Self.isOnPCSC(body) ?? Self.isOnPCSC(text[...])
            #expect(isOnPCSC == witness.isOnPCSC, "`\(witness.test)`")
        }
    }

    /// By the readers that a piece of a test has started; nil where it starts none.
    private static func isOnPCSC(_ text: Substring) -> Bool? {
        if text.contains("PrivatePCSC(") || text.contains("withReaders") { return true }
        return text.contains("simulatedReaders:") ? false : nil
    }

    @Test func `half of the rules at least are shown on a real pcscd`() {
        let shown = SessionRule.allCases.count { $0.witnesses.contains(where: \.isOnPCSC) }
        #expect(shown * 2 >= SessionRule.allCases.count)
        let tests = Set(SessionRule.allCases.flatMap(\.witnesses))
        print("rules: \(SessionRule.allCases.count), shown by \(tests.count) tests,")
        print("rules shown on a real pcscd: \(shown), by \(tests.count(where: \.isOnPCSC)) tests")
    }
}
