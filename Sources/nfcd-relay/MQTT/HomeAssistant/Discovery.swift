import FoundationEssentials
import NFCProtocol

/// The messages by which Home Assistant finds the machine and its readers (MQTT discovery, one topic for each entity).
///
/// A machine is a device with its backlog; each reader is a device of it with a tag scanner, an event entity and a connectivity sensor.
struct Discovery: Sendable {
    private let prefix: String
    private let identity: RelayIdentity
    private let topics: MachineTopics

    /// - Parameter prefix: the discovery prefix of Home Assistant.
    init(prefix: String, identity: RelayIdentity) {
        self.prefix = prefix
        self.identity = identity
        topics = MachineTopics(identity)
    }

    /// Where Home Assistant publishes that it has started.
    var birthTopic: String { "\(prefix)/status" }

    /// The retained configuration of every entity.
    func messages(_ readers: [ReaderReport]) -> [MQTTMessage] {
        [backlog] + readers.flatMap { [scanner($0), event($0), connectivity($0)] }
    }

    // MARK: Entities

    /// Fires `tag_scanned`: an empty id, as of an error, is ignored.
    private func scanner(_ reader: ReaderReport) -> MQTTMessage {
        config(
            "tag", reader.reader,
            [
                "topic": .string(topics.event(of: reader.reader)), "value_template": "{{ value_json.tag_id }}",
                "qos": 1, "device": device(reader),
            ])
    }

    private func event(_ reader: ReaderReport) -> MQTTMessage {
        config(
            "event", reader.reader,
            entity("\(id(reader))-event", name: "Tap", device: device(reader)).merging([
                "state_topic": .string(topics.event(of: reader.reader)), "qos": 1, "icon": "mdi:nfc-tap",
                "event_types": .array(HomeAssistantEvent.Kind.allCases.map { .string($0.rawValue) }),
            ]) { $1 })
    }

    private func connectivity(_ reader: ReaderReport) -> MQTTMessage {
        config(
            "binary_sensor", reader.reader,
            entity("\(id(reader))-connectivity", name: "Connectivity", device: device(reader)).merging([
                "state_topic": .string(topics.state(of: reader.reader)), "qos": 1, "device_class": "connectivity",
                "entity_category": "diagnostic",
                "value_template": "{{ 'ON' if value_json.state == 'attached' else 'OFF' }}",
            ]) { $1 })
    }

    private var backlog: MQTTMessage {
        config(
            "sensor", "backlog",
            entity("\(machineID)-backlog", name: "Backlog", device: machine).merging([
                "state_topic": .string(topics.backlog), "qos": 1, "unit_of_measurement": "taps",
                "icon": "mdi:tray-full",
                "state_class": "measurement", "entity_category": "diagnostic",
                "value_template": "{{ value_json.backlog }}",
            ]) { $1 })
    }

    /// What all entities have.
    private func entity(_ id: String, name: String, device: JSONValue) -> [String: JSONValue] {
        [
            "unique_id": .string(id), "name": .string(name), "device": device,
            "origin": ["name": "nfcd", "sw_version": .string(NFCDVersion.release)],
            "availability": [
                [
                    "topic": .string(topics.state), "value_template": "{{ value_json.state }}",
                    "payload_available": "online", "payload_not_available": "offline",
                ]
            ],
        ]
    }

    // MARK: Devices

    private var machineID: String { TopicLevel.safe("nfcd-\(identity.site)-\(identity.device)") }

    private func id(_ reader: ReaderReport) -> String { "\(machineID)-\(TopicLevel.safe(reader.reader))" }

    private var machine: JSONValue {
        [
            "identifiers": [.string(machineID)], "name": .string("nfcd \(identity.device)"), "manufacturer": "nfcd",
            "model": "nfcd-relay", "sw_version": .string(NFCDVersion.release),
        ]
    }

    private func device(_ reader: ReaderReport) -> JSONValue {
        var device: [String: JSONValue] = [
            "identifiers": [.string(id(reader))], "name": .string(reader.name), "model": .string(reader.profile),
            "via_device": .string(machineID),
        ]
        if let serial = reader.serial { device["serial_number"] = .string(serial) }
        return .object(device)
    }

    private func config(_ component: String, _ object: String, _ members: [String: JSONValue]) -> MQTTMessage {
        MQTTMessage(
            topic: "\(prefix)/\(component)/\(machineID)/\(TopicLevel.safe(object))/config",
            payload: JSON.data(JSONValue.object(members)), isRetained: true)
    }
}
