import NFCProtocol
import Synchronization

/// The declarations of a program, as an app makes them in its Info.plist and its entitlements.
///
/// The files are looked for once, when the first session begins: `Info.plist` where `NFC_INFO_PLIST` names it, otherwise
/// beside the executable; the entitlements where `NFC_ENTITLEMENTS` names them, otherwise `NAME.entitlements` beside the
/// executable NAME. Nothing is checked against a missing file: the daemon alone decides.
struct ProgramDeclarations: Sendable {
    /// `com.apple.developer.nfc.readersession.formats`; nil without entitlements.
    var formats: [String]?
    /// `NFCReaderUsageDescription` and the lists; nil without an Info.plist.
    var information: Information?
    /// Why a file cannot be used, in words.
    var defect: String?

    struct Information: Sendable {
        var usageDescription = ""
        var selectIdentifiers: [String] = []
        var systemCodes: [String] = []
    }

    /// Nothing declared, nothing asked.
    static let none = ProgramDeclarations()

    /// What sessions look for.
    struct Polling: Sendable {
        var options: [PollingTechnology]
        var selectIdentifiers: [HexBytes]?
        var systemCodes: [HexBytes]?
    }

    /// - Throws: 2 where a session for messages may not begin.
    func checkMessages() throws(NFCReaderError) {
        try check(anyOf: ["NDEF", "TAG"])
    }

    /// What a configuration makes a session for tags look for.
    ///
    /// - Throws: 2 where the session may not begin, 3 where it looks for nothing.
    func polling(by configuration: NFCTagReaderSession.Configuration) throws(NFCReaderError) -> Polling {
        let option = configuration.pollingOption
        try check(anyOf: ["TAG"])
        if option.contains(.pace) { try check(anyOf: ["PACE"]) }
        let options = option.names
        guard !options.isEmpty else {
            throw NFCReaderError(.readerErrorInvalidParameter, reason: "the polling option is empty")
        }
        return Polling(
            options: options, selectIdentifiers: try selectIdentifiers(configuration, option),
            systemCodes: try systemCodes(configuration, option))
    }

    // MARK: Steps

    private func check(anyOf wanted: [String]) throws(NFCReaderError) {
        if let defect { throw NFCReaderError(.readerErrorSecurityViolation, reason: defect) }
        if let formats, !formats.contains(where: wanted.contains) {
            throw .missing("\(DeclarationKey.formats) in the entitlements: add \(wanted.last ?? "")")
        }
        if let information, information.usageDescription.isEmpty {
            throw .missing("\(DeclarationKey.usageDescription) in Info.plist: say what NFC is used for")
        }
    }

    /// Without any, no card is delivered as one of ISO/IEC 7816; MIFARE tags are, so that this is not an error.
    private func selectIdentifiers(
        _ configuration: NFCTagReaderSession.Configuration, _ option: NFCTagReaderSession.PollingOption
    ) throws(NFCReaderError) -> [HexBytes]? {
        let names = HexList(
            configuration.iso7816SelectIdentifiers, within: information?.selectIdentifiers, lengths: 5...16)
        guard let information else { return names.bytes.isEmpty ? nil : names.bytes }
        if information.selectIdentifiers.isEmpty, !option.isDisjoint(with: [.iso14443, .pace]) {
            Log.once("no ISO 7816 card is delivered: Info.plist has no \(DeclarationKey.selectIdentifiers)")
        }
        return names.bytes
    }

    private func systemCodes(
        _ configuration: NFCTagReaderSession.Configuration, _ option: NFCTagReaderSession.PollingOption
    ) throws(NFCReaderError) -> [HexBytes]? {
        let codes = HexList(configuration.feliCaSystemCodes, within: information?.systemCodes, lengths: 2...2) {
            !$0.contains(0xFF)
        }
        guard information != nil else { return codes.bytes.isEmpty ? nil : codes.bytes }
        if option.contains(.iso18092), codes.bytes.isEmpty {
            throw .missing("\(DeclarationKey.systemCodes) in Info.plist: list the FeliCa systems to poll for")
        }
        return codes.bytes
    }
}

extension NFCReaderError {
    fileprivate static func missing(_ what: String) -> NFCReaderError {
        NFCReaderError(.readerErrorSecurityViolation, reason: "missing: \(what)")
    }
}

extension NFCTagReaderSession.PollingOption {
    /// The options by their names on the wire.
    fileprivate var names: [PollingTechnology] {
        let all: [(Self, PollingTechnology)] = [
            (.iso14443, .iso14443), (.iso15693, .iso15693), (.iso18092, .iso18092), (.pace, .pace),
        ]
        return all.filter { contains($0.0) }.map(\.1)
    }
}

/// A list of hexadecimal texts as nfcd takes it: each once, in its order; others are ignored, with a line on
/// standard error.
struct HexList {
    private(set) var bytes: [HexBytes] = []

