import ArgumentParser
import NFCClient
import NFCProtocol
import NFCTypes

/// `nfcctl config`: the counter, the mirror and other settings of a tag.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Set the counter and the mirror of the next NTAG21x, or the settings of an ICODE SLIX2.",
        discussion: """
            The counter of NTAG213, 215 and 216 counts the times the tag is read, once each time it comes to a reader. \
            The mirror shows the UID, the counter or both as text instead of a part of the memory, so that a link \
            carries them. Write a message with room for it first: 14 zeros for uid, 6 for counter, \
            00000000000000x000000 for uid-counter. The mirror begins where the tag holds these, or where --mirror-page and \
            --mirror-byte give. What is not given stays unchanged; --mirror off shows the memory again, which has to be \
            done before another message is written.
            An ICODE SLIX2 counts when it is asked to: with --counter password only with its read password. \
            --counter-value sets the counter, --afi the application family identifier, --eas the alarm of gates against \
            theft. Each --lock is permanent. With --privacy the tag hides: it shows no UID, no reader finds it, and nfcd \
            cannot end that. Only the privacy password ends it, sent by a device that does not look for the tag \
            first, such as a Proxmark3 (hf 15 slixprivacydisable). --lock and --privacy ask for confirmation, unless --yes \
            is given. --lock bothPasswords requires both passwords, neither as delivered.

            Examples:
              nfcctl config --counter on
              nfcctl write --uri 'https://example.com/?t=00000000000000x000000'
              nfcctl config --counter on --mirror uid-counter
              nfcctl config --mirror off --counter off
              nfcctl config --eas on --afi 07 --counter-value 0
              nfcctl config --lock afi --yes
              nfcctl config --privacy --tag-password-file privacy=hide.key
              nfcctl config --lock bothPasswords \\
                --tag-password-file read=read.key \\
                --tag-password-file write=write.key
            """)

    @Option(
        help: ArgumentHelp("Count reads, or not; with password, only the password shows the counter.", valueName: "on"))
    var counter: CounterOption?

    @Option(help: ArgumentHelp("What the tag shows instead of its memory.", valueName: "what"))
    var mirror: MirrorOption?

    @Option(
        help: ArgumentHelp(
            "The page in which the mirror begins, if not at the zeros of the message.", valueName: "page"))
    var mirrorPage: Int?

    @Option(help: ArgumentHelp("The byte of that page, 0 to 3; 0 by default.", valueName: "byte"))
    var mirrorByte: Int?

    @Option(help: ArgumentHelp("ICODE SLIX2: the value of the counter, 0 to 65535.", valueName: "n"))
    var counterValue: Int?

    @Option(help: ArgumentHelp("ICODE SLIX2: the AFI in hexadecimal, 1 byte.", valueName: "hex"))
    var afi: String?

    @Option(help: ArgumentHelp("ICODE SLIX2: turn EAS on or off.", valueName: "on"))
    var eas: SwitchOption?

    @Option(
        help: ArgumentHelp(
            "ICODE SLIX2: what is locked permanently; afiPassword, easPassword and bothPasswords require passwords from then on. Repeat it for several.",
            valueName: "what"))
    var lock: [LockOption] = []

    @Flag(help: "ICODE SLIX2: hide the tag from all readers; nfcd cannot end that.")
    var privacy = false

    @Flag(help: "Do not ask for confirmation of --lock and --privacy.")
    var yes = false

    @OptionGroup var options: TagOptions

    func validate() throws {
        let isEmpty = counter == nil && mirror == nil && counterValue == nil && afi == nil && eas == nil
        if isEmpty, lock.isEmpty, !privacy {
            throw ValidationError(
                "nothing to set; give --counter, --counter-value, --mirror, --afi, --eas, --lock or --privacy")
        }
        if let counterValue, !(0...65535 ~= counterValue) {
            throw ValidationError("--counter-value requires a number from 0 to 65535")
        }
        if let afi, HexBytes(typed: afi)?.bytes.count != 1 {
            throw ValidationError("--afi requires 1 byte in hexadecimal")
        }
        if privacy, !options.password.names(.privacy) {
            throw ValidationError(
                "--privacy requires the privacy password, so that it is known to be right; give it with --tag-password-file privacy=FILE"
            )
        }
        try confirmation?.validate(isGiven: yes)
        let hasMirror = (mirror ?? .off) != .off
        if !hasMirror, mirrorPage != nil { throw ValidationError("--mirror-page requires --mirror") }
        if mirrorPage == nil, mirrorByte != nil { throw ValidationError("--mirror-byte requires --mirror-page") }
        if let mirrorByte, !(0...3 ~= mirrorByte) {
            throw ValidationError("--mirror-byte requires a number from 0 to 3")
        }
    }

    func run() async throws {
        let json = options.json
        let wanted = TagSettingChanges(
            counter: counter?.use, mirror: mirror?.content, mirrorPage: mirrorPage, mirrorByte: mirrorByte,
            counterValue: counterValue, afi: afi.flatMap { HexBytes(typed: $0) }, eas: eas.map { $0 == .on },
            locks: lock.isEmpty ? nil : lock.map(\.lock), privacy: privacy ? true : nil)
        let zeros = mirrorPage == nil ? mirror?.zeros : nil
        let operation = TagOperation(
            options: options, requires: TagConfigure.requirement, zeros == nil ? .nothing : TagDumpMemory.requirement,
            options.password.isGiven ? TagAuthenticate.requirement : .nothing)
        try await operation.run(confirming: yes ? nil : confirmation.map { $0.isGiven(for:) }) { tag in
            var arguments = wanted
            if let zeros {
                let place = try await Self.place(of: zeros, on: tag)
                (arguments.mirrorPage, arguments.mirrorByte) = (place.page, place.byte)
            }
            let result = try await tag.configure(
                counter: arguments.counter, mirror: arguments.mirror, mirrorPage: arguments.mirrorPage,
                mirrorByte: arguments.mirrorByte, counterValue: arguments.counterValue, afi: arguments.afi?.bytes,
                eas: arguments.eas, locks: arguments.locks, privacy: arguments.privacy)
            if json {
                Terminal.print(json: TagEvent(event: "configured", tag: tag.facts, extra: result))
            } else {
                Terminal.print("Configured \(tag.summary); \(result.summary)")
            }
        }
    }
}

