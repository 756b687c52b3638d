package import FoundationEssentials
import NFCProtocol

/// A connection to nfcd: lines in both directions.
package protocol LineConnection: Sendable {
    /// Sends a line that has its newline, without waiting; after the end of the connection it is lost. Lines arrive in the order
    /// of the calls.
    func send(_ line: Data)

    /// Closes the connection, and returns when its recipient has been notified of the end.
    func close() async
}

/// What a connection passes lines on to, one call at a time.
package protocol LineRecipient: Sendable {
    /// Takes a line, without its newline.
    func receive(_ line: Data)

    /// Takes the end of the connection; nothing follows.
    func end(_ reason: NFCClientError)
}

/// A way to reach an nfcd.
package protocol DaemonEndpoint: Sendable {
    /// Connects.
    ///
    /// - Throws: `NFCClientError`.
    func connect(_ recipient: any LineRecipient) async throws -> any LineConnection
}

/// Splits the stream from the daemon at newlines.
struct LineFraming {
    /// The beginning of a line whose end has not been received.
    private var line = Data()

    /// Takes received bytes, and passes on the lines that they complete.
    ///
    /// - Throws: `NFCClientError` for a line over the limit.
    mutating func take(_ bytes: UnsafeRawBufferPointer, _ receive: (Data) -> Void) throws {
        var rest = bytes[...]
        while let newline = rest.firstIndex(of: UInt8(ascii: "\n")) {
            try append(rest[..<newline])
            receive(line)
            line = Data()
            rest = rest[(newline + 1)...]
        }
        try append(rest)
    }

    private mutating func append(_ part: Slice<UnsafeRawBufferPointer>) throws {
        guard line.count + part.count <= JSONLine.maximumLength else {
            throw NFCClientError.protocolViolation("a line of more than \(JSONLine.maximumLength) bytes")
        }
        line.append(contentsOf: part)
    }
}
