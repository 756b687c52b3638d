public import Foundation

/// A tag of ISO/IEC 7816-4 with one of the applications that the configuration lists.
public protocol NFCISO7816Tag: NFCNDEFTag, __NFCTag {
    /// The AID that was selected when the tag was found, in hexadecimal as it is listed.
    var initialSelectedAID: String { get }
    /// The UID of the tag.
    var identifier: Data { get }
    /// The historical bytes of a type A tag (ISO/IEC 14443-4, ATS); nil for type B.
    var historicalBytes: Data? { get }
    /// The application data of a type B tag (ISO/IEC 14443-3, ATQB); nil for type A.
    var applicationData: Data? { get }
    /// Whether ``applicationData`` is coded in a proprietary way.
    var proprietaryApplicationDataCoding: Bool { get }
    /// Whether the tag supports PACE. A tag that does not say does not.
    var supportsPACE: Bool { get }

    /// Sends a command. The handler gets the response data, which may be empty, SW1 and SW2.
    ///
    /// A status word other than 9000 is no error. SELECT of an AID that is not listed gives error 2, and nothing is sent.
    @preconcurrency
    func sendCommand(
        apdu: NFCISO7816APDU, completionHandler: @escaping @Sendable (Data, UInt8, UInt8, (any Error)?) -> Void)
}

extension NFCISO7816Tag {
    /// False: tags of test doubles written before iOS 26.4 do not say.
    public var supportsPACE: Bool { false }
}
