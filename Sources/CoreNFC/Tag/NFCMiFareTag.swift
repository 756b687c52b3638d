public import Foundation
import NFCClient

/// A MIFARE tag, or one of type A that is much like it.
///
/// A tag with an application that the configuration lists arrives as ``NFCISO7816Tag`` instead. Without a list, MIFARE Plus and
/// DESFire cards arrive as this, and so do NTAG 4xx DNA tags, as of family DESFire.
public protocol NFCMiFareTag: NFCNDEFTag, __NFCTag {
    /// The product family.
    var mifareFamily: NFCMiFareFamily { get }
    /// The UID of the tag.
    var identifier: Data { get }
    /// The historical bytes (ISO/IEC 14443-4, ATS); nil where the tag has none.
    var historicalBytes: Data? { get }

    /// Sends a native command of MIFARE Ultralight, Plus or DESFire. The CRC is added.
    ///
    /// The answer of a Plus or DESFire card begins with its status byte. A DESFire answer in several frames, each of which the card
    /// announces with AF, comes whole, with the last status in front. A packet to such a card that is a command APDU of class 00 or 90
    /// is sent unchanged, and SW1 and SW2 end its answer. Some readers pass nothing but command APDUs to MIFARE Plus.
    @preconcurrency
    func sendMiFareCommand(
        commandPacket command: Data, completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void)

    /// Sends a command APDU to a tag of the families Plus and DESFire. A status word other than success is not an error.
    @preconcurrency
    func sendMiFareISO7816Command(
        _ apdu: NFCISO7816APDU, completionHandler: @escaping @Sendable (Data, UInt8, UInt8, (any Error)?) -> Void)
}

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

extension NFCMiFareTag {
    /// Sends a native command.
    @preconcurrency
    public func sendMiFareCommand(
        commandPacket command: Data, resultHandler: @escaping @Sendable (Result<Data, any Error>) -> Void
    ) {
        sendMiFareCommand(commandPacket: command) { resultHandler(outcome($0, $1)) }
    }

    /// Sends a command APDU to a tag of the families Plus and DESFire.
    @preconcurrency
    public func sendMiFareISO7816Command(
        _ apdu: NFCISO7816APDU,
        resultHandler: @escaping @Sendable (Result<NFCISO7816ResponseAPDU, any Error>) -> Void
    ) {
        sendMiFareISO7816Command(apdu) { data, sw1, sw2, error in
            resultHandler(outcome(NFCISO7816ResponseAPDU(statusWord1: sw1, statusWord2: sw2, payload: data), error))
        }
    }

    /// Sends a native command and gives the reply.
    public func sendMiFareCommand(commandPacket command: Data) async throws -> Data {
        try await awaiting { sendMiFareCommand(commandPacket: command, completionHandler: $0) }
    }

    /// Sends a command APDU and gives the response data, SW1 and SW2.
    public func sendMiFareISO7816Command(_ apdu: NFCISO7816APDU) async throws -> (Data, UInt8, UInt8) {
        try await awaiting { finish in sendMiFareISO7816Command(apdu) { finish(($0, $1, $2), $3) } }
    }

    /// Sends a command APDU.
    @_disfavoredOverload
    public func sendMiFareISO7816Command(_ apdu: NFCISO7816APDU) async throws -> NFCISO7816ResponseAPDU {
        let (data, sw1, sw2): (Data, UInt8, UInt8) = try await sendMiFareISO7816Command(apdu)
        return NFCISO7816ResponseAPDU(statusWord1: sw1, statusWord2: sw2, payload: data)
    }
}

/// A MIFARE tag.
final class LiveMiFareTag: LiveTag, NFCMiFareTag, @unchecked Sendable {
    private var takesCommandAPDUs: Bool { mifareFamily == .plus || mifareFamily == .desfire }

    var mifareFamily: NFCMiFareFamily {
        switch facts.mifareFamily {
        case .ultralight: .ultralight
        case .plus: .plus
        case .desfire: .desfire
        case .unknown, nil: .unknown
        }
    }

    @preconcurrency
    func sendMiFareCommand(
        commandPacket command: Data, completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void
    ) {
        let isCard = takesCommandAPDUs
        engine.perform(on: self) {
            guard !command.isEmpty else {
                throw NFCReaderError(.readerErrorInvalidParameterLength, reason: "a MIFARE command has at least 1 byte")
            }
            return isCard ? try await MiFarePacket(command).send(to: $0) : try await $0.miFare.sendCommand(command)
        } completion: { result in
            switch result {
            case .success(let answer): completionHandler(Data(answer), nil)
            case .failure(let error): completionHandler(Data(), error)
            }
        }
    }

    @preconcurrency
    func sendMiFareISO7816Command(
        _ apdu: NFCISO7816APDU, completionHandler: @escaping @Sendable (Data, UInt8, UInt8, (any Error)?) -> Void
    ) {
        guard takesCommandAPDUs else {
            let reason = "only MIFARE Plus and DESFire take command APDUs"
            let error = NFCReaderError(.readerErrorUnsupportedFeature, reason: reason)
            return engine.refuse(error) { completionHandler(Data(), 0, 0, $0) }
        }
        send(apdu, with: { try await $0.miFare.sendISO7816Command($1) }, completionHandler)
    }
}
