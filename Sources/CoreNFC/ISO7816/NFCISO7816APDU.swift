public import Foundation
import ISO7816

/// A command APDU (ISO/IEC 7816-4).
///
/// Lengths follow Apple's documentation (developer.apple.com, `NFCISO7816APDU`, and the header `NFCISO7816Tag.h`): Lc counts the
/// data, 1…65535 bytes, and empty data means that there is none; an expected length of 256 is a short Le of `00` where the
/// data has fewer than 256 bytes, 65536 is an extended Le of `0000`. Data over 255 bytes, or an expected length over 256, is sent in the
/// extended form.
open class NFCISO7816APDU: NSObject, NSCopying, @unchecked Sendable {
    /// The class byte, CLA.
    public let instructionClass: UInt8
    /// The instruction byte, INS.
    public let instructionCode: UInt8
    /// The first parameter byte, P1.
    public let p1Parameter: UInt8
    /// The second parameter byte, P2.
    public let p2Parameter: UInt8
    /// The data field; nil if there is none.
    public let data: Data?
    /// The bytes expected in the response, 1…65536; −1 where none are, and there is no Le. As Apple documents this property, the
    /// same is true of every negative value.
    ///
    /// Apple documents nothing for 0. Programs give it where they take the length from SW2 of `6100` or `6C00`; it means 256, as in the
    /// Le field itself.
    public let expectedResponseLength: Int

    /// The command that the bytes were parsed as, in their form; nil for one made of fields.
    let parsed: CommandAPDU?

    /// A command of these fields. The ranges are checked when it is sent: at most 65,535 bytes of data and an expected length of 65,536.
    public init(
        instructionClass: UInt8, instructionCode: UInt8, p1Parameter: UInt8, p2Parameter: UInt8, data: Data,
        expectedResponseLength: Int
    ) {
        self.instructionClass = instructionClass
        self.instructionCode = instructionCode
        self.p1Parameter = p1Parameter
        self.p2Parameter = p2Parameter
        self.data = data.isEmpty ? nil : data.fromZero
        self.expectedResponseLength = expectedResponseLength
        parsed = nil
    }

    /// The command in these bytes, in any of the seven forms of ISO/IEC 7816-4; nil where they are not a command.
    ///
    /// Apple documents this initializer as the one for more control of the format, and nil for data that does not contain a valid APDU
    /// (header `NFCISO7816Tag.h`); which bytes an iPhone takes beyond the standard is not known. Here, a command that came
    /// in the extended form is sent in it, even where it would fit the short one, and a length field that contradicts the bytes
    /// that follow gives nil. A Le of `00` reads as 256, and one of `0000` as 65536.
    public init?(data: Data) {
        guard let command = CommandAPDU(bytes: data) else { return nil }
        instructionClass = command.cla
        instructionCode = command.ins
        p1Parameter = command.p1
        p2Parameter = command.p2
        self.data = command.data.isEmpty ? nil : Data(command.data)
        expectedResponseLength = command.expectedLength ?? -1
        parsed = command
    }

    /// The same command: none of it can change.
    open func copy(with zone: NSZone? = nil) -> Any { self }
}

extension NFCISO7816APDU {
    /// The encoded command: what was parsed in its own form, any other in the shortest.
    ///
    /// - Throws: error 4 for more than 65,535 bytes of data, 5 for an expected length over 65536.
    func encoded() throws(NFCReaderError) -> [UInt8] {
        if let parsed { return parsed.bytes }
        let length: Int? =
            switch expectedResponseLength {
            case ..<0: nil
            case 0: 256
            default: expectedResponseLength
            }
        do throws(CommandAPDUError) {
            return try CommandAPDU(
                cla: instructionClass, ins: instructionCode, p1: p1Parameter, p2: p2Parameter,
                data: data.map(Array.init) ?? [], expectedLength: length
            ).bytes
        } catch {
            throw NFCReaderError(error)
        }
    }
}

extension NFCReaderError {
    fileprivate init(_ error: CommandAPDUError) {
        switch error {
        case .dataTooLong: self.init(.readerErrorInvalidParameterLength, reason: "\(error)")
        case .expectedLengthOutOfRange: self.init(.readerErrorParameterOutOfBound, reason: "\(error)")
        default: self.init(.readerErrorInvalidParameter, reason: "\(error)")
        }
    }
}

/// A response APDU: response data and the status word SW1-SW2 (ISO/IEC 7816-4).
public struct NFCISO7816ResponseAPDU: Sendable {
    /// SW1.
    public var statusWord1: UInt8
    /// SW2.
    public var statusWord2: UInt8
    /// The response data; empty or nil if there is none.
    public var payload: Data?

    /// A response of these parts. The label `paylaod` is spelt as in Apple's SDK.
    public init(statusWord1: UInt8, statusWord2: UInt8, paylaod: Data?) {
        self.init(statusWord1: statusWord1, statusWord2: statusWord2, payload: paylaod)
    }

    /// A response of these parts. Apple's SDK lacks this spelling.
    public init(statusWord1: UInt8, statusWord2: UInt8, payload: Data?) {
        self.statusWord1 = statusWord1
        self.statusWord2 = statusWord2
        self.payload = payload?.fromZero
    }
}
