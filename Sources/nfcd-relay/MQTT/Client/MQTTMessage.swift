import CMosquitto
import FoundationEssentials

/// A version of MQTT.
enum MQTTVersion: String, CaseIterable, Sendable {
    case v5 = "5"
    case v311 = "3.1.1"
}

/// A message to publish with QoS 1.
struct MQTTMessage: Sendable, Hashable {
    /// What MQTT 5 says about the payload.
    enum Content: String, Sendable {
        case cloudEvent = "application/cloudevents+json"
        case json = "application/json"
        case text = "text/plain"
    }

    /// The longest packet that the broker is asked to send.
    static let longestIncoming: UInt32 = 16_384

    var topic: String
    var payload: Data
    var isRetained = false
    var content = Content.json

    /// The message that deletes the retained one of a topic.
    static func clearing(_ topic: String) -> MQTTMessage {
        MQTTMessage(topic: topic, payload: Data(), isRetained: true)
    }

    /// The size of its PUBLISH packet, at most: fixed header, topic, packet id, properties and payload.
    var packetSize: Int {
        5 + 2 + topic.utf8.count + 2 + 1 + 2 + 3 + content.rawValue.utf8.count + payload.count
    }

    /// The properties of MQTT 5: text in UTF-8, and its content type. Freed with `free`.
    func properties() throws(MosquittoError) -> OpaquePointer? {
        guard !payload.isEmpty else { return nil }
        var properties: OpaquePointer?
        do throws(MosquittoError) {
            try MosquittoError.check(
                mosquitto_property_add_byte(&properties, Int32(MQTT_PROP_PAYLOAD_FORMAT_INDICATOR.rawValue), 1))
            try MosquittoError.check(
                mosquitto_property_add_string(&properties, Int32(MQTT_PROP_CONTENT_TYPE.rawValue), content.rawValue))
            return properties
        } catch {
            Self.free(properties)
            throw error
        }
    }

    /// Frees properties.
    static func free(_ properties: OpaquePointer?) {
        var properties = properties
        mosquitto_property_free_all(&properties)
    }
}

/// What came of a message.
enum PublishOutcome: Sendable, Hashable {
    /// The broker answered with this reason code; 0 in MQTT 3.1.1, whatever the broker did with the message.
    case acknowledged(UInt8)
    /// The packet is longer than the broker takes.
    case tooLong(limit: Int)
    /// The message cannot be sent: its topic is invalid.
    case invalid(String)
    /// There is no connection.
    case notConnected
    /// The connection ended before an acknowledgement.
    case cut(String)
    /// The caller did not wait for the outcome.
    case cancelled
}
