import ArgumentParser
import NDEF
import NFCClient
import NFCProtocol
import NFCTypes

/// `nfcctl password`: the password of a tag.
struct PasswordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "password",
        abstract: "Set, change or remove the password of the next tag.",
        discussion: """
            For NTAG21x and MIFARE Ultralight EV1, on a reader that supports raw commands, and for ICODE SLIX2, on one \
            that sends ISO 15693 requests. The password is 4 bytes in \
            hexadecimal and protects the pages from one on to the end. It is transmitted unencrypted: it keeps people \
            from changing a tag by accident or for fun, and protects no secret. It proves nothing: a copy of the tag takes the \
            same password. To recognise a tag that must not be copied, use one with a key (NTAG 424 DNA, DESFire) and \
            nfcctl keys.
            A MIFARE Ultralight AES has an AES key instead of the password: give its 16 bytes in the same options. \
            The key is transmitted only when it is set.
            An ICODE SLIX2 has several passwords: --kind names the new one, and --tag-password-file KIND=FILE one that it \
            has. After a wrong one it answers nothing until it is reset, which nfcd does.

            Examples:
              nfcctl password set --new-password-file door.key
              nfcctl password set --new-password-file spool.key --before-page aux
              nfcctl write --uri https://example.com --tag-password-file door.key
              nfcctl password remove --tag-password-file door.key
            """,
        subcommands: [SetPasswordCommand.self, ChangePasswordCommand.self, RemovePasswordCommand.self])
}

/// The options for a new password.
struct NewPassword: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The new password in hexadecimal: 4 bytes, or an AES key of 16; visible in the process list.",
            valueName: "hex"))
    var newPassword: String?

    @Option(
        help: ArgumentHelp("Read the new password from this file; - is standard input.", valueName: "file"),
        completion: .file())
    var newPasswordFile: String?

    @Option(
        help: ArgumentHelp("What the tag answers to the password (PACK), 2 bytes; 0000 by default.", valueName: "hex"))
    var pack: String?

    @Option(help: ArgumentHelp("The first page that needs the password.", valueName: "page"))
    var fromPage: Int?

    @Option(
        help: ArgumentHelp(
            "ICODE SLIX2: the first page that does not need the password; aux for the first one of what a printer changes on an OpenPrintTag.",
            valueName: "page"))
    var beforePage: PageOption?

    @Option(
        help: ArgumentHelp(
            "ICODE SLIX2: which of its passwords; write by default, and read with --protect read-write.",
            valueName: "kind"))
    var kind: PasswordKindOption?

    @Option(help: ArgumentHelp("Whether the password is needed to write, or to read as well.", valueName: "what"))
    var protect: PasswordScopeOption?

    @Option(
        help: ArgumentHelp(
            "Close the protected pages permanently after so many wrong passwords, 1 to 7, or keys, 1 to 1023; 0 for no limit.",
            valueName: "n"))
    var attempts: Int?

    func validate() throws {
        switch (newPassword, newPasswordFile) {
        case (nil, nil): throw ValidationError("no new password given; give it with --new-password-file")
        case (.some, .some):
            throw ValidationError("--new-password and --new-password-file cannot be combined; give one of them")
        default: break
        }
        let size = newPassword.map { HexBytes(typed: $0)?.bytes.count ?? 0 }
        if let size, !Self.sizes.contains(size) {
            throw ValidationError("--new-password requires 4 bytes in hexadecimal, or 16 for an AES key")
        }
        if let pack, HexBytes(typed: pack)?.bytes.count != 2 {
            throw ValidationError("--pack requires 2 bytes in hexadecimal")
        }
        let limit = size == 4 ? 7 : 1023
        if let attempts, !(0...limit ~= attempts) {
            throw ValidationError("--attempts requires a number from 0 to \(limit)")
        }
        if let fromPage, !(0...255 ~= fromPage) { throw ValidationError("--from-page requires a number from 0 to 255") }
        if beforePage != nil, fromPage != nil {
            throw ValidationError("--before-page and --from-page cannot be combined; give one of them")
        }
    }

    /// The bytes of a password, and of an AES key.
    private static let sizes = [4, 16]

    /// The arguments of `tag.setPassword`.
    ///
    /// - Throws: `ExitCode`, after printing the reason.
    func arguments() throws -> TagPassword {
        let typed = newPassword.flatMap { HexBytes(typed: $0) }
        guard let password = try typed ?? newPasswordFile.map(Self.read(from:)) else {
            throw ValidationError("no new password given; give it with --new-password-file")
        }
        return TagPassword(
            password: password, pack: pack.flatMap { HexBytes(typed: $0) }, firstPage: fromPage,
            protects: protect?.scope, attempts: attempts, kind: kind?.kind)
    }

    /// What the tag no longer does without the password, where it is needed to read and no border is given; nil otherwise.
    var scopeWarning: String? {
        guard kind == .read || protect == .readWrite, fromPage == nil, beforePage == nil else { return nil }
        return
            "Without the password, nothing on the tag can be read; --before-page or --from-page leaves pages open."
    }

    /// The first page that does not need the password.
    ///
    /// - Throws: `ExitCode` 65, after printing the reason, if it is that of an aux section that the tag does not have.
    func endPage(on tag: RemoteTag) async throws -> Int? {
        switch beforePage {
        case nil: nil
        case .number(let page): page
        case .aux: try await AuxSection.page(on: tag)
        }
    }

    /// A new password from a file.
    ///
    /// - Throws: `ExitCode`, after printing the reason: 66 if the file cannot be read, 65 if it contains no password of 4
    ///   bytes and no key of 16.
    static func read(from path: String) throws -> HexBytes {
        let password = try TagPasswordOptions.read(from: path)
        guard sizes.contains(password.bytes.count) else {
            Terminal.error(
                "nfcctl: the new password must have 4 bytes, or 16 for an AES key; this one has \(password.bytes.count)"
            )
            throw ExitCode.badData
        }
        return password
    }
}

