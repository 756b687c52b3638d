import ArgumentParser
import NFCClient
import NFCProtocol
import NFCTypes

/// `nfcctl password`: the password of a tag.
struct PasswordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "password",
        abstract: "Set, change or remove the password of the next tag.",
        discussion: """
            For NTAG21x and MIFARE Ultralight EV1, on a reader that supports raw commands. The password is 4 bytes in \
            hexadecimal and protects the pages from one on to the end. It is transmitted unencrypted: it keeps people \
            from changing a tag by accident or for fun, and protects no secret. It proves nothing: a copy of the tag takes the \
            same password. To recognise a tag that must not be copied, use one with a key (NTAG 424 DNA, DESFire) and \
            nfcctl keys.
            A MIFARE Ultralight AES has an AES key instead of the password: give its 16 bytes in the same options. \
            The key is transmitted only when it is set.

            Examples:
              nfcctl password set --new-password-file door.key
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
            protects: protect?.scope, attempts: attempts)
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

extension AsyncParsableCommand {
    /// Sets a password on the next tag.
    fileprivate func setPassword(_ new: NewPassword, _ options: TagOptions, yes: Bool) async throws {
        let (arguments, json) = (try new.arguments(), options.json)
        let operation = TagOperation(
            options: options, requires: TagSetPassword.requirement,
            options.password.isGiven ? TagAuthenticate.requirement : .nothing)
        let confirmation = PasswordQuestion.confirmation(attempts: arguments.attempts)
        try await operation.run(confirming: yes ? nil : confirmation.isGiven(for:)) { tag in
            let result = try await tag.setPassword(
                arguments.password.bytes, pack: arguments.pack?.bytes, firstPage: arguments.firstPage,
                protects: arguments.protects, attempts: arguments.attempts)
            if json {
                Terminal.print(json: TagEvent(event: "passwordSet", tag: tag.facts, extra: result))
            } else {
                Terminal.print("Set the password of \(tag.summary); \(result.summary)")
                Terminal.print(PasswordNote.text(size: arguments.password.bytes.count))
            }
        }
    }
}

/// What a password does not do, for the person who has just set one.
private enum PasswordNote {
    /// - Parameter size: 4 for a password, 16 for an AES key.
    static func text(size: Int) -> String {
        size == 4
            ? "It keeps people from changing the tag. It proves nothing: a copy of the tag takes the same password."
            : "It keeps people from changing the tag. It proves nothing: nfcd does not ask this kind of tag for a proof."
    }
}

/// What is asked before a password is set.
private enum PasswordQuestion {
    static func confirmation(attempts: Int?) -> Confirmation {
        let limit =
            (attempts ?? 0) == 0
            ? "" : " \(attempts ?? 0) wrong passwords in a row will close its protected pages permanently."
        return Confirmation(
            of: "setting a password that gets lost",
            warning: "It can then be changed with the password alone, which cannot be recovered.\(limit)",
            word: "set")
    }
}

extension TagProtection {
    fileprivate var summary: String {
        let limit = attempts == 0 ? "" : ", at most \(attempts) wrong ones"
        return
            "it is needed from page \(firstPage) on, \(protects == .write ? "to write" : "to read and write")\(limit)"
    }
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
            A password that is lost cannot be removed: it asks for confirmation, unless --yes is given.

            Examples:
              nfcctl password set --new-password-file door.key
              nfcctl password set --new-password-file door.key --from-page 2 --yes
              nfcctl password set --new-password-file door.key --protect read-write \\
                --attempts 5
            """)

    @OptionGroup var new: NewPassword

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    @OptionGroup var options: TagOptions

    func validate() throws { try PasswordQuestion.confirmation(attempts: nil).validate(isGiven: yes) }

    func run() async throws { try await setPassword(new, options, yes: yes) }
}

/// `nfcctl password change`: changes the password of a tag.
struct ChangePasswordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "change",
        abstract: "Change the password of the next tag, or what it protects.",
        discussion: """
            What is not given stays unchanged. If the tag is removed too early, it has the old password, none, or the new \
            one; the error reports which. It asks for confirmation, unless --yes is given.

            Examples:
              nfcctl password change --tag-password-file door.key \\
                --new-password-file new.key --yes
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

    func run() async throws { try await setPassword(new, options, yes: yes) }
}

/// `nfcctl password remove`: removes the password of a tag.
struct RemovePasswordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove the password of the next tag.",
        discussion: """
            Afterwards no page needs a password, and wrong ones are not counted.

            Examples:
              nfcctl password remove --tag-password-file door.key
            """)

    @OptionGroup var options: TagOptions

    func run() async throws {
        let json = options.json
        let operation = TagOperation(
            options: options, requires: TagRemovePassword.requirement,
            options.password.isGiven ? TagAuthenticate.requirement : .nothing)
        try await operation.run { tag in
            try await tag.removePassword()
            tag.report("passwordRemoved", "Removed the password of \(tag.summary)", json: json)
        }
    }
}
