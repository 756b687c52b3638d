internal import CLinux

/// The version of nfcd, its libraries and its programs.
public enum NFCDVersion {
    /// The release.
    public static let release = "0.1.0"
    /// The commit that the programs were built from; empty where the build did not note it.
    public static let commit = String(cString: nfcd_build_commit())
    /// Where a person finds nfcd and its packages; empty where the build did not note it.
    public static let url = String(cString: nfcd_build_url())
    /// What `--version` prints: the release, and the commit in brackets.
    public static let full = commit.isEmpty ? release : "\(release) (\(commit))"
    /// The version of the protocol. It does not change: later releases only add to the protocol.
    public static let protocolVersion = 1
}
