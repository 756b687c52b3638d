import ArgumentParser
import FoundationEssentials
import NDEF
import NFCProtocol

/// The options for the rows of a batch.
struct BatchOptions: ParsableArguments {
    @Flag(
        help: "Write one tag after another, each with its own row; needs --report and --count, --csv or --json-lines.")
    var each = false

    @Option(help: ArgumentHelp("The number of tags.", valueName: "n"))
    var count: Int?

    @Option(help: ArgumentHelp("The number {n} of the first row (default: 1).", valueName: "n"))
    var from: Int?

    @Option(
        help: ArgumentHelp(
            "One row for each line of this CSV file; its first line has the names of the columns. Without a byte order mark it is UTF-8, unless --encoding names another encoding.",
            valueName: "file"),
        completion: .file(extensions: ["csv"]))
    var csv: String?

    @Option(
        help: ArgumentHelp(
            "The delimiter of the CSV file, such as ';' or tab (default: detected in its first line).",
            valueName: "character"))
    var delimiter: String?

    @Option(
        help: ArgumentHelp(
            "One row for each line of this file: a message in the JSON form, an object with uri and text, or one with values.",
            valueName: "file"),
        completion: .file())
    var jsonLines: String?

    @Option(
        help: ArgumentHelp(
            "The message in the JSON form, with placeholders in its texts, instead of options for records.",
            valueName: "file"),
        completion: .file(extensions: ["json"]))
    var template: String?

    @Flag(help: "Print the rows and check them; nfcd, a reader and --report are not needed, and nothing is written.")
    var dryRun = false

    @Flag(help: "Write only to tags without a message; others are named and left unchanged.")
    var onlyEmpty = false

    @Option(
        help: ArgumentHelp(
            "Protect each tag with the password in this column of the table, which the report leaves out.",
            valueName: "column"))
    var setPasswordColumn: String?

    @OptionGroup var setUp: BatchSetUpOptions
    @OptionGroup var end: BatchEndOptions

    func validate() throws {
        guard each else {
            if let option = optionOfBatch { throw ValidationError("\(option) is for batches; add --each") }
            return
        }
        if end.report == nil, !dryRun {
            throw ValidationError("--each needs --report FILE, which makes the batch resumable")
        }
        if [count != nil, csv != nil, jsonLines != nil].count(where: { $0 }) != 1 {
            throw ValidationError("--each needs one of --count N, --csv FILE and --json-lines FILE")
        }
        try validateDelimiter(delimiter, csv: csv)
        if setPasswordColumn != nil, end.setPasswordFile != nil {
            throw ValidationError("--set-password-column and --set-password-file cannot be combined; give one of them")
        }
        if setUp.profile != nil, onlyEmpty || end.lock || end.setPasswordFile != nil || setPasswordColumn != nil {
            throw ValidationError(
                "--profile determines what protects the tags; leave out --only-empty, --lock and passwords")
        }
        if setPasswordColumn != nil, count != nil {
            throw ValidationError("--set-password-column is for --csv and --json-lines, which have columns")
        }
        try validateCount(count)
        if let from, !(0...BatchLimits.number).contains(from) {
            throw ValidationError("--from must be from 0 to \(BatchLimits.number)")
        }
    }

    private var optionOfBatch: String? {
        let given = [
            ("--count", count != nil), ("--from", from != nil), ("--csv", csv != nil),
            ("--delimiter", delimiter != nil),
            ("--json-lines", jsonLines != nil), ("--template", template != nil), ("--dry-run", dryRun),
            ("--only-empty", onlyEmpty),
            ("--set-password-column", setPasswordColumn != nil), ("--report", end.report != nil),
            ("--profile", setUp.profile != nil),
            ("--lock", end.lock), ("--set-password-file", end.setPasswordFile != nil), ("--yes", end.yes),
        ]
        return given.first { $0.1 }?.0
    }
}

/// What happens with each tag of a batch after it was written.
struct BatchEndOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Append a line for each tag to this CSV file; a batch that was interrupted continues where it ends.",
            valueName: "file"),
        completion: .file(extensions: ["csv"]))
    var report: String?

    @Flag(help: "Make each tag permanently read-only after it was written and verified.")
    var lock = false

    @Flag(help: "Do not ask for confirmation of --lock.")
    var yes = false

    @Option(
        help: ArgumentHelp(
            "Protect each tag with the password in this file after it was written, as nfcctl password set does.",
            valueName: "file"),
        completion: .file())
    var setPasswordFile: String?

    /// What is done with each tag.
    ///
    /// - Throws: `ExitCode`, after printing the reason.
    func settings(_ options: TagOptions, _ preparation: TagPreparation) throws -> BatchRun.Settings {
        BatchRun.Settings(
            preparation: preparation, lock: lock, newPassword: try setPasswordFile.map(NewPassword.read(from:)),
            passwords: try options.password.read(), json: options.json)
    }

    /// Asks whether tags are to be locked, if they are.
    ///
    /// - Parameter count: the number of tags.
    /// - Throws: `ExitCode`, unless the answer is yes.
    func confirm(count: Int) async throws {
        guard lock, !yes else { return }
        let confirmation = Self.confirmation("\(counted(count, "tag")) will become permanently read-only.")
        if try await Interruption().cancelling({ await confirmation.isGiven() }) == true { return }
        Terminal.error("Nothing was done.")
        throw ExitCode.interrupted
    }

    func validate() throws {
        try validateReport(report)
        if lock { try Self.confirmation("").validate(isGiven: yes) }
    }

    private static func confirmation(_ warning: String) -> Confirmation {
        Confirmation(of: "locking", warning: warning, word: "lock")
    }
}

/// The limits of a batch.
enum BatchLimits {
    /// The most rows.
    static let rows = 100_000
    /// The largest number of a row.
    static let number = 999_999_999_999
    /// The largest file with rows, in bytes.
    static let file = 64 * 1_048_576
}

/// Checks the delimiter of a table.
func validateDelimiter(_ delimiter: String?, csv: String?) throws {
    guard let delimiter else { return }
    if csv == nil { throw ValidationError("--delimiter is for --csv") }
    if TableDialect.delimiter(named: delimiter) == nil {
        throw ValidationError("--delimiter takes one character, such as ';', or tab")
    }
}

/// Checks where the report of a batch is.
func validateReport(_ report: String?) throws {
    if report == "-" { throw ValidationError("--report takes a file, which the next run reads") }
}

/// Checks the number of tags of a batch.
func validateCount(_ count: Int?) throws {
    if let count, !(1...BatchLimits.rows).contains(count) {
        throw ValidationError("--count must be from 1 to \(BatchLimits.rows)")
    }
}
