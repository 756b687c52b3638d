import CMosquitto
import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An error of libmosquitto (`MOSQ_ERR_…`).
struct MosquittoError: Error, RawRepresentable, Hashable, CustomStringConvertible {
    static let noConnection = MosquittoError(rawValue: MOSQ_ERR_NO_CONN.rawValue)
    static let payloadSize = MosquittoError(rawValue: MOSQ_ERR_PAYLOAD_SIZE.rawValue)
    static let oversizePacket = MosquittoError(rawValue: MOSQ_ERR_OVERSIZE_PACKET.rawValue)
    static let system = MosquittoError(rawValue: MOSQ_ERR_ERRNO.rawValue)
    static let malformedText = MosquittoError(rawValue: MOSQ_ERR_MALFORMED_UTF8.rawValue)
    static let invalid = MosquittoError(rawValue: MOSQ_ERR_INVAL.rawValue)

    let rawValue: Int32

    /// The words of the library (`mosquitto_strerror`).
    var description: String { mosquitto_strerror(rawValue).map { String(cString: $0) } ?? "error \(rawValue)" }

    /// Throws the error of a call that did not return `MOSQ_ERR_SUCCESS`.
    static func check(_ result: Int32) throws(MosquittoError) {
        guard result == MOSQ_ERR_SUCCESS.rawValue else { throw MosquittoError(rawValue: result) }
    }
}

/// What libmosquitto reports, on the thread that calls `loop`, `connect` or `publish`.
protocol MosquittoEvents: AnyObject {
    /// The broker answered CONNECT.
    func didConnect(_ answer: ConnectAnswer)
    /// The broker acknowledged a message, or refused it.
    func didPublish(_ id: Int32, reason: UInt8)
    /// The broker answered SUBSCRIBE: a granted QoS or an error for each topic.
    func didSubscribe(_ id: Int32, codes: [UInt8])
    /// A message arrived.
    func didReceive(topic: String, payload: UnsafeRawBufferPointer, isRetained: Bool)
    /// The broker sent DISCONNECT (MQTT 5), or the connection ended.
    func didDisconnect(_ reason: Int32)
    /// The library reports an error in words.
    func didLog(_ error: String)
}

/// What CONNACK says.
struct ConnectAnswer: Sendable, Hashable {
    /// The return code of MQTT 3.1.1, or the reason code of MQTT 5.
    var code: UInt8
    /// Whether the broker still has our session.
    var isSessionPresent: Bool
    /// The longest packet that the broker takes; nil: any.
    var maximumPacketSize: Int?
    /// How many messages may wait for their acknowledgement.
    var receiveMaximum: Int?
    /// What the broker says about a refusal.
    var reason: String?
}

/// A client of libmosquitto: one connection, used on one thread. Released with the object.
final class MosquittoHandle {
    private static let isReady: Bool = mosquitto_lib_init() == MOSQ_ERR_SUCCESS.rawValue

    private let handle: OpaquePointer

    /// Makes a client that keeps its session at the broker.
    ///
    /// - Parameter events: is kept alive by the caller for as long as this object lives.
    init(clientID: String, version: MQTTVersion, events: EventBox) throws(MosquittoError) {
        guard Self.isReady, let handle = mosquitto_new(clientID, false, Unmanaged.passUnretained(events).toOpaque())
        else { throw .system }
        self.handle = handle
        setCallbacks()
        try option(MOSQ_OPT_PROTOCOL_VERSION, version == .v5 ? 5 : 4)
        try option(MOSQ_OPT_TCP_NODELAY, 1)
    }

    deinit {
        mosquitto_destroy(handle)
    }

    private func option(_ option: mosq_opt_t, _ value: Int32) throws(MosquittoError) {
        try MosquittoError.check(mosquitto_int_option(handle, option, value))
    }

    func setCredentials(username: String, password: SecretLine?) throws(MosquittoError) {
        let result =
            password.map { password in password.withCString { mosquitto_username_pw_set(handle, username, $0) } }
            ?? mosquitto_username_pw_set(handle, username, nil)
        try MosquittoError.check(result)
    }

    func setTLS(_ tls: BrokerTLS) throws(MosquittoError) {
        // MOSQ_OPT_TLS_USE_OS_CERTS fails on the second connection in 2.0.11: the directory of the system does not.
        try MosquittoError.check(
            mosquitto_tls_set(
                handle, tls.caFile, tls.caFile == nil ? BrokerTLS.systemAuthorities : nil, tls.certificateFile,
                tls.keyFile, nil))
        guard tls.isInsecure else { return }
        try MosquittoError.check(mosquitto_tls_opts_set(handle, 0, nil, nil))
        try MosquittoError.check(mosquitto_tls_insecure_set(handle, true))
    }

    func setWill(_ will: MQTTMessage, _ version: MQTTVersion) throws(MosquittoError) {
        let properties = version == .v5 ? try will.properties() : nil
        let result = will.payload.withUnsafeBytes {
            mosquitto_will_set_v5(
                handle, will.topic, Int32($0.count), $0.baseAddress, 1, will.isRetained, properties)
        }
        // The library frees the properties when it has set the will, and only then.
        if result != MOSQ_ERR_SUCCESS.rawValue { MQTTMessage.free(properties) }
        try MosquittoError.check(result)
    }

