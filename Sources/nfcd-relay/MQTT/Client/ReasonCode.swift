import CMosquitto

/// What the broker's answer to CONNECT or PUBLISH means for the relay.
enum ReasonCode {
    /// What a refused connection calls for.
    enum Refusal: Sendable, Hashable {
        /// Another attempt, soon.
        case retry
        /// The broker does not support this version of MQTT.
        case unsupportedVersion
        /// A person has to change the configuration.
        case held
    }

    /// What a refused CONNECT calls for (MQTT 3.1.1, 3.2.2.3; MQTT 5, 3.2.2.2).
    static func refusal(_ code: UInt8, _ version: MQTTVersion) -> Refusal {
        switch (version, code) {
        case (_, 1), (.v5, 0x84): .unsupportedVersion
        // An invalid client id, bad credentials, not authorized; banned, and another method of authentication.
        case (.v311, 2), (.v311, 4), (.v311, 5), (.v5, 2), (.v5, 4), (.v5, 5): .held
        case (.v5, 0x85), (.v5, 0x86), (.v5, 0x87), (.v5, 0x8A), (.v5, 0x8C): .held
        // A will with a topic, size or quality that the broker refuses.
        case (.v5, 0x90), (.v5, 0x95), (.v5, 0x9A), (.v5, 0x9B): .held
        default: .retry
        }
    }

    /// What a PUBACK means for a tap (MQTT 5, 3.4.2.1).
    static func delivery(_ code: UInt8, _ topic: String, waitsForSubscriber: Bool) -> Delivery {
        switch code {
        case 0: .delivered("published on \(topic)")
        case 0x10 where waitsForSubscriber:
            .retry("no program subscribes to \(topic); start one, or set no-subscriber = \"deliver\"")
        case 0x10: .delivered("published on \(topic), to which no program subscribes")
        case 0x87:
            .held("the broker does not allow this user to publish on \(topic); allow it in the broker's access list")
        case 0x90: .unacceptable("the broker refuses the topic \(topic); change topic")
        case 0x95: .unacceptable("the tap is longer than the broker takes; raise the broker's limit")
        case 0x99: .unacceptable("the broker refuses the payload: \(name(code))")
        default: .retry("the broker refused the tap on \(topic): \(name(code))")
        }
    }

    /// What a refused CONNECT is called.
    static func connectName(_ code: UInt8, _ version: MQTTVersion) -> String {
        code < 0x80 ? mosquitto_connack_string(Int32(code)).map { String(cString: $0) } ?? "\(code)" : name(code)
    }

    /// What the library calls a reason code.
    static func name(_ code: UInt8) -> String {
        let hexadecimal = "0x" + String(code, radix: 16, uppercase: true)
        return mosquitto_reason_string(Int32(code)).map { "\(String(cString: $0)) (\(hexadecimal))" } ?? hexadecimal
    }
}
