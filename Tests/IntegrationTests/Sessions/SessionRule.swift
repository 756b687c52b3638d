import Foundation
import Testing

/// The rules for the life cycle of a session, one case for each row of the table. The tests that verify a rule over the real
/// socket are listed in ``witnesses``; a case without an entry does not compile.
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

    /// A test that verifies a rule.
    struct Witness: Hashable {
        /// The file in `Tests/IntegrationTests`.
        let file: String
        let test: String
        /// Whether it uses a real pcscd, with vpcd readers.
        let isOnPCSC: Bool
    }

    /// The tests that verify the parts of the rule.
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
                    "queued sessions become active in order, or end with 203 after the time limit"),
                .simulated("Sessions/SimulatorTests", "a queued scan becomes active when the first one has ended"),
            ]
        case .noReaderOrNoService:
            [
                .pcsc("Sessions/SessionRuleTests", "a session without any possible reader ends with 1"),
                .pcsc(
                    "Sessions/SessionRuleTests",
                    "without a reader a session ends with 1, and a waiting session gets a new reader"),
                .pcsc(
                    "Sessions/SessionRuleTests",
                    "without the service a session ends with 6, and a waiting session gets a new reader"),
            ]
        case .notEntitled:
            [
                .pcsc("Sessions/SessionRuleTests", "a session with a format that is not granted ends with 2"),
                .pcsc("Sessions/SessionRuleTests", "a command without the required capability fails with 2"),
                .pcsc("Sessions/SessionRuleTests", "a session with an application that is not granted ends with 2"),
                .pcsc("Sessions/SessionRuleTests", "only a listed application can be selected"),
                .simulated("Daemon/AccessTests", "a session that is not permitted ends with 2 before it is active"),
            ]
        case .timeIsOver:
            [
                .pcsc(
                    "Sessions/PCSCTests", "a tag that stays on the reader is one event, also when pcscd powers it down"),
                .simulated("Sessions/SimulatorTests", "a session ends with 201 when the time limit is reached"),
            ]
        case .endedByClientOrOperator:
            [
                .pcsc("Sessions/SessionEndingTests", "an operator ends a session with 200 and a message"),
                .simulated("CommandLine/MonitorTests", "sessions are listed and cancelled"),
                .simulated("Sessions/SimulatorTests", "Ctrl-C ends the session with 200 and releases the reader"),
            ]
        case .endedUnexpectedly:
            // Suspending the system cannot be tested here.
            [
                .pcsc(
                    "Sessions/SessionEndingTests",
                    "disconnecting a client ends its session with 202 and releases the reader"),
                .pcsc(
                    "Sessions/PCSCTests",
                    "killing pcscd ends the session with 202, and a restarted pcscd is used again"),
                .pcsc(
                    "Sessions/SessionEndingTests",
                    "stopping the daemon ends all sessions with 202, including queued ones"),
                .simulated("Sessions/SimulatorTests", "killing the daemon ends a scan with 202"),
            ]
        case .firstMessageRead:
            [.pcsc("Sessions/SessionRuleTests", "a session with invalidateAfterFirstRead ends with the first message")]
        case .tagArrives:
            [
                .pcsc("Sessions/PCSCTests", "two taps are two events, and a tag that stays on the reader is one"),
                .pcsc("Sessions/PCSCTests", "a tag that is already present is detected when a session begins"),
            ]
        case .tagLeaves, .pollingRestarted, .commandWithoutTag:
            [
                .pcsc(
                    "Sessions/SessionRuleTests",
                    "a tag accepts commands while it is present and connected, and its session is active")
            ]
        case .severalTags:
            [.pcsc("Sessions/SessionRuleTests", "tags on two readers are reported in one array")]
        case .tagAnswersNonsense:
            [
                .pcsc("Sessions/PCSCTests", "invalid cards are reported as errors, and the next tag is read"),
                .pcsc("Sessions/TagErrorTests", "an invalid answer is reported as 102, with the answer"),
            ]
        case .tagCannotBeWritten:
            [
                .pcsc("Sessions/SessionRuleTests", "a rejected write does not change the tag"),
                .pcsc("Sessions/TagErrorTests", "a failed write is reported as 401, and the tag has the old message"),
                .pcsc("Sessions/TagErrorTests", "is never written to again"),
            ]
        case .nothingAfterTheEnd:
            [.pcsc("Sessions/SessionEndingTests", "no notification follows the end of a session")]
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

/// The tests in the table exist, and enough of them use a real pcscd.
@Suite struct `The table of session rules` {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

    @Test(arguments: SessionRule.allCases) func `lists existing tests`(rule: SessionRule) throws {
        #expect(!rule.witnesses.isEmpty)
        for witness in rule.witnesses {
            let file = Self.folder.appending(path: "\(witness.file).swift")
            let text = try String(contentsOf: file, encoding: .utf8)
            let declaration = try #require(
                text.range(of: "func `\(witness.test)`("), "\(witness.file) has no test `\(witness.test)`")
            let rest = text[declaration.upperBound...]
            let body = rest.range(of: "@Test").map { rest[..<$0.lowerBound] } ?? rest
            // A test may use a helper function of its file.
            let isOnPCSC = Self.isOnPCSC(body) ?? Self.isOnPCSC(text[...])
            #expect(isOnPCSC == witness.isOnPCSC, "`\(witness.test)`")
        }
    }

    /// Whether a part of a test starts readers of a real pcscd; nil if it starts no readers.
    private static func isOnPCSC(_ text: Substring) -> Bool? {
        if text.contains("PrivatePCSC(") || text.contains("withReaders") { return true }
        return text.contains("simulatedReaders:") ? false : nil
    }

    @Test func `at least half of the rules are verified with a real pcscd`() {
        let shown = SessionRule.allCases.count { $0.witnesses.contains(where: \.isOnPCSC) }
        #expect(shown * 2 >= SessionRule.allCases.count)
        let tests = Set(SessionRule.allCases.flatMap(\.witnesses))
        print("rules: \(SessionRule.allCases.count), shown by \(tests.count) tests,")
        print("rules shown on a real pcscd: \(shown), by \(tests.count(where: \.isOnPCSC)) tests")
    }
}
