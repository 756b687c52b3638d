import NDEF
import NFCClient
import NFCProtocol
import NFCTypes

/// The output of a batch: a line for each written tag on standard output, the rest on standard error; or lines of JSON.
struct BatchOutput: Sendable {
    let json: Bool
    let total: Int
    /// Whether the tags are set up by a profile.
    var setsUp = false

    private struct Written: Encodable {
        let number: Int
        let written: Int
        let total: Int
        let locked: Bool
        let hasPassword: Bool
        let message: NDEFMessage
        let profile: String?
        let result: BatchSetUp.Result?
        let keyVersions: [Int]?
        let signature: MakerSignature?
    }

    private struct Skipped: Encodable {
        let reason: String
        let number: Int?
    }

    private struct Failed: Encodable {
        let number: Int?
        let code: Int?
        let message: String
        let detail: String?
    }

    private struct End: Encodable {
        let event = "batch"
        let written: Int
        let total: Int
        let reserved: [Reserved]
        let next: Int?
    }

    private struct Reserved: Encodable {
        let number: Int
        let identifier: HexBytes
    }

    // MARK: Progress

    /// The batch continues where a report ends.
    func resumed(_ plan: BatchPlan) {
        guard !plan.isComplete else { return }
        let next = plan.next.map { "; the next one is number \($0.number)" } ?? ""
        Terminal.error(total == 1 ? "The tag is not \(done) yet." : "\(written(plan)) already\(next).")
    }

    /// The first session is active.
    func began() {
        if !Terminal.showsStatus { Terminal.error("\(invitation) Press Ctrl-C to stop.") }
    }

    private var invitation: String {
        setsUp
            ? "Put one tag after another on the reader, and leave each until its line is printed."
            : "Hold one tag after another to the reader."
    }

    /// The batch waits for a tag.
    func waiting(_ plan: BatchPlan) {
        guard let next = plan.next else { return Terminal.status(Self.waitingForReserved(plan)) }
        let place = "number \(next.number)"
        let request = setsUp ? "Leave a tag for \(place) on the reader" : "Hold a tag for \(place) to the reader"
        Terminal.status("\(request) (\(plan.writtenCount) of \(total) done). Ctrl-C stops.")
    }

    // MARK: Tags

    /// A tag has its row.
    func written(
        _ tag: RemoteTag, _ row: BatchRow, _ message: NDEFMessage, _ settings: BatchRun.Settings,
        _ made: BatchSetUp.Made?, _ plan: BatchPlan, replaced: String?
    ) {
        let hasPassword = settings.setsPassword
        Terminal.clearStatus()
        if json {
            let extra = Written(
                number: row.number, written: plan.writtenCount, total: total, locked: settings.lock,
                hasPassword: hasPassword, message: message, profile: made?.profile, result: made?.result,
                keyVersions: made?.keyVersions, signature: made?.signature)
            return Terminal.print(json: TagEvent(event: "written", tag: tag.facts, extra: extra))
        }
        let content = settings.writesMessages ? ["\(message.records.summary); verified"] : []
        let done =
            (replaced.map { "; it replaced \($0)" } ?? "") + (hasPassword ? "; password set" : "")
            + (settings.lock ? "; locked" : "")
        let text = (content + [made?.text].compactMap(\.self)).joined(separator: "; ")
        Terminal.print(
            "\(plan.writtenCount) of \(total)  UID \(tag.uid)  number \(row.number): \(text)\(done)")
    }

    /// A tag is not to be written.
    func skipped(_ tag: RemoteTag, _ verdict: BatchPlan.Verdict) {
        let (reason, number, sentence): (String, Int?, String) =
            switch verdict {
            case .written(let number):
                ("written", number, "UID \(tag.uid) already has number \(number). Hold another tag to the reader.")
            case .original: ("original", nil, "UID \(tag.uid) is the original. Hold another tag to the reader.")
            case .notIdentifiable:
                (
                    "notIdentifiable", nil,
                    "This tag has no fixed UID (\(tag.uid)), so a batch could write it twice. Write it with nfcctl write."
                )
            case .usable: ("", nil, "")
            }
        report("skipped", tag, Skipped(reason: reason, number: number), sentence)
    }

    /// A tag that is not empty keeps what it holds.
    func notEmpty(_ tag: RemoteTag) {
        report(
            "skipped", tag, Skipped(reason: "notEmpty", number: nil),
            "UID \(tag.uid) is not empty, and was left unchanged. Hold another tag to the reader.")
    }

    /// The tag cannot become one of the profile.
    func cannotSetUp(_ tag: RemoteTag, _ refusal: BatchSetUp.Refusal) {
        report(
            "skipped", tag, Skipped(reason: refusal.rawValue, number: nil),
            "UID \(tag.uid) was left unchanged: \(refusal.sentence)")
    }

