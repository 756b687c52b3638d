/// One step with an NTAG 424 DNA. Each can be done again.
enum NTAG424Step: SetUpStep, Hashable {
    /// Authenticates with a key other than key 0, which the tag shows that it has: one that imitates it does not.
    case prove(UInt8)
    case writeMessage, clearMessage
    /// Gives file 3 the content that it has as delivered.
    case restoreApplicationFile
    /// A key gets this version; 0 for the key of a tag as delivered.
    case changeKey(UInt8, version: UInt8)
    case writeContainer([UInt8])
    case changeSettings(file: UInt8, [UInt8])
    /// Reads the message as a phone does.
    case check
    case set(SetUpOptions.Irreversible)
    /// Authenticates with the last key 0, and reads all versions.
    case confirm

    var changesTag: Bool {
        switch self {
        case .prove, .check, .confirm: false
        default: true
        }
    }

    var words: String {
        switch self {
        case .prove(let number): "prove key \(number)"
        case .writeMessage: "write the message"
        case .clearMessage: "clear the message"
        case .restoreApplicationFile: "restore the content of file 3"
        case .changeKey(let number, 0): "change key \(number) to that of a tag as delivered"
        case .changeKey(let number, let version): "change key \(number) to version \(version)"
        case .writeContainer: "write the capability container"
        case .changeSettings(let file, _): "change the rights of file \(file)"
        case .check: "read the message as a phone does"
        case .set(.lrp): "use LRP permanently, unless the tag does already"
        case .set(.randomUID): "hide the UID permanently"
        case .set(.lockKeys): "lock the keys permanently"
        case .set(.tamper): "measure the tamper loop from now on"
        case .confirm: "prove key 0, and compare all versions"
        }
    }

    var newVersions: [UInt8: UInt8] {
        if case .changeKey(let number, let version) = self { [number: version] } else { [:] }
    }

    /// The answer to the change of key 0 has no code (NT4H2421Gx, §10.6.1).
    var provenVersions: [UInt8: UInt8] { newVersions.filter { $0.key != 0 } }
}
