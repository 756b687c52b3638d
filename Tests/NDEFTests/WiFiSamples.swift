enum WiFiSamples {
    /// A credential for "Home" with the passphrase "secret123", and the extension for version 2.0.
    static let home =
        "100E 0030 1026 0001 01 1045 0004 486F6D65 1003 0002 0020 100F 0002 0008 1027 0009 736563726574313233"
        + "1020 0006 FFFFFFFFFFFF 1049 0006 00372A 00 01 20"
    /// A hash of a public key.
    static let hash = "000102030405060708090A0B0C0D0E0F10111213"
}