    /// - Parameters:
    ///   - wanted: what a session wants; empty for everything that is declared.
    ///   - declared: what the program declares; nil where it declares nothing, and then everything may be wanted.
    ///   - lengths: the lengths in bytes that an entry may have.
    init(
        _ wanted: [String], within declared: [String]?, lengths: ClosedRange<Int>,
        isAllowed: ([UInt8]) -> Bool = { _ in true }
    ) {
        func read(_ texts: [String]) -> [HexBytes] {
            texts.compactMap { text in
                let entry = HexBytes(text).flatMap {
                    lengths.contains($0.bytes.count) && isAllowed($0.bytes) ? $0 : nil
                }
                if entry == nil { Log.once("\"\(text)\" is not valid in this list; it is ignored") }
                return entry
            }
        }
        let known = declared.map { Set(read($0)) }
        var seen: Set<HexBytes> = []
        for entry in read(wanted.isEmpty ? declared ?? [] : wanted) where seen.insert(entry).inserted {
            if known?.contains(entry) ?? true {
                bytes.append(entry)
            } else {
                Log.once("\(entry) is not declared in Info.plist, and is left out")
            }
        }
    }
}

/// The keys that programs declare.
///
/// Observed: Apple documents them (developer.apple.com, Information Property List and Entitlements), and every app has them.
enum DeclarationKey {
    static let formats = "com.apple.developer.nfc.readersession.formats"
    static let usageDescription = "NFCReaderUsageDescription"
    static let selectIdentifiers = "com.apple.developer.nfc.readersession.iso7816.select-identifiers"
    static let systemCodes = "com.apple.developer.nfc.readersession.felica.systemcodes"
}

/// What sessions are to take for the program's declarations.
package enum DeclarationFiles {
    /// Replaces the two files of the program for its sessions; nil for a missing one.
    package static func use(infoPlist: URL?, entitlements: URL?) {
        ProgramDeclarations.replace(with: ProgramDeclarations(information: infoPlist, entitlements: entitlements))
    }

    /// Has sessions take those of the program again.
    package static func useOwn() {
        ProgramDeclarations.replace(with: nil)
    }
}

extension ProgramDeclarations {
    private static let replacement = Mutex<ProgramDeclarations?>(nil)
    private static let found = ProgramDeclarations(
        environment: ProcessInfo.processInfo.environment, executable: CommandLine.arguments.first ?? "")

    /// Those of this program.
    static var current: ProgramDeclarations { replacement.withLock { $0 } ?? found }

    /// Replaces the declarations of this program; nil restores its own.
    static func replace(with declarations: ProgramDeclarations?) {
        replacement.withLock { $0 = declarations }
    }

    /// The declarations in the files that the environment names or that are beside the executable.
    init(environment: [String: String], executable: String) {
        let program = URL(fileURLWithPath: executable).resolvingSymlinksInPath()
        let folder = program.deletingLastPathComponent()
        self.init(
            information: Self.file(environment["NFC_INFO_PLIST"], else: folder.appendingPathComponent("Info.plist")),
            entitlements: Self.file(
                environment["NFC_ENTITLEMENTS"], else: program.appendingPathExtension("entitlements")))
    }

    /// The declarations in two files; nil for a missing one.
    init(information: URL?, entitlements: URL?) {
        do {
            if let information {
                let values = try PropertyFile(information)
                self.information = Information(
                    usageDescription: try values.text(DeclarationKey.usageDescription),
                    selectIdentifiers: try values.list(DeclarationKey.selectIdentifiers),
                    systemCodes: try values.list(DeclarationKey.systemCodes))
            }
            if let entitlements { formats = try PropertyFile(entitlements).list(DeclarationKey.formats) }
        } catch {
            defect = "\(error)"
            Log.once("\(error)")
        }
    }

    /// A file that is named must be there; the usual one need not be.
    private static func file(_ named: String?, else usual: URL) -> URL? {
        if let named, !named.isEmpty { return URL(fileURLWithPath: named) }
        return FileManager.default.fileExists(atPath: usual.path) ? usual : nil
    }
}

/// A property list with a dictionary.
private struct PropertyFile {
    struct Defect: Error, CustomStringConvertible {
        let description: String
    }

    private let path: String
    private let values: [String: Any]
    /// Bytes; such files are small.
    private static let largest = 1 << 20

    init(_ file: URL) throws {
        path = file.path
        let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        guard let size else { throw Defect(description: "\(path): cannot be read") }
        guard size <= Self.largest else { throw Defect(description: "\(path): larger than \(Self.largest) bytes") }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw Defect(description: "\(path): cannot be read")
        }
        let list = try? PropertyListSerialization.propertyList(from: data, format: nil)
        guard let values = list as? [String: Any] else {
            throw Defect(description: "\(path): is not a property list with a dictionary")
        }
        self.values = values
    }

    /// A text; empty if there is none.
    func text(_ key: String) throws -> String {
        guard let value = values[key] else { return "" }
        guard let text = value as? String else { throw Defect(description: "\(path): \(key): expected a string") }
        return text
    }

    /// A list of texts; empty if there is none.
    func list(_ key: String) throws -> [String] {
        guard let value = values[key] else { return [] }
        guard let list = value as? [String] else {
            throw Defect(description: "\(path): \(key): expected an array of strings")
        }
        return list
    }
}

/// What a person has to know who looks for a reason: lines on standard error, each text once in the life of the process.
enum Log {
    private static let logged = Mutex<Set<String>>([])
    /// Texts are remembered up to this number; what comes after is left out.
    private static let limit = 1000

    /// Writes a line, unless it has been written before.
    static func once(_ text: String) {
        let isNew = logged.withLock { $0.count < limit && $0.insert(text).inserted }
        if isNew { FileHandle.standardError.write(Data("CoreNFC: \(text)\n".utf8)) }
    }
}
