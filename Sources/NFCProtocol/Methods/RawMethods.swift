/// `iso7816.sendCommand`: a command APDU, sent as it is.
public enum ISO7816SendCommand: Method {
    /// The name on the wire.
    public static let name = "iso7816.sendCommand"
    /// The lengths an APDU can have, in bytes (ISO/IEC 7816-3): a header; at most 65,535 bytes of data and extended lengths.
    public static let lengths = 4...65_544

    /// What is asked for.
    public struct Parameters: Codable, Sendable, Hashable {
        /// The session's name.
        public var session: String
        /// The tag's name within the session.
        public var tag: String
        /// The command, 4 to 65,544 bytes.
        public var apdu: HexBytes
        /// Seconds for the whole command, more than 0 and at most 60; the reader's own limit for each exchange, if absent.
        /// After a time-out (102) the tag has to be detected anew.
        public var timeout: Double?

        /// All fields; what may be absent is nil unless given.
        public init(session: String, tag: String, apdu: HexBytes, timeout: Double? = nil) {
            self.session = session
            self.tag = tag
            self.apdu = apdu
            self.timeout = timeout
        }
    }

    /// What the card answered.
    public struct Result: Codable, Sendable, Hashable {
        /// The response data.
        public var data: HexBytes
        /// The first byte of the status word.
        public var sw1: UInt8
        /// The second byte of the status word.
        public var sw2: UInt8

        /// All fields.
        public init(data: HexBytes, sw1: UInt8, sw2: UInt8) {
            self.data = data
            self.sw1 = sw1
            self.sw2 = sw2
        }
    }
}

/// `miFare.sendCommand`: a frame of a MIFARE tag's own command set, as it is; the reader adds the CRC.
public enum MiFareSendCommand: Method {
    /// The name on the wire.
    public static let name = "miFare.sendCommand"

    /// What is asked for.
    public struct Parameters: Codable, Sendable, Hashable {
        /// The session's name.
        public var session: String
        /// The tag's name within the session.
        public var tag: String
        /// The frame without CRC, at least a byte.
        public var command: HexBytes
        /// Seconds for the whole command, more than 0 and at most 60; the reader's own limit for each exchange, if absent.
        /// After a time-out (102) the tag has to be detected anew.
        public var timeout: Double?

        /// All fields.
        public init(session: String, tag: String, command: HexBytes, timeout: Double? = nil) {
            self.session = session
            self.tag = tag
            self.command = command
            self.timeout = timeout
        }
    }

    /// What the tag answered.
    public typealias Result = RawAnswer
}

/// `miFare.sendISO7816Command`: `iso7816.sendCommand` under CoreNFC's other name.
public enum MiFareSendISO7816Command: Method {
    /// The name on the wire.
    public static let name = "miFare.sendISO7816Command"
    /// The command.
    public typealias Parameters = ISO7816SendCommand.Parameters
    /// The response.
    public typealias Result = ISO7816SendCommand.Result
}

/// `feliCa.sendCommand`: a FeliCa command, as it is.
public enum FeliCaSendCommand: Method {
    /// The name on the wire.
    public static let name = "feliCa.sendCommand"
    /// The lengths a packet can have, in bytes (JIS X 6319-4: the length byte counts itself).
    public static let lengths = 1...254

    /// What is asked for.
    public struct Parameters: Codable, Sendable, Hashable {
        /// The session's name.
        public var session: String
        /// The tag's name within the session.
        public var tag: String
        /// The packet from the command code on, 1 to 254 bytes: length byte and CRC are added, as with CoreNFC.
        public var packet: HexBytes
        /// Seconds for the whole command, more than 0 and at most 60; the reader's own limit for each exchange, if absent.
        /// After a time-out (102) the tag has to be detected anew.
        public var timeout: Double?

        /// All fields.
        public init(session: String, tag: String, packet: HexBytes, timeout: Double? = nil) {
            self.session = session
            self.tag = tag
            self.packet = packet
            self.timeout = timeout
        }
    }

    /// What the card answered, from the response code on.
    public typealias Result = RawAnswer
}

/// `iso15693.sendRequest`: a request of ISO/IEC 15693, as it is. Where the address flag is set, `data` begins with the UID.
public enum ISO15693SendRequest: Method {
    /// The name on the wire.
    public static let name = "iso15693.sendRequest"

    /// What is asked for.
    public struct Parameters: Codable, Sendable, Hashable {
        /// The session's name.
        public var session: String
        /// The tag's name within the session.
        public var tag: String
        /// The flags byte.
        public var requestFlags: UInt8
        /// The command code.
        public var commandCode: UInt8
        /// What follows; nothing, if absent.
        public var data: HexBytes?
        /// Seconds for the whole command, more than 0 and at most 60; the reader's own limit for each exchange, if absent.
        /// After a time-out (102) the tag has to be detected anew.
        public var timeout: Double?

        /// All fields.
        public init(
            session: String, tag: String, requestFlags: UInt8, commandCode: UInt8, data: HexBytes? = nil,
            timeout: Double? = nil
        ) {
            self.session = session
            self.tag = tag
            self.requestFlags = requestFlags
            self.commandCode = commandCode
            self.data = data
            self.timeout = timeout
        }
    }

    /// What the tag answered. The error flag (01) is no error here: the code stands in `data`.
    public struct Result: Codable, Sendable, Hashable {
        /// The flags byte.
        public var responseFlag: UInt8
        /// What follows.
        public var data: HexBytes

        /// All fields.
        public init(responseFlag: UInt8, data: HexBytes) {
            self.responseFlag = responseFlag
            self.data = data
        }
    }
}

/// What came back to a command that was sent as it is.
public struct RawAnswer: Codable, Sendable, Hashable {
    /// The bytes.
    public var data: HexBytes

    /// All fields.
    public init(data: HexBytes) {
        self.data = data
    }
}
