import NFCTags

/// A reader as a library shows it whose calls block; used from one thread only.
protocol BlockingReader: AnyObject {
    /// Connects to the tag in the field; returns its answer to reset.
    func connect() throws(CardChannelError) -> [UInt8]

    /// One command APDU, the whole response.
    func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8]

    /// Resets the tag, which stays connected and forgets everything.
    func reconnect() throws(CardChannelError)

    /// Lets go of the tag; without a connection nothing happens.
    func disconnect()
}

/// The thread on which a reader blocks.
actor BlockingThread {
    private let executor: ThreadExecutor
    private let reader: any BlockingReader
    /// How often a card was connected to. A connection that is not the latest has no card any more: the latest has.
    private var connections = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(reader: sending any BlockingReader) {
        executor = ThreadExecutor()
        self.reader = reader
    }

    /// Runs a call when the calls before it have returned. No task is made for it: whoever waits may give it up.
    nonisolated func call(_ body: @escaping @Sendable (isolated BlockingThread) -> Void) {
        executor.run { self.assumeIsolated(body) }
    }

    /// The answer to reset, and the number of the connection.
    func connect() -> Result<(answerToReset: [UInt8], number: Int), CardChannelError> {
        Result { () throws(CardChannelError) in
            let answer = try reader.connect()
            connections += 1
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

    func disconnect(_ number: Int) -> Result<Void, CardChannelError> {
        if number == connections { reader.disconnect() }
        return .success(())
    }
}
