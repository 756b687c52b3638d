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
