// Commands of manufacturers, requests as they are, and methods that no longer work.

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
    /// handed over as it is, with its flag.
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
