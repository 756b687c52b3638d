/// The version of nfcd, its libraries and its programs.
public enum NFCDVersion {
    /// The release.
    public static let release = "0.1.0"
    /// The socket protocol: raised only when something of it is taken away, which is never.
    public static let protocolVersion = 1
}
