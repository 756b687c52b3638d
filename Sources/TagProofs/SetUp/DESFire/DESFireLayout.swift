import SecureTags

/// What a DESFire of a profile has: one application of three AES keys, and in it one file, in full mode, which key 1 reads.
///
/// Key 0 changes the keys and the file. Everyone may list: so the versions of the keys, which are the log of a set-up, show which key to
/// try. Files and applications of others are never touched.
struct DESFireLayout: Sendable {
    /// Keys of the application.
    static let keyCount: UInt8 = 3
    /// The place of the card master key behind those of the application, in lists of versions.
    static let cardKey = 3
    /// KeySettings1 and 2: key 0 changes all keys, creates and deletes, and everyone lists; three AES keys.
    static let settings: [UInt8] = [0x0B, 0x80 | keyCount]
    /// The most memory that it takes, in bytes.
    static let memorySize = 256

    /// The application, as it is sent: the lowest byte first.
    let application: [UInt8]
    /// The number of the file.
    let fileNumber: UInt8
    /// How the file is read and written.
    let file: FileSettings
    /// The key that reads the file.
    let readKey: UInt8
    /// How AES keys are proven.
    let method: DESFireCard.Method

    /// - Throws: ``SetUpError`` if a card would refuse it.
    init(_ profile: TagProfile) throws(SetUpError) {
        let name = profile.name
        guard profile.product == .desfire, profile.method == .mutual else {
            throw SetUpError(.unsuitable, "profile \(name) is not of DESFire that is asked by a challenge")
        }
        guard profile.application.count == 3, profile.application != DESFireCard.level, profile.fileNumber < 32 else {
            throw SetUpError(.unsuitable, "profile \(name) needs an application of 3 bytes and a file below 32")
        }
        guard let readKey = profile.number(of: .tag), profile.keys[.tag] != nil else {
            throw SetUpError(.unsuitable, "profile \(name) names no tag key, which answers the challenge")
        }
        application = profile.application.reversed()
        fileNumber = profile.fileNumber
        self.readKey = readKey
        method = profile.messaging == .ev2 ? .ev2 : .ev1
        let rights = AccessRights(
            read: .key(readKey), write: .key(profile.number(of: .write) ?? 0), readWrite: .key(0), change: .key(0))
        file = FileSettings(content: .standard(size: CredentialFile.length), mode: .full, rights: rights)
    }

    /// The parameters of CreateApplication.
    var applicationParameters: [UInt8] { application + Self.settings }
    /// The parameters of CreateStdDataFile.
    var fileParameters: [UInt8] {
        [fileNumber, file.mode.rawValue] + file.rights.bytes + [UInt8](littleEndian: file.size, count: 3)
    }
}
