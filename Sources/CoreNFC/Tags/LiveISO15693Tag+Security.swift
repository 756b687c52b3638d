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
