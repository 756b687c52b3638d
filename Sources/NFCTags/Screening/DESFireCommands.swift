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

    /// The application that SelectApplication names, least significant byte first; nil for another command.
    var selectedApplication: [UInt8]? { code == 0x5A ? parameters : nil }

    /// What it does.
    ///
    /// - Parameter applications: those that may be selected.
    func judge(in applications: Set<ISO7816Screen.Application>) -> CommandJudgement {
        let bytes = [code] + parameters
        let judged = bytes.judged(by: Self.rules, code, knowing: applications)
        return CommandJudgement(judged.effect, judged.words, reach: reach)
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
    private typealias Rule = CommandRule<Set<ISO7816Screen.Application>>
    /// The longest a command can be.
    private static let any = 1...256
    private static let fileCases: Rule.Cases = [
        (.write, "files with data"),
        (
            .lock,
            "file 01 of application 000001 or of one that was not selected by its number: the capability container"
        ),
    ]

    /// The commands.
    static let rules: [CommandRule<Set<ISO7816Screen.Application>>] =
        reading + changing + [0x3D, 0x8D, 0x3B, 0x8B, 0xDB, 0xBA].map(writing)

    private static let reading: [Rule] = [
        .always(0x60, "60", "GetVersion", any, .read), .always(0xAF, "AF data", "AdditionalFrame", any, .read),
        .always(0x5A, "5A application", "SelectApplication", 4...4, .read),
        .always(0x6A, "6A", "GetApplicationIDs", any, .read), .always(0x6D, "6D", "GetDFNames", any, .read),
        .always(0x6E, "6E", "FreeMemory", any, .read), .always(0x6F, "6F", "GetFileIDs", any, .read),
        .always(0x61, "61", "GetISOFileIDs", any, .read), .always(0xF5, "F5 file", "GetFileSettings", any, .read),
        .always(0x45, "45", "GetKeySettings", any, .read), .always(0x64, "64 key", "GetKeyVersion", any, .read),
        .always(0x51, "51", "GetCardUID", any, .read), .always(0x3C, "3C address", "ReadSignature", any, .read),
        .always(0x0A, "0A key", "Authenticate", any, .read), .always(0x1A, "1A key", "AuthenticateISO", any, .read),
        .always(0xAA, "AA key", "AuthenticateAES", any, .read),
        .always(0x71, "71 key", "AuthenticateEV2First", any, .read),
        .always(0x77, "77 key", "AuthenticateEV2NonFirst", any, .read),
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
        ) { command, applications in
            guard command.count > 1, command[1] < 0x20 else { return (.lock, "may change a capability container") }
            let mayBeNDEF = applications.contains {
                if case .number(let number) = $0 { number == [1, 0, 0] } else { true }
            }
            return command[1] == 1 && mayBeNDEF
                ? (.lock, "may change a capability container, in file 01") : (.write, "changes data")
        }
    }
}
