// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A test requires a description of every field.
public import NFCTypes

/// Protects a tag with a password, or changes its password.
///
/// Supported by NTAG21x and MIFARE Ultralight EV1, and by MIFARE Ultralight AES with an AES key instead of the password, on a reader
/// that sends raw commands; and by ICODE SLIX2, whose pages are blocks, on a reader that sends ISO 15693 requests. Where the tag has a password already, give it
/// first with `tag.authenticate`. The tag has to accept the new password before it is in force; wherever the command is interrupted,
/// the tag has the old password, none, or the new one. A tag whose password is lost stays unchanged. An ICODE SLIX2 takes its read and its
/// write password for a change of what they protect; those that were not given are tried as delivered, 00000000, where no page needs them.
public enum TagSetPassword: TagMethod {
    public static let name = "tag.setPassword"
    public static let requirement = Requirement.capability(.lock)
    public typealias Arguments = TagPassword
    public typealias Result = TagProtection
}

/// Removes the password of a tag.
///
/// Give the password first with `tag.authenticate`. Afterwards the tag has the password FFFFFFFF, or the key of zeros, that it was
/// delivered with, and no page needs it. Those of an ICODE SLIX2 that were given become 00000000.
public enum TagRemovePassword: TagMethod {
    public static let name = "tag.removePassword"
    public static let requirement = Requirement.capability(.lock)
    public typealias Arguments = Empty
}

/// Changes settings of an NTAG21x or an ICODE SLIX2.
///
/// What is not given stays unchanged. An NTAG21x has the NFC counter and the ASCII mirror, an ICODE SLIX2 the counter, AFI, EAS, permanent
/// locks and privacy mode. The NTAG's counter and its mirror are supported by NTAG213, 215 and 216, the mirror of the UID by NTAG210
/// and 212 too. The tag shows the mirror instead of the stored bytes whenever it is read. Locks cannot be undone. In privacy mode no reader
/// finds the tag: nfcd cannot see it any more, and only a device that sends the privacy password without looking for a tag ends it.
public enum TagConfigure: TagMethod {
    public static let name = "tag.configure"
    public static let requirement = Requirement.capability(.lock)
    public typealias Arguments = TagSettingChanges
    public typealias Result = TagSettings
}
