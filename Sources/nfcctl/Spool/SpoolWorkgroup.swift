import ArgumentParser
import FoundationEssentials
import NDEF

/// The option for the workgroup of a desk.
struct SpoolWorkgroupOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The workgroup of this desk and its printers, which is set on the tag (default: the environment's NFCCTL_WORKGROUP).",
            valueName: "text"))
    var workgroup: String?

    /// The variable with the workgroup of a desk.
    private static let variable = "NFCCTL_WORKGROUP"

    /// The workgroup that is given; none where neither is.
    var chosen: SpoolWorkgroup {
        let text = workgroup ?? ProcessInfo.processInfo.environment[Self.variable] ?? ""
        return SpoolWorkgroup(name: text.isEmpty ? nil : text)
    }

    func validate() throws {
        guard let name = chosen.name else { return }
        if OpenPrintTagSection.aux.field(named: SpoolWorkgroup.field)?.value(ofText: name) == nil {
            throw ValidationError("the workgroup \(name.escaped) is longer than 8 bytes")
        }
    }
}

/// The machines that share what the tags of spools say about use. Anyone may have written the aux section of a spool that comes from
/// elsewhere: on a tag of another workgroup it is offered to be emptied, and never emptied unasked (OpenPrintTag, Technical details, 4.1).
struct SpoolWorkgroup: Sendable {
    /// The name; nil if the tags of spools are not to have one.
    var name: String?

    static let field = "workgroup"

    /// The change that sets the name.
    var update: OpenPrintTagUpdate {
        OpenPrintTagUpdate(name.map { [.aux: [Self.field: .set(.text($0))]] } ?? [:])
    }

    /// The record as one of this workgroup: emptied if the person wants that, and with the name.
    func applied(to record: OpenPrintTagRecord) async throws -> OpenPrintTagRecord {
        guard let name, record.aux?[Self.field]?.value != .text(name) else { return record }
        let base = try await isEmptied(record) ? record.emptyingAux() : record
        return try base.applied(update)
    }

    /// Asks whether what a tag of another workgroup says about use is to be removed. Without a terminal it is kept.
    ///
    /// - Throws: `ExitCode`, after printing that nothing was done, for any answer but the two that the question names.
    private func isEmptied(_ record: OpenPrintTagRecord) async throws -> Bool {
        guard let aux = record.aux, !aux.fields.isEmpty else { return false }
        let owner =
            if case .text(let other)? = aux[Self.field]?.value { "the workgroup \(other.escaped)" } else {
                "no workgroup"
            }
        let used = record.consumedWeight.map { "\($0.shortText) g used" } ?? "no valid weight"
        let warning = "The spool is of \(owner), and its aux section, with \(used), may be of anyone."
        guard Terminal.isInput else {
            Terminal.error("nfcctl: warning: \(warning) It was kept; nfcctl spool set --empty-aux empties it.")
            return false
        }
        let question = WordQuestion("\(warning) To start from a full spool, empty it.", [Self.empty, Self.keep])
        guard let answer = try await Interruption().cancelling({ await question.answer() }) ?? nil else {
            Terminal.error("Nothing was done.")
            throw ExitCode.interrupted
        }
        return answer == Self.empty
    }

    /// The answers to the question: anything else writes nothing.
    private static let (empty, keep) = ("empty", "keep")
}
