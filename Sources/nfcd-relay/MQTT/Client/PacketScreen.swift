/// A packet that libmosquitto is not given; its description is the object of a sentence.
struct UnusablePacket: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Looks at the packets of a broker before libmosquitto does: their kinds, lengths and properties (MQTT 3.1.1 and 5).
///
/// A value without a connection: it gets the bytes in their order, and reports each packet that is complete.
struct PacketScreen: Sendable {
    /// The packets that a broker sends to a client which publishes with QoS 1 and subscribes with QoS 0.
    enum Kind: UInt8, Sendable {
        case connack = 2
        case publish = 3
        case puback = 4
        case suback = 9
        case pingresp = 13
        case disconnect = 14
    }

    private static let mostProperties = 64

    private let version: MQTTVersion
    private let limit: Int
    private var packet: [UInt8] = []
    private var isConnected = false

    /// - Parameter limit: the longest packet, without its fixed header.
    init(_ version: MQTTVersion, limit: Int) {
        self.version = version
        self.limit = limit
    }

    /// Takes bytes, and returns the packets that they complete.
    mutating func take(_ bytes: ArraySlice<UInt8>) throws(UnusablePacket) -> [Kind] {
        var (rest, kinds) = (bytes, [Kind]())
        while !rest.isEmpty {
            // A byte at a time up to the length, and then all of the body.
            guard let header = try header() else {
                packet.append(rest.removeFirst())
                continue
            }
            let missing = header.start + header.length - packet.count
            packet += rest.prefix(missing)
            rest = rest.dropFirst(missing)
            if let kind = try complete() { kinds.append(kind) }
        }
        if let kind = try complete() { kinds.append(kind) }
        return kinds
    }

    /// Judges the packet, if it is complete, and makes room for the next.
    private mutating func complete() throws(UnusablePacket) -> Kind? {
        guard let header = try header(), packet.count == header.start + header.length else { return nil }
        var body = PacketReader(packet[header.start...])
        try check(header.kind, &body)
        packet = []
        return header.kind
    }

    /// The kind and the length of the packet, and where its body starts; nil where that has not arrived.
    private func header() throws(UnusablePacket) -> (kind: Kind, start: Int, length: Int)? {
        guard let first = packet.first else { return nil }
        guard let kind = Kind(rawValue: first >> 4) else {
            throw UnusablePacket("a packet of type \(first >> 4), which the relay did not ask for")
        }
        // A message with QoS 1 or 2 would be stored by the library.
        guard first & 0x0F == 0 || kind == .publish && first & 0x06 == 0 else {
            throw UnusablePacket(
                kind == .publish ? "messages with a QoS that the relay did not ask for" : "a packet with invalid flags")
        }
        guard isConnected || kind == .connack else { throw UnusablePacket("something else than CONNACK first") }
        var length = 0
        for (index, byte) in packet.dropFirst().prefix(4).enumerated() {
            length |= Int(byte & 0x7F) << (7 * index)
            guard byte & 0x80 == 0 else { continue }
            guard length <= limit else {
                throw UnusablePacket("a packet of \(length) bytes, of which \(limit) are allowed")
            }
            return (kind, 2 + index, length)
        }
        guard packet.count < 5 else { throw UnusablePacket("a packet with an invalid length") }
        return nil
    }

    private mutating func check(_ kind: Kind, _ body: inout PacketReader) throws(UnusablePacket) {
        let isVersion5 = version == .v5
        switch kind {
        case .connack:
            _ = try body.take(2)
            isConnected = true
            // A broker that does not know MQTT 5 answers with the older form.
            if isVersion5, !body.isEmpty { try checkProperties(&body) }
        case .publish:
            _ = try body.take(Int(try body.number()))
            if isVersion5 { try checkProperties(&body) }
            return
        case .puback:
            _ = try body.take(2)
            try checkReason(&body)
        case .suback:
            _ = try body.take(2)
            if isVersion5 { try checkProperties(&body) }
            guard !body.isEmpty else { throw UnusablePacket("a SUBACK without an answer") }
            return
        case .pingresp: break
        case .disconnect: try checkReason(&body)
        }
        guard body.isEmpty else { throw UnusablePacket("a packet that is longer than its content") }
    }

    /// A reason and properties, each of which may be missing in MQTT 5, and are in MQTT 3.1.1.
    private func checkReason(_ body: inout PacketReader) throws(UnusablePacket) {
        guard version == .v5, !body.isEmpty else { return }
        _ = try body.take(1)
        if !body.isEmpty { try checkProperties(&body) }
    }

    /// The properties of a packet, each with a known number (MQTT 5, 2.2.2.2).
    private func checkProperties(_ body: inout PacketReader) throws(UnusablePacket) {
        var properties = PacketReader(try body.take(try body.variableNumber()))
        var count = 0
        while !properties.isEmpty {
            count += 1
            guard count <= Self.mostProperties else {
                throw UnusablePacket("more than \(Self.mostProperties) properties")
            }
            let number = try properties.variableNumber()
            switch number {
            case 1, 23, 25, 36, 37, 40, 41, 42: _ = try properties.take(1)
            case 19, 33, 34, 35: _ = try properties.take(2)
            case 2, 17, 24, 39: _ = try properties.take(4)
            case 11: _ = try properties.variableNumber()
            case 3, 8, 9, 18, 21, 22, 26, 28, 31: _ = try properties.take(Int(try properties.number()))
            case 38:
                for _ in 0..<2 { _ = try properties.take(Int(try properties.number())) }
            default: throw UnusablePacket("a property with the unknown number \(number)")
            }
        }
    }
}

/// Reads the fields of a packet.
private struct PacketReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isEmpty: Bool { rest.isEmpty }

    mutating func take(_ count: Int) throws(UnusablePacket) -> ArraySlice<UInt8> {
        guard count <= rest.count else { throw UnusablePacket("a packet that is shorter than its content") }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func number() throws(UnusablePacket) -> UInt16 { try take(2).reduce(0) { $0 << 8 | UInt16($1) } }

    mutating func variableNumber() throws(UnusablePacket) -> Int {
        var value = 0
        for index in 0..<4 {
            let byte = try take(1).reduce(0) { $0 | $1 }
            value |= Int(byte & 0x7F) << (7 * index)
            if byte & 0x80 == 0 { return value }
        }
        throw UnusablePacket("a packet with an invalid number")
    }
}
