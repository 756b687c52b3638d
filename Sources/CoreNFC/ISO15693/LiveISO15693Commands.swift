// The commands of ISO/IEC 15693-3 on the state of a tag, its identifiers and its system information.

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

// The commands of ISO/IEC 15693-3 for security, whose forms ISO/IEC 29167 gives.

extension LiveISO15693Tag {
    @preconcurrency
    func __authenticate(
        withRequestFlags flags: NFCISO15693RequestFlag, cryptoSuiteIdentifier: Int, message: Data,
        completionHandler: @escaping @Sendable (NFCISO15693ResponseFlag, Data, (any Error)?) -> Void
    ) {
        whole(0x35, flags) { () throws(NFCReaderError) in
            [try VicinityWidth.byte(cryptoSuiteIdentifier, "cryptoSuiteIdentifier")] + message
        } completion: {
            completionHandler($0, $1, $2)
        }
    }

    @preconcurrency
    func __keyUpdate(
        withRequestFlags flags: NFCISO15693RequestFlag, keyIdentifier: Int, message: Data,
        completionHandler: @escaping @Sendable (NFCISO15693ResponseFlag, Data, (any Error)?) -> Void
    ) {
        whole(0x36, flags) { () throws(NFCReaderError) in
            [try VicinityWidth.byte(keyIdentifier, "keyIdentifier")] + message
        } completion: {
            completionHandler($0, $1, $2)
        }
    }

    @preconcurrency
    func __challenge(
        withRequestFlags flags: NFCISO15693RequestFlag, cryptoSuiteIdentifier: Int, message: Data,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        unanswered(
            0x39, flags,
            { () throws(NFCReaderError) in
                [try VicinityWidth.byte(cryptoSuiteIdentifier, "cryptoSuiteIdentifier")] + message
            }, done: completionHandler)
    }

    @preconcurrency
    func __readBuffer(
        withRequestFlags flags: NFCISO15693RequestFlag,
        completionHandler: @escaping @Sendable (NFCISO15693ResponseFlag, Data, (any Error)?) -> Void
    ) {
        whole(0x3A, flags) { () throws(NFCReaderError) in
            []
        } completion: {
            completionHandler($0, $1, $2)
        }
    }

    /// A command whose answer is handed over unprocessed, those of a command in progress included.
    private func whole(
        _ code: UInt8, _ flags: NFCISO15693RequestFlag,
        _ parameters: @escaping @Sendable () throws(NFCReaderError) -> [UInt8],
        completion: @escaping @Sendable (NFCISO15693ResponseFlag, Data, NFCReaderError?) -> Void
    ) {
        command(code, flags, parameters) { answer throws(NFCReaderError) in
            answer
        } completion: { result in
            switch result {
            case .success(let answer): completion(answer.flags, Data(answer.bytes), nil)
            case .failure(let error): completion([], Data(), error)
            }
        }
    }
}

// Commands of manufacturers, raw requests, and methods that no longer work.

extension LiveISO15693Tag {
    /// The manufacturer's code of the tag is sent along.
    @preconcurrency
    func customCommand(
        requestFlags flags: NFCISO15693RequestFlag, customCommandCode: Int, customRequestParameters: Data,
        completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void
    ) {
        let (identifier, manufacturer) = (wireIdentifier, UInt8(truncatingIfNeeded: icManufacturerCode))
        send { () throws(NFCReaderError) in
            VicinityRequest(
                try VicinityWidth.byte(customCommandCode, "custom command code", in: 0xA0...0xDF), flags,
                prefix: [manufacturer], to: identifier, Array(customRequestParameters))
        } read: { answer throws(NFCReaderError) in
            try answer.checkError()
            return Data(answer.bytes)
        } completion: {
            completionHandler((try? $0.get()) ?? Data(), $0.failure)
        }
    }

    /// Nothing is added but the flags and the code: the caller puts the UID into the data. An answer that is an error is
    /// passed on raw, with its flag.
    @preconcurrency
    func __sendRequest(
        withFlag flags: Int, commandCode: Int, data: Data?,
        completionHandler: @escaping @Sendable (NFCISO15693ResponseFlag, Data?, (any Error)?) -> Void
    ) {
        send { () throws(NFCReaderError) in
            VicinityRequest(
                flags: try VicinityWidth.byte(flags, "flags"),
                command: try VicinityWidth.byte(commandCode, "command code"),
                data: data.map { Array($0) } ?? [])
        } read: { answer throws(NFCReaderError) in
            answer
        } completion: { result in
            switch result {
            case .success(let answer): completionHandler(answer.flags, Data(answer.bytes), nil)
            case .failure(let error): completionHandler([], nil, error)
            }
        }
    }

    /// Fails with 1: a method of the first sessions.
    @preconcurrency
    func sendCustomCommand(
        commandConfiguration: NFCISO15693CustomCommandConfiguration,
        completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void
    ) {
        engine.refuse(.legacy) { completionHandler(Data(), $0) }
    }

    /// Fails with 1: a method of the first sessions.
    @preconcurrency
    func readMultipleBlock(
        readConfiguration: NFCISO15693ReadMultipleBlocksConfiguration,
        completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void
    ) {
        engine.refuse(.legacy) { completionHandler(Data(), $0) }
    }
}

extension NFCReaderError {
    fileprivate static var legacy: NFCReaderError {
        NFCReaderError(.readerErrorUnsupportedFeature, reason: "use the methods that take request flags")
    }
}
