// What a tag is, in CoreNFC's terms. The raw values are the words that nfcd's protocol uses.

/// CoreNFC's type of a tag (`NFCTag`).
public enum TagType: String, Choice {
    /// `NFCTag.iso7816`.
    case iso7816
    /// `NFCTag.miFare`.
    case miFare
    /// `NFCTag.feliCa`.
    case feliCa
    /// `NFCTag.iso15693`.
    case iso15693
    /// A tag that CoreNFC has no type for.
    case unknown
}

/// CoreNFC's family of a MIFARE tag (`NFCMiFareFamily`).
public enum MIFAREFamily: String, Choice {
    /// None of the others.
    case unknown
    /// MIFARE Ultralight and NTAG.
    case ultralight
    /// MIFARE Plus in its ISO/IEC 14443-4 form.
    case plus
    /// MIFARE DESFire, and NTAG 4xx, which identifies itself in the same way.
    case desfire
}

/// Whether a tag holds NDEF, and whether it can be written (`NFCNDEFStatus`).
public enum NDEFStatus: String, Choice {
    /// The tag is not NDEF formatted, or it cannot be read.
    case notSupported
    /// The message can be read and written.
    case readWrite
    /// The message can only be read.
    case readOnly
}

/// Whether the content of a tag can be changed.
public enum LockState: String, Choice {
    /// Nothing is locked.
    case unlocked
    /// A part is locked.
    case partlyLocked
    /// Its message, or all of its memory, is permanently locked.
    case locked
    /// Changing it needs a password or key.
    case passwordProtected
    /// The tag does not report it, or its product is not known.
    case unknown
}

/// Whether a chip carries its manufacturer's signature of the UID.
public enum TagOriginality: String, Choice {
    /// The manufacturer signed this UID.
    case genuine
    /// The signature is not the manufacturer's, or of another UID.
    case notGenuine
    /// The signature could not be read, or no public key is known for the product.
    case unknown
}

/// How the memory of a tag is laid out.
public enum TagLayout: String, Choice {
    /// Blocks of 8 bytes: Topaz.
    case type1
    /// Pages of 4 bytes: Ultralight and NTAG.
    case type2
    /// Blocks of 16 bytes: FeliCa.
    case type3
    /// Files, shown in rows of 16 bytes.
    case type4
    /// Blocks of 1 to 32 bytes: ISO/IEC 15693.
    case type5
    /// Blocks of 16 bytes, in sectors with keys.
    case mifareClassic
}

/// What a tag needs its password for.
public enum PasswordScope: String, Choice {
    /// To write; everyone can read.
    case write
    /// To read and to write.
    case readWrite
}

/// Which of the passwords of an ICODE SLIX2.
public enum PasswordKind: String, Choice {
    /// The one that reading a protected page needs.
    case read
    /// The one that writing a protected page needs.
    case write
    /// The one that ends privacy mode.
    case privacy
    /// The one with which the tag can be destroyed. nfcd changes it, and destroys no tag.
    case destroy
    /// The one that changing EAS and AFI needs, where they are protected.
    case easAFI
}

/// A setting of an ICODE SLIX2 that cannot be undone.
public enum TagLock: String, Choice {
    /// The AFI can never be changed again.
    case afi
    /// EAS can never be turned on or off again.
    case eas
    /// Changing the AFI needs the EAS/AFI password.
    case afiPassword
    /// Turning EAS on or off needs the EAS/AFI password.
    case easPassword
    /// What the passwords protect can never be changed again.
    case protection
    /// Every access to a protected page needs the read and the write password (64-bit password protection).
    case bothPasswords
    /// The read password can never be changed again.
    case readPassword
    /// The write password can never be changed again.
    case writePassword
}

/// Whether a tag counts how often it is read (the NFC counter of NTAG21x).
public enum CounterUse: String, Choice {
    /// It does not count.
    case off
    /// It counts, and everyone can read the counter.
    case on
    /// It counts, and the counter can be read with the password only.
    case password
}

/// What a tag shows as text instead of a part of its memory (the ASCII mirror of NTAG21x).
public enum MirrorContent: String, Choice {
    /// Nothing. Not `none`, which Swift would take for a missing value.
    case off = "none"
    /// The UID: 14 hexadecimal digits.
    case uid
    /// The NFC counter: 6 hexadecimal digits.
    case counter
    /// The UID, the letter x and the counter: 21 characters.
    case uidAndCounter
}
