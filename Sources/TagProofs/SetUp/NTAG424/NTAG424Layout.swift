import SecureTags

/// What an NTAG 424 DNA of a profile has in its files, and what it has as delivered (NT4H2421Gx, §8.2.3).
struct NTAG424Layout: Sendable {
    static let deliveredMessageFile: [UInt8] = [0x00, 0xE0, 0xEE]
    static let deliveredApplicationFile: [UInt8] = [0x03, 0x30, 0x23]
    static let deliveredContainer: [UInt8] = [
        0x00, 0x17, 0x20, 0x01, 0x00, 0x00, 0xFF, 0x04, 0x06, 0xE1, 0x04, 0x01, 0x00, 0x00, 0x00, 0x05, 0x06, 0xE1,
        0x05, 0x00, 0x80, 0x82, 0x83,
    ]
    /// The same, read-only: what phones look at.
    static let container: [UInt8] = [
        0x00, 0x17, 0x20, 0x01, 0x00, 0x00, 0xFF, 0x04, 0x06, 0xE1, 0x04, 0x01, 0x00, 0x00, 0xFF, 0x05, 0x06, 0xE1,
        0x05, 0x00, 0x80, 0x80, 0x80,
    ]
    /// Everything with key 0, encrypted.
    static let applicationFile: [UInt8] = [0x03, 0x00, 0x00]
    /// What file 3 holds as delivered: a length of 126 bytes, and zeros.
    static let deliveredApplicationContent = [0x00, 0x7E] + [UInt8](repeating: 0, count: 126)

    /// The URL; nil for a tag that is asked by a challenge only, whose message stays.
    let template: SUNTemplate?
    /// The settings of the message file: everyone reads it, key 0 does the rest.
    let messageFile: [UInt8]

    /// - Throws: ``SetUpError`` if the tag would refuse them.
    init(_ profile: TagProfile) throws(SetUpError) {
        guard profile.product == .ntag424 else {
            throw SetUpError(.unsuitable, "profile \(profile.name) is not of NTAG 424 DNA")
        }
        guard profile.method != .sun || profile.url != nil else {
            throw SetUpError(.unsuitable, "profile \(profile.name) needs a url")
        }
        do throws(SecureTagError) {
            let template = try profile.url.map { (url) throws(SecureTagError) in
                try SUNTemplate(url, isLRP: profile.usesLRP)
            }
            guard profile.method == .mutual || !profile.expectsTamper || template?.showsTamper == true else {
                throw SecureTagError.invalidSettings(
                    "the profile expects a tamper loop, which its URL does not show. Add {tt} to the URL.")
            }
            let rights = AccessRights(read: .free, write: .key(0), readWrite: .key(0), change: .key(0))
            let settings = FileSettings(
                content: .standard(size: SUNTemplate.fileSize), mode: .plain, rights: rights,
                sdm: template?.settings(
                    metaReadKey: profile.number(of: .meta) ?? 1, fileReadKey: profile.number(of: .file) ?? 2))
            try settings.check(fileNumber: 2, isLRP: profile.usesLRP)
            (self.template, messageFile) = (template, settings.changeData)
        } catch {
            throw SetUpError(.unsuitable, "\(error)")
        }
    }
}
