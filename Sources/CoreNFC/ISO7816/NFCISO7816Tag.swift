public import Foundation
import NFCClient

/// A tag of ISO/IEC 7816-4 with one of the applications that the configuration lists.
public protocol NFCISO7816Tag: NFCNDEFTag, __NFCTag {
    /// The AID that was selected when the tag was found, in hexadecimal as it is listed; never empty.
    ///
    /// A program without an Info.plist, and a session for messages, have no list. Then it is the NDEF application, D2760000850101,
    /// which is selected where the tag has it. An iPhone would not deliver a tag without it.
    var initialSelectedAID: String { get }
    /// The UID of the tag.
    var identifier: Data { get }
    /// The historical bytes of a type A tag (ISO/IEC 14443-4, ATS); nil for type B.
    var historicalBytes: Data? { get }
    /// The application data of a type B tag (ISO/IEC 14443-3, ATQB); nil for type A.
    var applicationData: Data? { get }
    /// Whether ``applicationData`` is coded in a proprietary way.
    var proprietaryApplicationDataCoding: Bool { get }
    /// Whether the tag supports PACE. False where the tag does not report it.
    var supportsPACE: Bool { get }

    /// Sends a command. The handler gets the response data, which may be empty, SW1 and SW2.
    ///
    /// A status word other than 9000 is not an error. SELECT of an AID that is not listed gives error 2, and nothing is sent.
    @preconcurrency
    func sendCommand(
        apdu: NFCISO7816APDU, completionHandler: @escaping @Sendable (Data, UInt8, UInt8, (any Error)?) -> Void)
}

extension NFCISO7816Tag {
    /// False: test doubles written before iOS 26.4 do not have the property.
    public var supportsPACE: Bool { false }
}

extension NFCISO7816Tag {
    /// Sends a command. A status word other than 9000 is not an error.
    @preconcurrency
    public func sendCommand(
        apdu: NFCISO7816APDU,
        resultHandler: @escaping @Sendable (Result<NFCISO7816ResponseAPDU, any Error>) -> Void
    ) {
        sendCommand(apdu: apdu) { data, sw1, sw2, error in
            resultHandler(outcome(NFCISO7816ResponseAPDU(statusWord1: sw1, statusWord2: sw2, payload: data), error))
        }
    }

    /// Sends a command and gives the response data, SW1 and SW2. A status word other than 9000 is not an error.
    public func sendCommand(apdu: NFCISO7816APDU) async throws -> (Data, UInt8, UInt8) {
        try await awaiting { finish in sendCommand(apdu: apdu) { finish(($0, $1, $2), $3) } }
    }

    /// Sends a command. A status word other than 9000 is not an error.
    @_disfavoredOverload
    public func sendCommand(apdu: NFCISO7816APDU) async throws -> NFCISO7816ResponseAPDU {
        let (data, sw1, sw2): (Data, UInt8, UInt8) = try await sendCommand(apdu: apdu)
        return NFCISO7816ResponseAPDU(statusWord1: sw1, statusWord2: sw2, payload: data)
    }
}

/// A card of ISO/IEC 7816-4. As the only tag of its session it is connected to by its first command.
final class LiveISO7816Tag: LiveTag, NFCISO7816Tag, @unchecked Sendable {
    override var type: __NFCTagType { .iso7816Compatible }

    var initialSelectedAID: String { facts.initialSelectedAID?.description ?? "D2760000850101" }
    var applicationData: Data? { facts.applicationData.map { Data($0.bytes) } }
    var supportsPACE: Bool { facts.supportsPACE ?? false }

    /// Of type B: the two bits of the protocol information; false of other cards.
    var proprietaryApplicationDataCoding: Bool { facts.proprietaryApplicationDataCoding ?? false }

    @preconcurrency
    func sendCommand(
        apdu: NFCISO7816APDU, completionHandler: @escaping @Sendable (Data, UInt8, UInt8, (any Error)?) -> Void
    ) {
        send(apdu, with: { try await $0.iso7816.sendCommand($1) }) { data, sw1, sw2, error in
            // nfcd may have connected to the card for this command.
            if error == nil { self.engine.didConnect(to: self) }
            completionHandler(data, sw1, sw2, error)
        }
    }
}
