package import NFCTags
import Threading

/// A reader behind a library with blocking calls; used from one thread only.
package protocol BlockingReader: AnyObject {
    /// Connects to the tag in the field and returns its answer to reset.
    func connect() throws(CardChannelError) -> [UInt8]

    /// Sends one command APDU and returns the whole response.
    func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8]

    /// Resets the tag, which stays connected and loses its state.
    func reconnect() throws(CardChannelError)

    /// Keeps other programs away from the tag. A connection begins locked; then it has no effect.
    ///
    /// - Throws: ``CardChannelError/busy`` where another program uses the tag at the moment, ``CardChannelError/tagLost``
    ///   where one has reset it or it left; then the connection is over.
    func lock() throws(CardChannelError)

    /// Lets other programs use the tag, which is not reset and stays connected.
    func unlock()

    /// Disconnects from the tag, if connected.
    func disconnect()
}

/// The thread of a reader's blocking calls.
actor BlockingThread {
    private let executor: ThreadExecutor
    private let reader: any BlockingReader
    /// The number of connections so far. Only the latest connection has the card.
    private var connections = 0
    /// Whether other programs may use the tag of the latest connection between uses.
    private var isShared = false
    private var isInUse = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(reader: sending any BlockingReader) {
        executor = ThreadExecutor()
        self.reader = reader
    }

    /// Runs a call after the calls before it. It is not part of a task, so a waiting task can abandon it.
    nonisolated func call(_ body: @escaping @Sendable (isolated BlockingThread) -> Void) {
        executor.run { self.assumeIsolated(body) }
    }

    /// Connects to the tag.
    func connect() -> Result<(answerToReset: [UInt8], number: Int), CardChannelError> {
        Result { () throws(CardChannelError) in
            let answer = try reader.connect()
            connections += 1
            (isShared, isInUse) = (false, false)
            return (answer, connections)
        }
    }

    func transmit(_ command: [UInt8], over number: Int) -> Result<[UInt8], CardChannelError> {
        Result { () throws(CardChannelError) in
            guard number == connections else { throw .tagLost }
            return try reader.transmit(command)
        }
    }

    func reconnect(_ number: Int) -> Result<Void, CardChannelError> {
        Result { () throws(CardChannelError) in
            guard number == connections else { throw .tagLost }
            try reader.reconnect()
        }
    }

    /// Changes whether the tag is shared. If it no longer is, ``lockUnshared(_:)`` locks it.
    func share(_ isShared: Bool, _ number: Int) -> Result<Void, CardChannelError> {
        Result { () throws(CardChannelError) in
            guard number == connections else { throw .tagLost }
            self.isShared = isShared
            if isShared, !isInUse { reader.unlock() }
        }
    }

    /// Locks the tag, unless it has been shared again.
    func lockUnshared(_ number: Int) -> Result<Void, CardChannelError> {
        Result { () throws(CardChannelError) in
            guard number == connections else { throw .tagLost }
            if !isShared { try reader.lock() }
        }
    }

    func beginUse(_ number: Int) -> Result<Void, CardChannelError> {
        Result { () throws(CardChannelError) in
            guard number == connections else { throw .tagLost }
            try reader.lock()
            isInUse = true
        }
    }

    func endUse(_ number: Int) -> Result<Void, CardChannelError> {
        guard number == connections else { return .success(()) }
        isInUse = false
        if isShared { reader.unlock() }
        return .success(())
    }

    func disconnect(_ number: Int) -> Result<Void, CardChannelError> {
        if number == connections { reader.disconnect() }
        return .success(())
    }

    /// Disconnects from the tag. No call follows.
    func abandon() { reader.disconnect() }
}