extension ConfigCommand {
    /// What is asked before something that cannot be undone; nil if nothing is.
    private var confirmation: Confirmation? {
        if privacy {
            return Confirmation(
                of: "privacy mode",
                warning:
                    "No reader will find this tag any more, and nfcd cannot end that: it takes the privacy password, sent by a device that does not look for the tag first.",
                word: "hide")
        }
        guard !lock.isEmpty else { return nil }
        return Confirmation(
            of: "locking", warning: "Permanently: \(lock.map(\.words).joined(separator: "; ")).", word: "lock")
    }

    /// Where a tag holds zeros for a mirror.
    ///
    /// - Throws: `ExitCode`, after printing the reason, if it does not, or in two places.
    private static func place(of zeros: String, on tag: RemoteTag) async throws -> (page: Int, byte: Int) {
        let dump = try await tag.showingProgress("Reading") { try await tag.dump(progress: $0) }
        var memory: [UInt8] = []
        for block in dump.sections.flatMap({ $0.blocks }) where block.number >= 4 {
            // A page that cannot be read ends the search.
            guard let bytes = block.bytes?.bytes, bytes.count == 4 else { break }
            memory += bytes
        }
        let found = memory.ranges(of: Array(zeros.utf8))
        guard let start = found.first?.lowerBound, found.count == 1 else {
            Terminal.error(
                found.isEmpty
                    ? "nfcctl: \(tag.summary) does not hold \(zeros). Turn a mirror that is on off, write a message with it, and run the command again."
                    : "nfcctl: \(tag.summary) holds \(zeros) more than once. Give the place with --mirror-page and --mirror-byte."
            )
            throw ExitCode.badData
        }
        return (4 + start / 4, start % 4)
    }
}

/// The values of `--counter`.
enum CounterOption: String, CaseIterable, ExpressibleByArgument {
    case on, off, password

    var use: CounterUse {
        switch self {
        case .on: .on
        case .off: .off
        case .password: .password
        }
    }
}

/// The values of `--eas`.
enum SwitchOption: String, CaseIterable, ExpressibleByArgument {
    case on, off
}

/// The values of `--lock`.
enum LockOption: String, CaseIterable, ExpressibleByArgument {
    case afi, eas, afiPassword, easPassword, protection, bothPasswords, readPassword, writePassword

    var lock: TagLock {
        switch self {
        case .afi: .afi
        case .eas: .eas
        case .afiPassword: .afiPassword
        case .easPassword: .easPassword
        case .protection: .protection
        case .bothPasswords: .bothPasswords
        case .readPassword: .readPassword
        case .writePassword: .writePassword
        }
    }

    /// What it does, for the question.
    var words: String {
        switch self {
        case .afi: "the AFI cannot be changed"
        case .eas: "EAS cannot be changed"
        case .afiPassword: "changing the AFI needs the EAS/AFI password"
        case .easPassword: "changing EAS needs the EAS/AFI password"
        case .protection: "what the passwords protect cannot be changed"
        case .bothPasswords: "protected pages need the read and the write password"
        case .readPassword: "the read password cannot be changed"
        case .writePassword: "the write password cannot be changed"
        }
    }
}

/// The values of `--mirror`.
enum MirrorOption: String, CaseIterable, ExpressibleByArgument {
    case uid
    case counter
    case both = "uid-counter"
    case off

    var content: MirrorContent {
        switch self {
        case .uid: .uid
        case .counter: .counter
        case .both: .uidAndCounter
        case .off: .off
        }
    }

    /// What a message holds in the place of the mirror.
    var zeros: String? {
        let (uid, counter) = (String(repeating: "0", count: 14), String(repeating: "0", count: 6))
        return switch self {
        case .uid: uid
        case .counter: counter
        case .both: "\(uid)x\(counter)"
        case .off: nil
        }
    }
}

extension TagSettings {
    fileprivate var summary: String {
        let parts = counterValue == nil ? [counter.map(Self.words), mirrorWords] : icodeWords
        return parts.compactMap { $0 }.joined(separator: ", ")
    }

    private var icodeWords: [String?] {
        [
            counterValue.map { "counter \($0)\(counter == .password ? ", which counts with the password" : "")" },
            afi.map { "AFI \($0)" }, eas.map { "EAS \($0 ? "on" : "off")" },
            locks.map { "locked permanently: \($0.map(\.rawValue).joined(separator: ", "))" },
            privacy == true ? "hidden from readers" : nil,
        ]
    }

    private static func words(_ counter: CounterUse) -> String {
        switch counter {
        case .off: "counter off"
        case .on: "counter on"
        case .password: "counter on, read with the password"
        }
    }

    private var mirrorWords: String {
        let place = "from page \(mirrorPage ?? 0), byte \(mirrorByte ?? 0) on"
        return switch mirror {
        case .off: "no mirror"
        case .uid: "UID \(place)"
        case .counter: "counter \(place)"
        case .uidAndCounter: "UID and counter \(place)"
        }
    }
}
