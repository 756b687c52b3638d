import Foundation
import ISO7816

extension NFCISO7816APDU {
    /// The encoded command: what was parsed in its own form, any other in the shortest.
    ///
    /// - Throws: error 4 for more than 65,535 bytes of data, 5 for an expected length that is neither −1 nor 1…65536.
    func encoded() throws(NFCReaderError) -> [UInt8] {
        if let parsed { return parsed.bytes }
        let length = expectedResponseLength == -1 ? nil : expectedResponseLength
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
