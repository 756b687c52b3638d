import FoundationEssentials
import NDEF
import NFCProtocol
import NFCSessions
import NFCTags
import Synchronization

/// A notification that many subscriptions receive: encoded once, and sent to each with the name of the subscription.
final class SharedNotification: Sendable {
    /// The place in the encoded notification where each recipient has the name of its subscription. No tag can know it, and no name is
    /// longer.
    private static let place: String = {
        var generator = SystemRandomNumberGenerator()
        let random = (0..<4).map { _ in String(generator.next() as UInt64, radix: 36) }
        return String("subscription-\(random.joined())".prefix(48))
    }()

    private let before: [SharedBytes]
    private let after: [SharedBytes]

    /// Encodes a notification. Messages that are too long for a line in any form are replaced by error 105.
    ///
    /// - Parameters:
    ///   - messages: its messages, where other notifications have the same ones.
    ///   - make: makes it for the subscription of this name; without its messages, where they are given.
    /// - Throws: if it cannot be encoded.
    init<Parameters: MessageNotification>(
        _ messages: SharedMessages? = nil, _ make: (String) -> Parameters
    ) throws {
        var parameters = make(Self.place)
        var (json, body) = (try Self.json(parameters), SharedBytes?.none)
        if let messages {
            body = try messages.json(upTo: JSONLine.maximumLength - json.count)
            if body == nil {
                let length = json.count + (try messages.shortestLength)
                parameters.replaceMessages(with: .tooLong(length, "the message on the tag"))
                json = try Self.json(parameters)
            }
        } else if json.count > JSONLine.maximumLength {
            parameters.replaceMessages(with: .tooLong(json.count, "the message on the tag"))
            json = try Self.json(parameters)
        }
        guard let name = json.firstRange(of: Data("\"\(Self.place)\"".utf8)) else { throw Failure.noSubscription }
        let tail = JSONLine.line(Data(json[name.upperBound...]))
        let head = Data(json[..<name.lowerBound])
        after = [SharedBytes(tail)]
        guard let body else {
            before = [SharedBytes(head)]
            return
        }
        // Within texts, quotation marks have a backslash before them. Keys are sorted: messages come before the subscription.
        guard let list = head.firstRange(of: Data(#""messages":[]"#.utf8)) else { throw Failure.noMessages }
        let start = list.upperBound - 2
        before = [SharedBytes(Data(head[..<start])), body, SharedBytes(Data(head[list.upperBound...]))]
    }

    /// The line for a subscription.
    func line(for subscription: SubscriptionID) -> SharedLine {
        SharedLine(before + [SharedBytes(Data("\"\(subscription.rawValue)\"".utf8))] + after)
    }

    private static func json<Parameters: ServerNotification>(_ parameters: Parameters) throws -> Data {
        try JSONLine.shortestJSON(NotificationMessage(method: Parameters.name, params: parameters))
    }

    /// The notification lacks what is inserted.
    private enum Failure: Error {
        case noSubscription, noMessages
    }
}

/// The messages of a tag as JSON, each form encoded once for all notifications.
final class SharedMessages: Sendable {
    private let messages: [NDEFMessage]
    private let made = Mutex<[NDEFMessageForm: SharedBytes]>([:])

    init(_ messages: [NDEFMessage]) {
        self.messages = messages
    }

    /// The length of the shortest form.
    var shortestLength: Int {
        get throws { try NDEFMessageForm.allCases.map { try json(in: $0).data.count }.min() ?? 0 }
    }

    /// The longest form that fits into a length; nil if none does.
    func json(upTo length: Int) throws -> SharedBytes? {
        for form in NDEFMessageForm.allCases {
            let json = try json(in: form)
            if json.data.count <= length { return json }
        }
        return nil
    }

    private func json(in form: NDEFMessageForm) throws -> SharedBytes {
        try made.withLock { made in
            if let json = made[form] { return json }
            let json = SharedBytes(try JSONLine.json(messages, in: form))
            made[form] = json
            return json
        }
    }
}
