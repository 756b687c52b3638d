import FoundationEssentials
public import NDEF
public import NFCProtocol

/// What the daemon tells without being asked.
public enum ServerEvent: Sendable {
    case didBecomeActive(SessionDidBecomeActive)
    case didDetectNDEFs(SessionDidDetectNDEFs<NDEFMessage>)
    case didDetectTags(SessionDidDetectTags)
    case tagRemoved(SessionTagRemoved)
    case tagFailed(SessionTagFailed)
    case didInvalidate(SessionDidInvalidate)
    case watched(WatchedEvent)
}

/// The part of an incoming line that tells what it is.
struct IncomingHead: Decodable {
    let id: Int64?
    let method: String?
}

/// The line of a notification.
struct Carrier<Parameters: Decodable>: Decodable {
    let params: Parameters
}

extension RequestProgress {
    /// The progress in a line.
    init(line: Data) throws {
        self = try JSONLine.decode(Carrier<RequestProgress>.self, from: line).params
    }
}

extension ServerEvent {
    /// The event in a line; nil for one that this client does not know, which a later daemon may send.
    init?(method: String, line: Data) throws {
        switch method {
        case SessionDidBecomeActive.name: self = .didBecomeActive(try Self.parameters(line))
        case SessionDidDetectNDEFs<NDEFMessage>.name: self = .didDetectNDEFs(try Self.parameters(line))
        case SessionDidDetectTags.name: self = .didDetectTags(try Self.parameters(line))
        case SessionTagRemoved.name: self = .tagRemoved(try Self.parameters(line))
        case SessionTagFailed.name: self = .tagFailed(try Self.parameters(line))
        case SessionDidInvalidate.name: self = .didInvalidate(try Self.parameters(line))
        default:
            guard let event = try WatchedEvent(method: method, line: line) else { return nil }
            self = .watched(event)
        }
    }

    private static func parameters<Parameters: Decodable>(_ line: Data) throws -> Parameters {
        try JSONLine.decode(Carrier<Parameters>.self, from: line).params
    }
}
