/// The product family of a MIFARE tag.
public enum NFCMiFareFamily: UInt, Sendable {
    /// A tag of type A that is of no known family.
    case unknown = 1
    /// MIFARE Ultralight; in practice NTAG too.
    case ultralight = 2
    /// MIFARE Plus.
    case plus = 3
    /// MIFARE DESFire.
    case desfire = 4
}
