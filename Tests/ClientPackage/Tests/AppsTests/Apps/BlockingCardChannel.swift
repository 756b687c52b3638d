@preconcurrency import CoreNFC

/// A channel to a smart card whose calls block, as libraries that speak a card's protocol expect one.
///
/// It must not be used on the queue of its session, on which the answers arrive.
nonisolated final class BlockingCardChannel: NSObject, NFCTagReaderSessionDelegate, @unchecked Sendable {
    private let queue = DispatchQueue(label: "card")
    private let opened = Answer<any NFCISO7816Tag>()
    private var session: NFCTagReaderSession?

    /// Waits for a card, and connects to it.
    ///
    /// - Parameter application: the AID to look for.
    /// - Returns: the AID that the session selected.
    func open(_ application: String) throws -> String {
        let configuration = NFCTagReaderSession.Configuration(
            pollingOption: .iso14443, iso7816SelectIdentifiers: [application])
        session = NFCTagReaderSession(configuration: configuration, delegate: self, queue: queue)
        session?.begin()
        return try opened.wait().initialSelectedAID
    }

    /// Sends a command, and waits for the answer.
    func transmit(_ command: [UInt8]) throws -> [UInt8] {
        guard let apdu = NFCISO7816APDU(data: Data(command)) else {
            throw NFCReaderError(.readerErrorInvalidParameter)
        }
        let answer = Answer<[UInt8]>()
        try opened.wait().sendCommand(apdu: apdu) { data, sw1, sw2, error in
            answer.give(error.map { .failure($0) } ?? .success(Array(data) + [sw1, sw2]))
        }
        return try answer.wait()
    }

    /// Ends the session.
    func close() {
        session?.invalidate()
    }

    func tagReaderSessionDidBecomeActive(_ session: NFCTagReaderSession) {}

    func tagReaderSession(_ session: NFCTagReaderSession, didInvalidateWithError error: any Error) {
        opened.give(.failure(error))
    }

    func tagReaderSession(_ session: NFCTagReaderSession, didDetect tags: [NFCTag]) {
        guard let tag = tags.first, case .iso7816(let card) = tag else { return session.restartPolling() }
        session.connect(to: tag) { [opened] error in
            opened.give(error.map { .failure($0) } ?? .success(card))
        }
    }
}

/// A value that arrives once, from another thread; waiting for it blocks.
private nonisolated final class Answer<Value>: @unchecked Sendable {
    private let arrived = DispatchSemaphore(value: 0)
    private let lock = NSLock()
    private var result: Result<Value, any Error>?

    /// Stores the value; the first one stays.
    func give(_ value: Result<Value, any Error>) {
        lock.lock()
        defer { lock.unlock() }
        guard result == nil else { return }
        result = value
        arrived.signal()
    }

    /// Blocks until the value is there.
    func wait() throws -> Value {
        arrived.wait()
        arrived.signal()
        lock.lock()
        defer { lock.unlock() }
        guard let result else { throw NFCReaderError(.readerTransceiveErrorTagNotConnected) }
        return try result.get()
    }
}