    /// Resolves the name and connects, which blocks, and sends CONNECT.
    func connect(
        to server: BrokerServer, keepAlive: Int, sessionExpiry: UInt32, _ version: MQTTVersion
    ) throws(MosquittoError) {
        var properties: OpaquePointer?
        defer { MQTTMessage.free(properties) }
        if version == .v5 {
            try MosquittoError.check(
                mosquitto_property_add_int32(
                    &properties, Int32(MQTT_PROP_SESSION_EXPIRY_INTERVAL.rawValue), sessionExpiry))
            try MosquittoError.check(
                mosquitto_property_add_int32(
                    &properties, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), MQTTMessage.longestIncoming))
        }
        try MosquittoError.check(
            mosquitto_connect_bind_v5(
                handle, server.host, Int32(server.port), Int32(keepAlive), nil, properties))
    }

    /// Sends a message with QoS 1 and returns its packet id.
    func publish(_ message: MQTTMessage, _ version: MQTTVersion) throws(MosquittoError) -> Int32 {
        let properties = version == .v5 ? try message.properties() : nil
        defer { MQTTMessage.free(properties) }
        var id: Int32 = 0
        let result = message.payload.withUnsafeBytes {
            mosquitto_publish_v5(
                handle, &id, message.topic, Int32($0.count), $0.baseAddress, 1, message.isRetained, properties)
        }
        try MosquittoError.check(result)
        return id
    }

    /// Subscribes with QoS 0, so that nothing is queued for us while we are away, and returns the packet id.
    func subscribe(_ topic: String) throws(MosquittoError) -> Int32 {
        var id: Int32 = 0
        try MosquittoError.check(mosquitto_subscribe(handle, &id, topic, 0))
        return id
    }

    /// What TLS has decrypted and the library has not read yet; nil where that cannot be seen.
    func decrypted() -> ArraySlice<UInt8>? {
        // A record has at most 16 KiB (RFC 8446, 5.1).
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let count = cmosquitto_peek(handle, &buffer, Int32(buffer.count))
        return count < 0 ? nil : buffer[..<Int(count)]
    }

    /// Sends and receives what can be sent and received without waiting. `mosquitto_loop` is not used: it calls select(2), which
    /// refuses descriptors from 1024 on.
    func loop() throws(MosquittoError) {
        try MosquittoError.check(mosquitto_loop_read(handle, 1))
        if wantsWrite { try MosquittoError.check(mosquitto_loop_write(handle, 1)) }
        try MosquittoError.check(mosquitto_loop_misc(handle))
    }

    func disconnect() {
        _ = mosquitto_disconnect(handle)
    }

    /// The socket; nil without a connection.
    var socket: Int32? {
        let socket = mosquitto_socket(handle)
        return socket >= 0 ? socket : nil
    }

    /// Whether something waits to be sent.
    var wantsWrite: Bool { mosquitto_want_write(handle) }
}

/// What the C callbacks find: an object with a class, unlike a protocol's value.
final class EventBox {
    fileprivate unowned let events: any MosquittoEvents

    init(_ events: any MosquittoEvents) {
        self.events = events
    }

    fileprivate static func events(_ pointer: UnsafeMutableRawPointer?) -> (any MosquittoEvents)? {
        pointer.map { Unmanaged<EventBox>.fromOpaque($0).takeUnretainedValue().events }
    }
}

extension MosquittoHandle {
    private func setCallbacks() {
        mosquitto_connect_v5_callback_set(handle) { _, box, code, flags, properties in
            EventBox.events(box)?.didConnect(ConnectAnswer(code, flags: flags, properties))
        }
        mosquitto_publish_v5_callback_set(handle) { _, box, id, reason, _ in
            EventBox.events(box)?.didPublish(id, reason: UInt8(truncatingIfNeeded: reason))
        }
        mosquitto_subscribe_v5_callback_set(handle) { _, box, id, count, codes, _ in
            let codes = UnsafeBufferPointer(start: codes, count: codes == nil ? 0 : Int(count))
            EventBox.events(box)?.didSubscribe(id, codes: codes.map { UInt8(truncatingIfNeeded: $0) })
        }
        mosquitto_message_v5_callback_set(handle) { _, box, message, _ in
            guard let message = message?.pointee, let topic = message.topic else { return }
            let payload = UnsafeRawBufferPointer(start: message.payload, count: Int(max(0, message.payloadlen)))
            EventBox.events(box)?.didReceive(
                topic: String(cString: topic), payload: payload, isRetained: message.retain)
        }
        mosquitto_disconnect_v5_callback_set(handle) { _, box, reason, _ in
            EventBox.events(box)?.didDisconnect(reason)
        }
        mosquitto_log_callback_set(handle) { _, box, level, text in
            guard level & Int32(MOSQ_LOG_ERR) != 0, let text else { return }
            EventBox.events(box)?.didLog(String(cString: text))
        }
    }
}

extension ConnectAnswer {
    /// Reads what the library passes on of CONNACK.
    fileprivate init(_ code: Int32, flags: Int32, _ properties: OpaquePointer?) {
        self.init(code: UInt8(truncatingIfNeeded: code), isSessionPresent: flags & 1 != 0)
        var (size, receive) = (UInt32.max, UInt16.max)
        if mosquitto_property_read_int32(
            properties, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), &size, false) != nil
        {
            maximumPacketSize = Int(size)
        }
        if mosquitto_property_read_int16(properties, Int32(MQTT_PROP_RECEIVE_MAXIMUM.rawValue), &receive, false) != nil
        {
            receiveMaximum = Int(receive)
        }
        var text: UnsafeMutablePointer<CChar>?
        guard mosquitto_property_read_string(properties, Int32(MQTT_PROP_REASON_STRING.rawValue), &text, false) != nil,
            let text
        else { return }
        reason = String(cString: text)
        free(text)
    }
}
