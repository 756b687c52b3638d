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
    /// Proves key 0 of the application: an application whose versions are ours by chance only is not deleted.
    case prove
    case deleteApplication
    /// Proves the master keys, and reads all versions.
    case confirm

    var changesTag: Bool {
        switch self {
        case .check, .prove, .confirm: false
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
        case .prove: "prove key 0 of the application"
        case .deleteApplication: "delete the application"
        case .confirm: "prove the master keys, and compare all versions"
        }
    }
}
