import NFCClient
import NFCProtocol

/// A tag of ISO/IEC 15693. Its commands are addressed: the UID is sent along, unless the caller passes `.select`.
final class LiveISO15693Tag: LiveTag, NFCISO15693Tag, @unchecked Sendable {
    override var type: __NFCTagType { .ISO15693 }

    var icManufacturerCode: Int { identifier.count == 8 ? Int(identifier[1]) : 0 }
    var icSerialNumber: Data { (identifier.count == 8 ? identifier.dropFirst(2) : Data()).fromZero }

    /// The UID as it goes over the air, least significant byte first.
    var wireIdentifier: [UInt8] { facts.identifier.bytes.reversed() }

    /// Sends a complete request.
    func send<Value: Sendable>(
        _ request: @escaping @Sendable () throws(NFCReaderError) -> VicinityRequest,
        read: @escaping @Sendable (VicinityAnswer) throws(NFCReaderError) -> Value,
        completion: @escaping @Sendable (Result<Value, NFCReaderError>) -> Void
    ) {
        engine.perform(on: self) { remote in
            try read(try await request().send(to: remote))
        } completion: {
            completion($0)
        }
    }

    /// Sends a command with its UID and parameters; an answer that is an error fails with 102.
    func command<Value: Sendable>(
        _ code: UInt8, _ flags: NFCISO15693RequestFlag,
        _ parameters: @escaping @Sendable () throws(NFCReaderError) -> [UInt8] = { () throws(NFCReaderError) in [] },
        read: @escaping @Sendable (VicinityAnswer) throws(NFCReaderError) -> Value,
        completion: @escaping @Sendable (Result<Value, NFCReaderError>) -> Void
    ) {
        let identifier = wireIdentifier
        send { () throws(NFCReaderError) in
            VicinityRequest(code, flags, to: identifier, try parameters())
        } read: { answer throws(NFCReaderError) in
            try answer.checkError()
            return try read(answer)
        } completion: {
            completion($0)
        }
    }

    /// Sends a command whose answer holds no data.
    func command(
        _ code: UInt8, _ flags: NFCISO15693RequestFlag,
        _ parameters: @escaping @Sendable () throws(NFCReaderError) -> [UInt8] = { () throws(NFCReaderError) in [] },
        done: @escaping @Sendable ((any Error)?) -> Void
    ) {
        command(code, flags, parameters) { _ throws(NFCReaderError) in
        } completion: {
            done($0.failure)
        }
    }

    /// Sends a command that no tag answers: silence is success.
    func unanswered(
        _ code: UInt8, _ flags: NFCISO15693RequestFlag,
        _ parameters: @escaping @Sendable () throws(NFCReaderError) -> [UInt8] = { () throws(NFCReaderError) in [] },
        done: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let identifier = wireIdentifier
        engine.perform(on: self) { remote in
            do {
                let request = VicinityRequest(code, flags, to: identifier, try parameters())
                try await request.send(to: remote).checkError()
            } catch is TagSilence {}
        } completion: {
            // Some readers report silence in the form of an answer.
            let isAnswer = $0.failure?.code == .readerTransceiveErrorTagResponseError
            done(isAnswer ? nil : $0.failure)
        }
    }
}

// What the commands on blocks have in common, whether a block's number is a byte or two.

extension LiveISO15693Tag {
    /// Reads a block: what the tag answers, its security status in front with the option flag.
    func readBlock(
        _ code: UInt8, _ flags: NFCISO15693RequestFlag, _ width: VicinityWidth, _ number: Int,
        _ completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void
    ) {
        command(code, flags) { () throws(NFCReaderError) in
            try width.block(number)
        } read: { answer throws(NFCReaderError) in
            Data(answer.bytes)
        } completion: {
            completionHandler((try? $0.get()) ?? Data(), $0.failure)
        }
    }

    /// Reads blocks in a row, each a part of the answer.
    func readBlocks(
        _ code: UInt8, _ flags: NFCISO15693RequestFlag, _ width: VicinityWidth, _ range: NSRange,
        _ completionHandler: @escaping @Sendable ([Data], (any Error)?) -> Void
    ) {
        readRow(code, flags, width, range, completionHandler) { answer throws(NFCReaderError) in
            try answer.parts(range.length)
        }
    }

    /// Reads the security status of blocks in a row.
    func readStates(
        _ code: UInt8, _ flags: NFCISO15693RequestFlag, _ width: VicinityWidth, _ range: NSRange,
        _ completionHandler: @escaping @Sendable ([NSNumber], (any Error)?) -> Void
    ) {
        readRow(code, flags, width, range, completionHandler) { answer throws(NFCReaderError) in
            try answer.states(range.length)
        }
    }

