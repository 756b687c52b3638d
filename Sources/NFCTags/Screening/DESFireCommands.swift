import NFCTypes

/// A native command of MIFARE DESFire, EV1 to EV3, and of NTAG 4xx: the code and its parameters, alone or wrapped as
/// `90 code 00 00 Lc parameters 00`.
struct DESFireCommand: Sendable, Hashable {
    let code: UInt8
    let parameters: [UInt8]

    /// The one that an APDU wraps; nil where it is not exactly in that form.
    init?(wrappedIn apdu: [UInt8]) {
        guard apdu.count >= 5, apdu[0] == 0x90, apdu[2] == 0, apdu[3] == 0, apdu.last == 0 else { return nil }
        guard apdu.count == 5 || apdu.count == Int(apdu[4]) + 6 && apdu[4] > 0 else { return nil }
        code = apdu[1]
        parameters = apdu.count == 5 ? [] : Array(apdu[5..<apdu.count - 1])
    }

    /// The one that a frame carries.
    init?(frame: [UInt8]) {
        guard let code = frame.first, frame.count <= 255 else { return nil }
        self.code = code
        parameters = Array(frame.dropFirst())
    }

    /// What is known of the card when a command comes.
    struct Context: Sendable, Hashable {
        /// The command whose next frame is due.
        private(set) var begun: DESFireCommand?
        /// Whether the card's version is one that takes any number of wrong keys.
        private(set) var takesAnyNumberOfAttempts = false
        /// The files of the selected application that were read, and hold no capability container.
        private(set) var dataFiles: Set<UInt8> = []

        /// Records the effect of a command that was sent, and its answer, the status separate.
        mutating func record(_ command: DESFireCommand, status: UInt8?, data: [UInt8]) {
            begun = command.code == Self.nextFrame ? begun : command
            guard let status, status == 0x00 || status == Self.nextFrame else { return begun = nil }
            switch command.code {
            case 0x60: takesAnyNumberOfAttempts = Self.takesAnyNumberOfAttempts(data)
            case 0xBD, 0xAD: learn(command, data)
            default: break
            }
            if status == 0x00 { begun = nil }
        }

        /// Another application may be selected.
        mutating func selectionChanged() {
            (begun, dataFiles) = (nil, [])
        }

        /// Another command than a native one was sent.
        mutating func interrupt() { begun = nil }

        /// From its first byte on, a file shows whether it is a container: its length, then the mapping version (NFC Forum Type 4
        /// Tag, 5.1).
        private mutating func learn(_ command: DESFireCommand, _ data: [UInt8]) {
            guard let file = command.parameters.first, command.parameters.dropFirst().prefix(3) == [0, 0, 0],
                data.count >= 3
            else { return }
            let isContainer = (0x10...0x4F).contains(data[2])
            if isContainer { dataFiles.remove(file) } else { dataFiles.insert(file) }
        }

        /// Vendor, type, subtype, major version: DESFire up to EV2. EV3, DESFire Light and NTAG 4xx can have a limit that closes
        /// a key permanently.
        private static func takesAnyNumberOfAttempts(_ version: [UInt8]) -> Bool {
            version.count >= 7 && version[0] == 0x04 && version[1] == 0x01
                && [0x00, 0x01, 0x12, 0x22].contains(version[3])
        }

        private static let nextFrame: UInt8 = 0xAF

        /// The effect of a key that is tried.
        fileprivate var attempt: (CommandEffect, String) {
            takesAnyNumberOfAttempts
                ? (.read, "")
                : (.lock, "may permanently exhaust the card's limit of wrong keys: send GetVersion (60) first")
        }

        /// The effect of the next frame of a command.
        fileprivate func continuation(_ frame: [UInt8]) -> (CommandEffect, String) {
            if let begun { return begun.effect(knowing: self) }
            return frame.count == 1 ? (.read, "") : (.lock, "continues a command that nfcd has not seen")
        }
    }

    /// The application that SelectApplication names, least significant byte first; nil for another command.
    var selectedApplication: [UInt8]? { code == 0x5A ? parameters : nil }

    /// What it does.
    func judge(knowing context: Context) -> CommandJudgement {
        let bytes = [code] + parameters
        let judged = bytes.judged(by: Self.rules, code, knowing: context)
        return CommandJudgement(judged.effect, judged.words, reach: reach)
    }

    fileprivate func effect(knowing context: Context) -> (CommandEffect, String) {
        let judgement = judge(knowing: context)
        return (judgement.effect, "continues \(judgement.words)")
    }

    private var reach: CommandJudgement.Reach {
        switch code {
        case 0x5A where parameters == [0, 0, 0], 0x60, 0x6A, 0x6D, 0x6E: .none
        case 0x5A: .elsewhere("SelectApplication names an application by number; select it by its name (00 A4 04)")
        default: .current
        }
    }
}

extension DESFireCommand {
    private typealias Rule = CommandRule<Context>
    /// The longest a command can be.
    private static let any = 1...256
    private static let fileCases: Rule.Cases = [
        (
            .write,
            "after the first 15 bytes of a file; files that were read from their beginning, and hold no capability container"
        ),
        (.lock, "the first 15 bytes of other files, which may be the capability container"),
    ]

    /// The commands.
    static let rules: [CommandRule<Context>] =
        reading + changing + [0x3D, 0x8D, 0x3B, 0x8B, 0xDB, 0xBA].map(writing)

