import NFCClient
import NFCProtocol

/// A monitor as lines of JSON. The fields are those of the protocol; more may come.
struct MonitorJSONOutput: MonitorOutput {
    /// What a notification carries, with its name.
    private struct Line: Encodable {
        let notification: any ServerNotification

        private enum CodingKeys: String, CodingKey {
            case event
        }

        func encode(to encoder: any Encoder) throws {
            try notification.encode(to: encoder)
            var object = encoder.container(keyedBy: CodingKeys.self)
            try object.encode(type(of: notification).name, forKey: .event)
        }
    }

    func begin(_ start: MonitorStart, _ board: MonitorBoard) { Terminal.print(json: start) }

    func show(_ event: WatchedEvent, _ board: MonitorBoard) {
        Terminal.print(json: Line(notification: event.notification))
    }
}