    private func readRow<Element: Sendable>(
        _ code: UInt8, _ flags: NFCISO15693RequestFlag, _ width: VicinityWidth, _ range: NSRange,
        _ completionHandler: @escaping @Sendable ([Element], (any Error)?) -> Void,
        read: @escaping @Sendable (VicinityAnswer) throws(NFCReaderError) -> [Element]
    ) {
        command(code, flags) { () throws(NFCReaderError) in
            try width.range(range)
        } read: { answer throws(NFCReaderError) in
            try read(answer)
        } completion: {
            completionHandler((try? $0.get()) ?? [], $0.failure)
        }
    }
}

// The commands of ISO/IEC 15693-3 on blocks whose number is a byte.

extension LiveISO15693Tag {
    @preconcurrency
    func readSingleBlock(
        requestFlags flags: NFCISO15693RequestFlag, blockNumber: UInt8,
        completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void
    ) {
        readBlock(0x20, flags, .short, Int(blockNumber), completionHandler)
    }

    @preconcurrency
    func writeSingleBlock(
        requestFlags flags: NFCISO15693RequestFlag, blockNumber: UInt8, dataBlock: Data,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        command(
            0x21, flags, { () throws(NFCReaderError) in try VicinityWidth.short.block(Int(blockNumber)) + dataBlock },
            done: completionHandler)
    }

    @preconcurrency
    func lockBlock(
        requestFlags flags: NFCISO15693RequestFlag, blockNumber: UInt8,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        command(
            0x22, flags, { () throws(NFCReaderError) in try VicinityWidth.short.block(Int(blockNumber)) },
            done: completionHandler)
    }

    @preconcurrency
    func readMultipleBlocks(
        requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange,
        completionHandler: @escaping @Sendable ([Data], (any Error)?) -> Void
    ) {
        readBlocks(0x23, flags, .short, blockRange, completionHandler)
    }

    @preconcurrency
    func writeMultipleBlocks(
        requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange, dataBlocks: [Data],
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        command(
            0x24, flags, { () throws(NFCReaderError) in try VicinityWidth.short.range(blockRange, dataBlocks) },
            done: completionHandler)
    }

    @preconcurrency
    func getMultipleBlockSecurityStatus(
        requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange,
        completionHandler: @escaping @Sendable ([NSNumber], (any Error)?) -> Void
    ) {
        readStates(0x2C, flags, .short, blockRange, completionHandler)
    }

    @preconcurrency
    func __fastReadMultipleBlocks(
        with flags: NFCISO15693RequestFlag, blockRange: NSRange,
        completionHandler: @escaping @Sendable ([Data], (any Error)?) -> Void
    ) {
        readBlocks(0x2D, flags, .short, blockRange, completionHandler)
    }
}

// The extended commands of ISO/IEC 15693-3, on blocks whose number is two bytes.

extension LiveISO15693Tag {
    @preconcurrency
    func extendedReadSingleBlock(
        requestFlags flags: NFCISO15693RequestFlag, blockNumber: Int,
        completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void
    ) {
        readBlock(0x30, flags, .extended, blockNumber, completionHandler)
    }

    @preconcurrency
    func extendedWriteSingleBlock(
        requestFlags flags: NFCISO15693RequestFlag, blockNumber: Int, dataBlock: Data,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        command(
            0x31, flags, { () throws(NFCReaderError) in try VicinityWidth.extended.block(blockNumber) + dataBlock },
            done: completionHandler)
    }

    @preconcurrency
    func extendedLockBlock(
        requestFlags flags: NFCISO15693RequestFlag, blockNumber: Int,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        command(
            0x32, flags, { () throws(NFCReaderError) in try VicinityWidth.extended.block(blockNumber) },
            done: completionHandler)
    }

    @preconcurrency
    func extendedReadMultipleBlocks(
        requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange,
        completionHandler: @escaping @Sendable ([Data], (any Error)?) -> Void
    ) {
        readBlocks(0x33, flags, .extended, blockRange, completionHandler)
    }

    @preconcurrency
    func __extendedWriteMultipleBlocks(
        withRequestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange, dataBlocks: [Data],
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        command(
            0x34, flags, { () throws(NFCReaderError) in try VicinityWidth.extended.range(blockRange, dataBlocks) },
            done: completionHandler)
    }

    @preconcurrency
    func __extendedGetMultipleBlockSecurityStatus(
        with flags: NFCISO15693RequestFlag, blockRange: NSRange,
        completionHandler: @escaping @Sendable ([NSNumber], (any Error)?) -> Void
    ) {
        readStates(0x3C, flags, .extended, blockRange, completionHandler)
    }

    @preconcurrency
    func __extendedFastReadMultipleBlocks(
        with flags: NFCISO15693RequestFlag, blockRange: NSRange,
        completionHandler: @escaping @Sendable ([Data], (any Error)?) -> Void
    ) {
        readBlocks(0x3D, flags, .extended, blockRange, completionHandler)
    }
}
