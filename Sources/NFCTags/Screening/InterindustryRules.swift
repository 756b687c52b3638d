import NFCTypes

extension InterindustryCommand {
    /// A command and what may be selected when it comes.
    struct Context: Sendable {
        let command: InterindustryCommand
        let applications: Set<ISO7816Screen.Application>
        let files: Set<ISO7816Screen.File>
        let attempts: AttemptKnowledge

        /// The effect of an update: the access byte of a Type 4 tag's capability container makes the message read-only.
        fileprivate var update: (CommandEffect, String) {
            guard !command.isShortFile, !files.contains(.other) else {
                return (.lock, "may change a capability container: select the file by its id first")
            }
            return files.contains(.identifier(0xE103))
                ? (.lock, "may make the message read-only, in the capability container") : (.write, "changes data")
        }

        fileprivate var verification: (CommandEffect, String) {
            if command.data.isEmpty, !command.isChained { return (.read, "") }
            guard attempts.leavesTry(after: command), !command.isChained else {
                return (
                    .lock,
                    "may use up the last try of a PIN: send it without data first, which shows how many are left, and keep one"
                )
            }
            return (.write, "counts wrong attempts")
        }

        /// A command that proves a key, whose attempts a card may count.
        fileprivate func proof(isUncounted: Bool) -> (CommandEffect, String) {
            isUncounted ? (.read, "") : (.lock, "may permanently exhaust the card's limit of wrong keys or passwords")
        }

        /// Basic access control of a passport, whose key is printed in it (ICAO 9303-11, 4.3): it counts nothing.
        fileprivate var isPassportAccess: Bool {
            applications == [.name([0xA0, 0x00, 0x00, 0x02, 0x47, 0x10, 0x01])] && command.data.count == 40
                && command.p1 == 0 && command.p2 == 0
        }

        /// A key pair of PIV, with which the card signs or decrypts (NIST SP 800-73-4, part 2, 3.2.4).
        fileprivate var isSigning: Bool {
            [0x9A, 0x9C, 0x9D, 0x9E].contains(command.p2) || (0x82...0x95).contains(command.p2)
        }

        fileprivate var managesEnvironment: (CommandEffect, String) {
            command.p1 & 0x0F == 0x01 || command.p1 == 0xF3 ? (.read, "") : (.unknown, "stores or erases")
        }
    }

    private typealias Rule = CommandRule<Context>
    private static let updates: Rule.Cases = [
        (.write, "a file that was selected by its id, other than E103"),
        (.lock, "the capability container E103, files by a short id, files that are not known"),
    ]

    /// The commands, by INS; nfcd's parser has checked the lengths.
    static let rules: [CommandRule<Context>] = reading + changing

    private static let reading: [Rule] = [
        read(0xA4, "SELECT"), read(0xB0, "READ BINARY"), read(0xB1, "READ BINARY"), read(0xB2, "READ RECORD"),
        read(0xB3, "READ RECORD"), read(0xA0, "SEARCH BINARY"), read(0xA1, "SEARCH BINARY"),
        read(0xA2, "SEARCH RECORD"), read(0xC0, "GET RESPONSE"), read(0xCA, "GET DATA"), read(0xCB, "GET DATA"),
        read(0x84, "GET CHALLENGE"), read(0x88, "INTERNAL AUTHENTICATE"),
        read(0x2A, "PERFORM SECURITY OPERATION"), read(0x70, "MANAGE CHANNEL"),
        .depending(
            0x22, "22", "MANAGE SECURITY ENVIRONMENT", 1...1, [(.read, "SET, RESTORE"), (.unknown, "STORE, ERASE")]
        ) { _, context in context.managesEnvironment },
    ]

    private static let changing: [Rule] = [
        .depending(
            0x20, "20", "VERIFY", 1...1,
            [
                (.read, "without data"),
                (.write, "with data, where its last answer was 63Cx and at least 2 tries are left"),
                (.lock, "otherwise"),
            ]
        ) { _, context in context.verification },
        .depending(
            0x82, "82", "EXTERNAL AUTHENTICATE", 1...1,
            [(.read, "basic access control of a passport"), (.lock, "otherwise")]
        ) { _, context in context.proof(isUncounted: context.isPassportAccess) },
        .depending(
            0x86, "86", "GENERAL AUTHENTICATE", 1...1,
            [(.read, "after SET AT of PACE with MRZ or CAN, or of chip authentication"), (.lock, "otherwise")]
        ) { _, context in context.proof(isUncounted: context.attempts.isUncounted(on: context.command.channel)) },
        .depending(
            0x87, "87", "GENERAL AUTHENTICATE", 1...1,
            [(.read, "keys 82 to 95, 9A, 9C, 9D and 9E"), (.lock, "otherwise")]
        ) { _, context in context.proof(isUncounted: context.isSigning) },
        update(0xD6, "UPDATE BINARY"), update(0xD7, "UPDATE BINARY"), update(0xDC, "UPDATE RECORD"),
        update(0xDD, "UPDATE RECORD"), update(0xE2, "APPEND RECORD"),
        lock(0xD0, "WRITE BINARY", "may set one-time bits"), lock(0xD1, "WRITE BINARY", "may set one-time bits"),
        lock(0xD2, "WRITE RECORD", "may set one-time bits"),
        lock(0x0E, "ERASE BINARY", "may change a capability container"),
        lock(0x0F, "ERASE BINARY", "may change a capability container"),
        lock(0x24, "CHANGE REFERENCE DATA", "changes a PIN or key"),
        lock(0x2C, "RESET RETRY COUNTER", "changes a PIN or its counter"),
        lock(0x26, "DISABLE VERIFICATION REQUIREMENT", "changes access rights"),
        lock(0x28, "ENABLE VERIFICATION REQUIREMENT", "changes access rights"),
        lock(0x44, "ACTIVATE FILE", "changes access rights"), lock(0x04, "DEACTIVATE FILE", "changes access rights"),
        lock(0xE0, "CREATE FILE", "creates a file"), lock(0xE4, "DELETE FILE", "deletes a file"),
        lock(0xE6, "TERMINATE DF", "ends an application permanently"),
        lock(0xE8, "TERMINATE EF", "ends a file permanently"),
        lock(0xFE, "TERMINATE CARD USAGE", "ends the card permanently"),
        lock(0x46, "GENERATE ASYMMETRIC KEY PAIR", "changes a key"),
        lock(0x47, "GENERATE ASYMMETRIC KEY PAIR", "changes a key"),
    ]

    private static func read(_ ins: UInt8, _ name: String) -> Rule {
        .always(ins, Hexadecimal.string([ins]), name, 1...1, .read)
    }

    private static func lock(_ ins: UInt8, _ name: String, _ what: String) -> Rule {
        .always(ins, Hexadecimal.string([ins]), name, 1...1, .lock, what)
    }

    private static func update(_ ins: UInt8, _ name: String) -> Rule {
        .depending(ins, Hexadecimal.string([ins]), name, 1...1, updates) { _, context in context.update }
    }
}
