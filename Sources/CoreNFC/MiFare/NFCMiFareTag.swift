public import Foundation

/// A MIFARE tag, or one of type A that is much like it.
///
/// A tag with an application that the configuration lists arrives as ``NFCISO7816Tag`` instead.
public protocol NFCMiFareTag: NFCNDEFTag, __NFCTag {
    /// The product family.
    var mifareFamily: NFCMiFareFamily { get }
    /// The UID of the tag.
    var identifier: Data { get }
    /// The historical bytes (ISO/IEC 14443-4, ATS); nil where the tag has none.
    var historicalBytes: Data? { get }

    /// Sends a native command. The CRC is added, and chained responses are put together.
    @preconcurrency
    func sendMiFareCommand(
        commandPacket command: Data, completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void)

    /// Sends a command APDU to a tag of the families Plus and DESFire. A status word other than success is no error.
    @preconcurrency
    func sendMiFareISO7816Command(
        _ apdu: NFCISO7816APDU, completionHandler: @escaping @Sendable (Data, UInt8, UInt8, (any Error)?) -> Void)
}