/// The values of `--protect`.
enum PasswordScopeOption: String, CaseIterable, ExpressibleByArgument {
    case write
    case readWrite = "read-write"

    var scope: PasswordScope { self == .write ? .write : .readWrite }
}

/// A value of `--before-page`.
enum PageOption: ExpressibleByArgument {
    case number(Int)
    /// The first page of the aux section of an OpenPrintTag.
    case aux

    init?(argument: String) {
        if argument == "aux" {
            self = .aux
        } else if let number = Int(argument), 1...255 ~= number {
            self = .number(number)
        } else {
            return nil
        }
    }
}

/// The section of an OpenPrintTag that printers change.
private enum AuxSection {
    /// The page that it begins with.
    ///
    /// - Throws: `ExitCode` 65, after printing the reason.
    static func page(on tag: RemoteTag) async throws -> Int {
        let payload = try await payload(of: tag)
        var warnings: [NDEFWarning.Code] = []
        guard let payload, let record = try? OpenPrintTagRecord(payload: payload, warnings: &warnings),
            let aux = record.region(.aux)
        else { throw refusal("\(tag.summary) holds no OpenPrintTag with an aux section") }
        let dump = try await tag.showingProgress("Reading") { try await tag.dump(progress: $0) }
        let memory = dump.sections.flatMap(\.blocks).flatMap { $0.bytes?.bytes ?? [] }
        let places = memory.ranges(of: payload)
        guard let start = places.first?.lowerBound, places.count == 1 else {
            throw refusal("the record of \(tag.summary) was not found in its memory")
        }
        let offset = start + aux.offset
        guard offset.isMultiple(of: dump.blockSize) else {
            throw refusal(
                "the aux section of \(tag.summary) begins at byte \(offset), which is not the beginning of a page")
        }
        return offset / dump.blockSize
    }

    private static func payload(of tag: RemoteTag) async throws -> [UInt8]? {
        try await tag.readNDEF().message.records.lazy.compactMap { record in
            if case .openPrintTag(let found) = record.decoded { found.payload } else { nil }
        }.first
    }

    private static func refusal(_ reason: String) -> ExitCode {
        Terminal.error("nfcctl: \(reason). Nothing was changed. Give the page as a number.")
        return .badData
    }
}

extension AsyncParsableCommand {
    /// Sets a password on the next tag.
    ///
    /// - Parameter isChange: whether the tag has a password that is replaced; what is not given stays unchanged then.
    fileprivate func setPassword(
        _ new: NewPassword, _ options: TagOptions, yes: Bool, isChange: Bool
    ) async throws {
        let (arguments, json) = (try new.arguments(), options.json)
        var operation = TagOperation(
            options: options, requires: TagSetPassword.requirement,
            options.password.isGiven ? TagAuthenticate.requirement : .nothing)
        operation.advice = { error in error.interruptedPasswordAdvice ?? (isChange ? nil : error.changeAdvice) }
        let scope = isChange ? nil : new.scopeWarning
        if yes, let scope { Terminal.error("Warning: \(scope)") }
        let confirmation = PasswordQuestion.confirmation(attempts: arguments.attempts, scope: scope)
        try await operation.run(confirming: yes ? nil : confirmation.isGiven(for:)) { tag in
            let result = try await tag.setPassword(
                arguments.password.bytes, pack: arguments.pack?.bytes, firstPage: arguments.firstPage,
                protects: arguments.protects, attempts: arguments.attempts, endPage: try await new.endPage(on: tag),
                kind: arguments.kind)
            if json {
                Terminal.print(json: TagEvent(event: "passwordSet", tag: tag.facts, extra: result))
            } else {
                Terminal.print("Set the password of \(tag.summary); \(result.summary)")
                for line in PasswordNote.lines(result, size: arguments.password.bytes.count) { Terminal.print(line) }
            }
        }
    }
}

/// What a password does not do, for the person who has just set one.
private enum PasswordNote {
    /// - Parameter size: 4 for a password, 16 for an AES key.
    static func lines(_ result: TagProtection, size: Int) -> [String] {
        guard result.endPage != result.firstPage else { return [] }
        let lines: [String?] = [
            text(size: size),
            result.protects == .readWrite
                ? "Without it these pages cannot be read: nfcctl read takes it with --tag-password-file." : nil,
            result.kind == nil
                ? nil
                : "Where nfcctl config --lock bothPasswords was set, these pages need read and write password together; the chip does not report that.",
        ]
        return lines.compactMap(\.self)
    }