    /// The tag has no room for its row.
    func cannotHold(_ tag: RemoteTag, _ row: BatchRow, _ reason: String) {
        report(
            "skipped", tag, Skipped(reason: "tooSmall", number: row.number),
            "UID \(tag.uid) was left unchanged: \(reason). Hold a larger tag for number \(row.number) to the reader.")
    }

    /// The tag has to be formatted for its row, or cannot be.
    ///
    /// - Parameter advice: how, as the second half of a sentence.
    func notFormatted(_ tag: RemoteTag, _ row: BatchRow, _ advice: String) {
        report(
            "skipped", tag, Skipped(reason: "notFormatted", number: row.number),
            "UID \(tag.uid) was left unchanged: it \(Self.inBatch(advice))")
    }

    /// The advice for one tag, for a batch: its options are those of all tags.
    private static func inBatch(_ advice: String) -> String {
        advice.replacing("Add --format to format it first.", with: "Stop, and repeat the command with --format.")
    }

    /// The tag lies on a reader that cannot send a password.
    func cannotSetPassword(_ tag: RemoteTag) {
        report(
            "skipped", tag, Skipped(reason: "passwordUnsupported", number: nil),
            "\(tag.facts.readerName.escaped) cannot send a password. UID \(tag.uid) was not written. Hold it to another reader."
        )
    }

    /// The readers of the session are gone.
    func lostReader(_ end: SessionEnd, _ plan: BatchPlan) {
        Terminal.clearStatus()
        let reason = end.detail.isEmpty ? "the session ended" : end.detail.printable
        Terminal.error("nfcctl: \(reason). The batch waits for the reader (\(plan.writtenCount) of \(total) done).")
    }

    /// All rows that are left belong to other tags.
    func reserved(_ tag: RemoteTag, _ plan: BatchPlan) {
        report(
            "skipped", tag, Skipped(reason: "reserved", number: nil),
            "UID \(tag.uid) was not written. \(Self.waitingForReserved(plan))")
    }

    /// A tag could not be written.
    ///
    /// - Parameter formatAdvice: what has to be done with the tag first, as the second half of a sentence.
    func failed(
        _ tag: RemoteTag, _ error: NFCClientError, row: BatchRow?, _ plan: BatchPlan, advice formatAdvice: String?
    ) {
        let isReserved = plan.reserved.contains { $0.tag == tag.identifier }
        let advice =
            isReserved
            ? "It may hold number \(row?.number ?? 0), which is kept for it. Hold it to the reader again."
            : "Nothing was written to it. "
                + (formatAdvice.map { "It \(Self.inBatch($0))" } ?? error.passwordAdvice
                    ?? "Hold it again, or another one.")
        let extra = Failed(
            number: row?.number, code: error.nfcCode?.rawValue, message: "\(error)", detail: error.detail)
        report("failed", tag, extra, "UID \(tag.uid): \("\(error)".printable). \(advice)")
    }

    private func report(_ event: String, _ tag: RemoteTag, _ extra: some Encodable, _ sentence: String) {
        Terminal.clearStatus()
        Terminal.error(sentence)
        if json { Terminal.print(json: TagEvent(event: event, tag: tag.facts, extra: extra)) }
    }

    // MARK: The end

    private var done: String { setsUp ? "set up" : "written" }

    /// How many tags are written.
    private func written(_ plan: BatchPlan) -> String {
        guard total == 1 else { return "\(plan.writtenCount) of \(total) tags are \(done)" }
        return plan.isComplete ? "The tag is \(done)" : "The tag is not \(done)"
    }

    /// All rows are written.
    func complete(_ plan: BatchPlan) {
        end(plan, total == 1 ? "\(written(plan))." : "All \(total) tags are \(done).")
    }

    /// Ctrl-C.
    func stopped(_ plan: BatchPlan) {
        let doubts = plan.reserved.map {
            " Number \($0.row.number) may be on UID \(HexDump.pairs($0.tag, separator: ":")), which was removed too early."
        }
        end(plan, "Stopped: \(written(plan)).\(doubts.joined()) Run the same command with the same report to continue.")
    }

    /// An operator cancelled the session.
    func cancelled(_ end: SessionEnd, _ plan: BatchPlan) {
        self.end(
            plan,
            "nfcctl: the session was cancelled: \(end.detail.escaped). \(written(plan)).")
    }

    private func end(_ plan: BatchPlan, _ sentence: String) {
        Terminal.error(sentence)
        guard json else { return }
        let reserved = plan.reserved.map { Reserved(number: $0.row.number, identifier: HexBytes($0.tag)) }
        Terminal.print(
            json: End(written: plan.writtenCount, total: total, reserved: reserved, next: plan.next?.number))
    }

    private static func waitingForReserved(_ plan: BatchPlan) -> String {
        let tags = plan.reserved.map { "UID \(HexDump.pairs($0.tag, separator: ":")) (number \($0.row.number))" }
        return
            "These tags were removed too early: \(tags.joined(separator: ", ")). Hold them to the reader again."
    }
}

extension RemoteTag {
    /// The UID as text.
    fileprivate var uid: String { TagSummary(facts).uid }
}
