import NFCClient
import NFCProtocol
import NFCTypes
import Synchronization

/// A task with one tag that is set up, or was: waits for the tag, does the task and prints what came of it.
struct PersonalisationRun: Sendable {
    let task: PersonalisationTask
    let options: PersonalisationOptions
    var isDryRun = false
    var permanent: [PermanentSetting] = []
    var overwritesMessage = false
    var requiresSignature = false
    var credential: [UInt8]?
    var keepsCardKey = false
    var forgetsRecord = false

    private var requirements: [Requirement] {
        [TagPersonalise.requirement] + (permanent.isEmpty ? [] : [.capability(.personalisePermanently)])
    }

    /// Does the task with the next tag.
    ///
    /// - Parameter confirmation: the question before the tag is changed, if there is one.
    /// - Throws: `ExitCode`, after printing the reason.
    func run(confirmation: Confirmation? = nil) async throws {
        let operation = TagOperation(session: options.session, json: options.json, requires: requirements)
        var confirming: (@Sendable (RemoteTag) async -> Bool)?
        if let confirmation, !isDryRun { confirming = confirmation.isGiven(for:) }
        try await operation.run(confirming: confirming) { tag in
            do {
                PersonalisationReport(task: task, tag: tag).print(try await result(tag), json: options.json)
            } catch let error as NFCClientError where error.nfcCode == .unsupportedFeature && task == .resume {
                guard let complete = await complete(tag) else { throw error }
                PersonalisationReport(task: task, tag: tag).print(complete: complete, json: options.json)
            }
        }
    }

    /// How far a tag is of which nothing can be resumed, if it is as a set-up leaves it: that is what a resume is for.
    private func complete(_ tag: RemoteTag) async -> TagQueryPersonalisation.Result? {
        let found = try? await tag.queryPersonalisation(profile: options.profile, identifier: options.identifier)
        return found?.state == .current ? found : nil
    }

    private func result(_ tag: RemoteTag) async throws -> TagPersonalise.Result {
        let step = PersonalisationSteps()
        return try await ConnectionWatch.shared.changingTag(ifEnded: { step.note }) {
            defer { Terminal.clearStatus() }
            return try await tag.personalise(
                task, profile: options.profile, dryRun: isDryRun ? true : nil,
                permanent: permanent.isEmpty ? nil : permanent, overwriteMessage: overwritesMessage ? true : nil,
                requireSignature: requiresSignature ? true : nil, identifier: options.identifier,
                credential: credential, keepCardKey: keepsCardKey ? true : nil, forgetRecord: forgetsRecord ? true : nil
            ) { step.began($0, of: $1, task.activity) }
        }
    }
}

/// How far a task with a tag is.
final class PersonalisationSteps: Sendable {
    private let state = Mutex((done: 0, total: 0))

    /// A step begins.
    ///
    /// - Parameter done: the number of steps before it.
    func began(_ done: Int, of total: Int, _ activity: String) {
        state.withLock { $0 = (done, total) }
        Terminal.status("\(activity): step \(min(done + 1, total)) of \(total). Leave the tag on the reader.")
    }

    /// What became of the tag if the program ends now, and what to do.
    var note: String {
        let (done, total) = state.withLock { $0 }
        let place = total == 0 ? "" : " at step \(min(done + 1, total)) of \(total)"
        return
            "ended\(place). No key is lost, and nfcd finishes what it began if the tag stays. Run 'nfcctl secure status', which says whether to resume."
    }
}

extension PersonalisationTask {
    /// What is done, for the status line.
    var activity: String {
        switch self {
        case .setUp: "Setting up"
        case .rotate: "Changing keys"
        case .reset: "Resetting"
        case .resume: "Resuming"
        case .verify: "Verifying"
        }
    }

    /// What was done, as the beginning of a sentence.
    fileprivate var done: String {
        switch self {
        case .setUp: "Set up"
        case .rotate: "Gave the current keys to"
        case .reset: "Reset"
        case .resume: "Finished"
        case .verify: "Verified"
        }
    }

