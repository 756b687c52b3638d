/// The numbers of CTAPHID, the transport of CTAP over USB HID (CTAP 2.1, §11.2).
public enum CTAPHID {
    /// The bytes of a report, in both directions.
    public static let reportSize = 64
    /// The most bytes of a message: one initialisation packet and 128 continuation packets (§11.2.4).
    public static let longestMessage = 57 + 128 * 59
}