    private static let reading: [Rule] = [
        .always(0x60, "60", "GetVersion", any, .read),
        .depending(
            0xAF, "AF data", "AdditionalFrame", any,
            [
                (.read, "without data, or after a command that reads"),
                (.lock, "otherwise as the command that it continues"),
            ]
        ) { frame, card in card.continuation(frame) },
        .always(0x5A, "5A application", "SelectApplication", 4...4, .read),
        .always(0x6A, "6A", "GetApplicationIDs", any, .read), .always(0x6D, "6D", "GetDFNames", any, .read),
        .always(0x6E, "6E", "FreeMemory", any, .read), .always(0x6F, "6F", "GetFileIDs", any, .read),
        .always(0x61, "61", "GetISOFileIDs", any, .read), .always(0xF5, "F5 file", "GetFileSettings", any, .read),
        .always(0x45, "45", "GetKeySettings", any, .read), .always(0x64, "64 key", "GetKeyVersion", any, .read),
        .always(0x51, "51", "GetCardUID", any, .read), .always(0x3C, "3C address", "ReadSignature", any, .read),
        attempt(0x0A, "Authenticate"), attempt(0x1A, "AuthenticateISO"), attempt(0xAA, "AuthenticateAES"),
        attempt(0x71, "AuthenticateEV2First"), attempt(0x77, "AuthenticateEV2NonFirst"),
        .always(0xBD, "BD file offset length", "ReadData", any, .read),
        .always(0xAD, "AD file offset length", "ReadData, chained", any, .read),
        .always(0xBB, "BB file offset count", "ReadRecords", any, .read),
        .always(0xAB, "AB file offset count", "ReadRecords, chained", any, .read),
        .always(0x6C, "6C file", "GetValue", any, .read),
    ]

    private static let changing: [Rule] = [
        .always(0x0C, "0C file value", "Credit", any, .write, "changes a value"),
        .always(0xDC, "DC file value", "Debit", any, .write, "changes a value"),
        .always(0x1C, "1C file value", "LimitedCredit", any, .write, "changes a value"),
        .always(0xEB, "EB file", "ClearRecordFile", any, .write, "clears records"),
        .always(0xC7, "C7", "CommitTransaction", any, .write, "changes data"),
        .always(0xA7, "A7", "AbortTransaction", any, .write, "drops changes"),
        .always(0xC4, "C4 key data", "ChangeKey", any, .lock, "changes a key"),
        .always(0xC6, "C6 key data", "ChangeKeyEV2", any, .lock, "changes a key"),
        .always(0x54, "54 settings", "ChangeKeySettings", any, .lock, "changes access rights"),
        .always(0x56, "56 key set", "InitializeKeySet", any, .lock, "changes keys"),
        .always(0x57, "57 key set", "FinalizeKeySet", any, .lock, "changes keys"),
        .always(0x55, "55 key set", "RollKeySet", any, .lock, "changes keys"),
        .always(0x5C, "5C option data", "SetConfiguration", any, .lock, "changes the configuration"),
        .always(0x5F, "5F file settings", "ChangeFileSettings", any, .lock, "changes access rights"),
        .always(0xCA, "CA application", "CreateApplication", any, .lock, "creates an application"),
        .always(0xDA, "DA application", "DeleteApplication", any, .lock, "deletes an application"),
        .always(0xCD, "CD file", "CreateStdDataFile", any, .lock, "creates a file"),
        .always(0xCB, "CB file", "CreateBackupDataFile", any, .lock, "creates a file"),
        .always(0xCC, "CC file", "CreateValueFile", any, .lock, "creates a file"),
        .always(0xC1, "C1 file", "CreateLinearRecordFile", any, .lock, "creates a file"),
        .always(0xC0, "C0 file", "CreateCyclicRecordFile", any, .lock, "creates a file"),
        .always(0xCE, "CE file", "CreateTransactionMACFile", any, .lock, "creates a file"),
        .always(0xDF, "DF file", "DeleteFile", any, .lock, "deletes a file"),
        .always(0xFC, "FC", "FormatPICC", any, .lock, "deletes all applications"),
    ]

    private static func writing(_ code: UInt8) -> Rule {
        let names: [UInt8: String] = [
            0x3D: "WriteData", 0x8D: "WriteData, chained", 0x3B: "WriteRecord", 0x8B: "WriteRecord, chained",
            0xDB: "UpdateRecord", 0xBA: "UpdateRecord, chained",
        ]
        return .depending(
            code, "\(Hexadecimal.string([code])) file offset length data", names[code] ?? "", any, fileCases
        ) { command, card in
            // A container is a file for data, not one of records.
            guard [0x3D, 0x8D].contains(code) else { return (.write, "changes data") }
            let isBehind = command.count >= 5 && (command[2] >= containerSize || command[3] != 0 || command[4] != 0)
            guard command.count > 1, isBehind || card.dataFiles.contains(command[1]) else {
                return (.lock, "may change a capability container: read the beginning of the file first")
            }
            return (.write, "changes data")
        }
    }

    /// The bytes of a capability container up to the write access of its file.
    private static let containerSize: UInt8 = 15

    /// A command that begins an authentication.
    private static func attempt(_ code: UInt8, _ name: String) -> Rule {
        .depending(
            code, "\(Hexadecimal.string([code])) key", name, any,
            [
                (.read, "GetVersion, which the client has sent, shows DESFire up to EV2"),
                (.lock, "otherwise: attempts may be limited"),
            ]
        ) { _, card in card.attempt }
    }
}
