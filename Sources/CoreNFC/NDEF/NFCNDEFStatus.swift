/// What can be done with the NDEF message of a tag.
public enum NFCNDEFStatus: UInt, Sendable {
    /// The tag is not formatted for NDEF.
    case notSupported = 1
    /// The message can be read and written.
    case readWrite = 2
    /// The message can be read only.
    case readOnly = 3
}
