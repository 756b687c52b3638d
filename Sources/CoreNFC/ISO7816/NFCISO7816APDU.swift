public import Foundation
import ISO7816

/// A command APDU (ISO/IEC 7816-4).
///
/// Empty data means that there is no Lc. Data over 255 bytes, or an expected length over 256, is sent in the extended form.
open class NFCISO7816APDU: NSObject, NSCopying, @unchecked Sendable {
    /// The class byte, CLA.
    public let instructionClass: UInt8
    /// The instruction byte, INS.
    public let instructionCode: UInt8
    /// The first parameter byte, P1.
    public let p1Parameter: UInt8
    /// The second parameter byte, P2.
    public let p2Parameter: UInt8
    /// The data field; nil where there is none.
    public let data: Data?
    /// The bytes expected in the response, 1…65536; −1 where none are, and there is no Le.
    public let expectedResponseLength: Int

    /// The command that the bytes were parsed as, in their form; nil for one made of fields.
    let parsed: CommandAPDU?

    /// A command of these fields. The ranges are checked when it is sent: 65,535 bytes of data, −1 or 1…65536.
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

    /// The command in these bytes, in any of the seven forms of ISO/IEC 7816-4; nil where they are none.
    ///
    /// A command that came in the extended form is sent in it, even where it would fit the short one.
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

    /// The same command: nothing of it can change.
    open func copy(with zone: NSZone? = nil) -> Any { self }
}