    /// What to do next.
    fileprivate var next: String? {
        switch self {
        case .setUp, .resume: "Lift the tag, and try it: nfcctl scan"
        case .reset: "The tag has the keys that everyone knows, and proves nothing."
        case .rotate, .verify: nil
        }
    }
}

/// The output of a task with a tag.
struct PersonalisationReport {
    let task: PersonalisationTask
    let tag: RemoteTag

    private struct Line: Encodable {
        private enum CodingKeys: String, CodingKey {
            case task
        }

        let task: PersonalisationTask
        let result: TagPersonalise.Result

        func encode(to encoder: any Encoder) throws {
            var object = encoder.container(keyedBy: CodingKeys.self)
            try object.encode(task, forKey: .task)
            try result.encode(to: encoder)
        }
    }

    /// Prints the result.
    func print(_ result: TagPersonalise.Result, json: Bool) {
        guard !json else {
            let event = result.dryRun ? "plan" : "personalised"
            return Terminal.print(json: TagEvent(event: event, tag: tag.facts, extra: Line(task: task, result: result)))
        }
        for line in result.dryRun ? plan(result) : lines(result) { Terminal.print(line) }
    }

    /// Prints that there is nothing to resume; as JSON, the object of `nfcctl secure status`.
    func print(complete found: TagQueryPersonalisation.Result, json: Bool) {
        guard !json else {
            return Terminal.print(json: TagEvent(event: "personalisation", tag: tag.facts, extra: found))
        }
        Terminal.print("Nothing to resume: \(tag.summary) is complete.")
        for line in TextTable(rows: SecureStatusCommand.rows(found)).lines() { Terminal.print("  \(line)") }
    }

    private func plan(_ result: TagPersonalise.Result) -> [String] {
        let steps = result.steps.enumerated().map { "  \($0.offset + 1)  \($0.element.printable)" }
        let head = "\(counted(steps.count, "step")) with \(tag.summary):"
        return [head] + steps + ["Nothing was changed."] + lines(of: result)
    }

    private func lines(_ result: TagPersonalise.Result) -> [String] {
        let next = result.keyVersions.allSatisfy { $0 == 0 } ? PersonalisationTask.reset.next : task.next
        return ["\(task.done) \(tag.summary)"] + lines(of: result) + (next.map { [$0] } ?? [])
    }

    private func lines(of result: TagPersonalise.Result) -> [String] {
        var facts = PersonalisationFacts(
            identifier: result.identifier, profile: result.profile, signature: result.signature
        ).rows
        facts.append(["keys", result.keyVersions.keyText])
        if let credential = result.credential { facts.append(["credential", "\(credential)"]) }
        if let counter = result.counter { facts.append(["counter", "\(counter) was read and is used"]) }
        let lines = TextTable(rows: facts).lines().map { "  \($0)" } + result.remarks.map { $0.printable.sentence }
        guard let refused = result.refusedThrough else { return lines }
        return lines + [
            "nfcd refuses the messages of this tag up to counter \(refused), which it saw before the tag was reset. Make new keys with nfcctl keys rotate, and give them to the tag with nfcctl secure rotate."
        ]
    }
}

/// What every command shows of a tag that is set up.
struct PersonalisationFacts {
    let identifier: HexBytes
    let profile: String
    let signature: MakerSignature

    /// Names and values.
    var rows: [[String]] {
        [
            ["UID", HexDump.pairs(identifier.bytes, separator: ":")], ["profile", profile.escaped],
            ["signature", signature.words],
        ]
    }
}

extension String {
    /// A remark of nfcd as a line, which begins with a capital letter.
    var sentence: String { (first?.uppercased() ?? "") + dropFirst() }
}

extension MakerSignature {
    /// The result in words. Capitals are for what may be an attack.
    var words: String {
        switch self {
        case .genuine: "genuine"
        case .wrong: "WRONG: it is not the maker's signature of this UID"
        case .missing: "none"
        }
    }
}

extension [Int] {
    /// The versions of the keys of a tag, from key 0 on.
    var keyText: String {
        guard let first else { return "none" }
        guard contains(where: { $0 != first }) else {
            return first == 0 ? "as delivered" : "version \(first)"
        }
        return enumerated().map { "\($0.offset): version \($0.element)" }.joined(separator: ", ")
    }
}
