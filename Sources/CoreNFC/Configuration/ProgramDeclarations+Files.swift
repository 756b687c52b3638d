import Synchronization

/// The keys that programs declare, as Apple names them.
enum DeclarationKey {
    static let formats = "com.apple.developer.nfc.readersession.formats"
    static let usageDescription = "NFCReaderUsageDescription"
    static let selectIdentifiers = "com.apple.developer.nfc.readersession.iso7816.select-identifiers"
    static let systemCodes = "com.apple.developer.nfc.readersession.felica.systemcodes"
}

/// What sessions are to take for the program's declarations.
package enum DeclarationFiles {
    /// Has sessions take two files in place of those of the program; nil for one that is not there.
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

    /// Puts others in place of those of this program; nil for its own again.
    static func replace(with declarations: ProgramDeclarations?) {
        replacement.withLock { $0 = declarations }
    }

    /// What the files say that the environment names or that lie beside the executable.
    init(environment: [String: String], executable: String) {
        let program = URL(fileURLWithPath: executable).resolvingSymlinksInPath()
        let folder = program.deletingLastPathComponent()
        self.init(
            information: Self.file(environment["NFC_INFO_PLIST"], else: folder.appendingPathComponent("Info.plist")),
            entitlements: Self.file(
                environment["NFC_ENTITLEMENTS"], else: program.appendingPathExtension("entitlements")))
    }

    /// What two files say; nil for one that is not there.
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
            throw Defect(description: "\(path): is no property list with a dictionary")
        }
        self.values = values
    }

    /// A text; empty where there is none.
    func text(_ key: String) throws -> String {
        guard let value = values[key] else { return "" }
        guard let text = value as? String else { throw Defect(description: "\(path): \(key): expected a string") }
        return text
    }

    /// A list of texts; empty where there is none.
    func list(_ key: String) throws -> [String] {
        guard let value = values[key] else { return [] }
        guard let list = value as? [String] else {
            throw Defect(description: "\(path): \(key): expected an array of strings")
        }
        return list
    }
}
