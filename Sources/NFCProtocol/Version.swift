/// The version of nfcd, its libraries and its programs.
public enum NFCDVersion {
    /// The release.
    public static let release = "0.1.0"
    /// The version of the protocol. It does not change: later releases only add to the protocol.
    public static let protocolVersion = 1
}