    /// - Parameter size: 4 for a password, 16 for an AES key.
    private static func text(size: Int) -> String {
        size == 4
            ? "It keeps people from changing the tag. It proves nothing: a copy of the tag takes the same password."
            : "It keeps people from changing the tag. It proves nothing: nfcd does not ask this kind of tag for a proof."
    }
}

/// What is asked before a password is set.
private enum PasswordQuestion {
    /// - Parameter scope: what the tag no longer does without the password.
    static func confirmation(attempts: Int?, scope: String? = nil) -> Confirmation {
        let limit =
            (attempts ?? 0) == 0
            ? "" : " \(attempts ?? 0) wrong passwords in a row will close its protected pages permanently."
        return Confirmation(
            of: "setting a password that gets lost",
            warning:
                "It can then be changed with the password alone, which cannot be recovered.\(limit)\(scope.map { " \($0)" } ?? "")",
            word: "set")
    }
}

extension TagProtection {
    fileprivate var summary: String {
        let limit = attempts == 0 ? "" : ", at most \(attempts) wrong ones"
        let scope = protects == .write ? "to write" : "to read and write"
        guard let kind, let endPage else { return "it is needed from page \(firstPage) on, \(scope)\(limit)" }
        return endPage > firstPage
            ? "its \(kind.words) is needed for pages \(firstPage) to \(endPage - 1), \(scope)"
            : "its \(kind.words) protects no pages"
    }
}

extension PasswordKind {
    var words: String { self == .easAFI ? "EAS/AFI password" : "\(rawValue) password" }
}

/// `nfcctl password set`: protects a tag.
struct SetPasswordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Protect the next tag with a password.",
        discussion: """
            By default, writing from page 4 on needs the password. With --from-page 2 the lock bytes need the password \
            too, so that only you can make the tag read-only. If the tag is removed too early, the error reports \
            whether it has the password. \
            The pages of an ICODE SLIX2 are its blocks. By default its password is needed to write all of them; with \
            --before-page only those in front of a page, as OpenPrintTag advises: a printer can still write the rest. \
            A password that is lost cannot be removed: it asks for confirmation, unless --yes is given.

            Examples:
              nfcctl password set --new-password-file door.key
              nfcctl password set --new-password-file door.key --from-page 2 --yes
              nfcctl password set --new-password-file door.key --protect read-write \\
                --attempts 5
              nfcctl password set --new-password-file spool.key --before-page aux
              nfcctl password set --new-password-file spool.key --kind destroy
            """)

    @OptionGroup var new: NewPassword

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    @OptionGroup var options: TagOptions

    func validate() throws { try PasswordQuestion.confirmation(attempts: nil).validate(isGiven: yes) }

    func run() async throws { try await setPassword(new, options, yes: yes, isChange: false) }
}

/// `nfcctl password change`: changes the password of a tag.
struct ChangePasswordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "change",
        abstract: "Change the password of the next tag, or what it protects.",
        discussion: """
            What is not given stays unchanged. With --kind, --tag-password-file has the present password of that kind. If \
            the tag is removed too early, it has the old password, none, or the new one; the error reports which. It asks \
            for confirmation, unless --yes is given.

            Examples:
              nfcctl password change --tag-password-file door.key \\
                --new-password-file new.key --yes
              nfcctl password change --tag-password-file hide.key \\
                --new-password-file new.key --kind privacy
            """)

    @OptionGroup var new: NewPassword

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    @OptionGroup var options: TagOptions

    func validate() throws {
        if !options.password.isGiven {
            throw ValidationError("the present password is missing; give it with --tag-password-file")
        }
        try PasswordQuestion.confirmation(attempts: nil).validate(isGiven: yes)
    }

    func run() async throws {
        var options = options
        // The present password is of the kind that is changed, unless it is named.
        if let kind = new.kind { options.password = options.password.naming(kind) }
        try await setPassword(new, options, yes: yes, isChange: true)
    }
}

/// `nfcctl password remove`: removes the password of a tag.
struct RemovePasswordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove the password of the next tag.",
        discussion: """
            Afterwards no page needs a password, and wrong ones are not counted. Of an ICODE SLIX2, give each password that \
            pages need.

            Examples:
              nfcctl password remove --tag-password-file door.key
              nfcctl password remove --tag-password-file read=read.key \\
                --tag-password-file write=write.key
            """)

    @OptionGroup var options: TagOptions

    func run() async throws {
        let json = options.json
        var operation = TagOperation(
            options: options, requires: TagRemovePassword.requirement,
            options.password.isGiven ? TagAuthenticate.requirement : .nothing)
        operation.advice = { $0.interruptedPasswordAdvice }
        try await operation.run { tag in
            try await tag.removePassword()
            tag.report("passwordRemoved", "Removed the password of \(tag.summary)", json: json)
        }
    }
}
