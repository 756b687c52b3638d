// The commands of ISO/IEC 15693-3 on the state of a tag, its identifiers and what it tells of itself.

extension LiveISO15693Tag {
    @preconcurrency
    func stayQuiet(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        unanswered(0x02, .highDataRate, done: completionHandler)
    }

    @preconcurrency
    func select(
        requestFlags flags: NFCISO15693RequestFlag, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        command(0x25, flags, done: completionHandler)
    }

    @preconcurrency
    func resetToReady(
        requestFlags flags: NFCISO15693RequestFlag, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        command(0x26, flags, done: completionHandler)
    }

    @preconcurrency
    func writeAFI(
        requestFlags flags: NFCISO15693RequestFlag, afi: UInt8,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        command(0x27, flags, { () throws(NFCReaderError) in [afi] }, done: completionHandler)
    }

    @preconcurrency
    func lockAFI(
        requestFlags flags: NFCISO15693RequestFlag, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        command(0x28, flags, done: completionHandler)
    }

    @preconcurrency
    func writeDSFID(
        requestFlags flags: NFCISO15693RequestFlag, dsfid: UInt8,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        command(0x29, flags, { () throws(NFCReaderError) in [dsfid] }, done: completionHandler)
    }

    @preconcurrency
    func lockDSFID(
        requestFlags flags: NFCISO15693RequestFlag, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        command(0x2A, flags, done: completionHandler)
    }

    /// The older name of the method above.
    @preconcurrency
    func lockDFSID(
        requestFlags flags: NFCISO15693RequestFlag, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        lockDSFID(requestFlags: flags, completionHandler: completionHandler)
    }

    @preconcurrency
    func getSystemInfo(
        requestFlags flags: NFCISO15693RequestFlag,
        completionHandler: @escaping @Sendable (Int, Int, Int, Int, Int, (any Error)?) -> Void
    ) {
        __getSystemInfoAndUID(with: flags) { completionHandler($1, $2, $3, $4, $5, $6) }
    }

    @preconcurrency
    func __getSystemInfoAndUID(
        with flags: NFCISO15693RequestFlag,
        completionHandler: @escaping @Sendable (Data?, Int, Int, Int, Int, Int, (any Error)?) -> Void
    ) {
        command(0x2B, flags) { answer throws(NFCReaderError) in
            try VicinityInformation(answer)
        } completion: { result in
            switch result {
            case .success(let found):
                completionHandler(
                    found.identifier, found.format, found.family, found.blockSize, found.blockCount, found.reference,
                    nil)
            case .failure(let error): completionHandler(nil, -1, -1, -1, -1, -1, error)
            }
        }
    }
}
