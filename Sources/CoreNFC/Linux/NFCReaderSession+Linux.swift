import NFCClient
import NFCProtocol

// What an iPhone does not have. Everything here is set before `begin()`, and is without effect afterwards.

extension NFCReaderSession {
    /// The readers to use, by name or by nfcd's own name for them, as `nfcctl readers` lists them; nil for all there are.
    public var readers: [String]? {
        get { wishes.current.readers }
        set { wishes.change { $0.readers = newValue } }
    }

    /// Whether a session without a reader waits for one in place of ending with code 1 or 6.
    public var waitsForReader: Bool {
        get { wishes.current.waitsForReader }
        set { wishes.change { $0.waitsForReader = newValue } }
    }

    /// Whether a session waits for its turn in place of ending with code 203 where another one holds a reader.
    public var waitsForTurn: Bool {
        get { wishes.current.waitsForTurn }
        set { wishes.change { $0.waitsForTurn = newValue } }
    }

    /// Seconds until the session ends with code 201, more than 0; nil, and anything longer, for nfcd's own limit.
    public var timeLimit: TimeInterval? {
        get { wishes.current.timeout }
        set { wishes.change { $0.timeout = newValue } }
    }

    /// Calls back on the session's queue when a tag that was delivered has left the field. It is in place of an earlier one; may
    /// be called at any time.
    public func onTagRemoval(_ handler: (@Sendable (any NFCNDEFTag) -> Void)?) {
        engine.onRemoval(handler)
    }
}

extension NFCReaderSession {
    /// A reader that nfcd has.
    public struct Reader: Sendable, Hashable {
        /// Its name for people, which a session can be told.
        public let name: String
        /// nfcd's own name for it, which a session can be told, too.
        public let identifier: String
        /// Of `iso14443`, `iso15693`, `iso18092`.
        public let technologies: [String]
    }

    /// The readers there are.
    ///
    /// - Throws: ``NFCReaderError`` 1 where there is no nfcd, 2 where it is not for this user.
    public static func availableReaders() async throws -> [Reader] {
        do {
            let readers = try await NFCClient.withConnection(to: DaemonAddress.path) { client in
                try await client.call(ReadersList.self)
            }
            return readers.map { Reader(name: $0.name, identifier: $0.reader, technologies: $0.technologies) }
        } catch {
            throw NFCReaderError(start: error)
        }
    }
}
