/// One step with a DESFire. Each can be done again.
enum DESFireStep: SetUpStep, Hashable {
    case createApplication, createFile
    /// Writes credential and UID, unless they are in the file already.
    case writeFile
    /// A key of the application gets this version.
    case changeKey(UInt8, version: UInt8)
    /// The card master key gets this version; 0 for that of a card as delivered.
    case changeCardKey(version: UInt8)
    /// Reads the file as a tap does.
    case check
    /// Proves a key of the application other than key 0, which the card shows that it has: one that imitates it does not.
    case proveKey(UInt8)
    /// Proves key 0 of the application: an application whose versions are ours by chance only is not deleted.
    case prove
    case deleteApplication
    /// Proves the master keys, and reads all versions.
    case confirm

    var changesTag: Bool {
        switch self {
        case .check, .proveKey, .prove, .confirm: false
        default: true
        }
    }

    var words: String {
        switch self {
        case .createApplication: "create the application"
        case .createFile: "create the protected file"
        case .writeFile: "write credential and UID into the protected file"
        case .changeKey(let number, let version): "change key \(number) of the application to version \(version)"
        case .changeCardKey(0): "change the card master key to that of a card as delivered"
        case .changeCardKey(let version): "change the card master key to version \(version)"
        case .check: "read the protected file as a tap does"
        case .proveKey(let number): "prove key \(number) of the application"
        case .prove: "prove key 0 of the application"
        case .deleteApplication: "delete the application"
        case .confirm: "prove the master keys, and compare all versions"
        }
    }

    var newVersions: [UInt8: UInt8] {
        switch self {
        case .changeKey(let number, let version): [number: version]
        case .changeCardKey(let version): [UInt8(DESFireLayout.cardKey): version]
        case .deleteApplication: Dictionary(uniqueKeysWithValues: (0..<DESFireLayout.keyCount).map { ($0, 0) })
        case .createApplication, .createFile, .writeFile, .proveKey, .check, .prove, .confirm: [:]
        }
    }

    /// The answer to the change of a master key has no code, since the session ends with it.
    var provenVersions: [UInt8: UInt8] {
        if case .changeKey(1..., _) = self { newVersions } else { [:] }
    }
}
