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

/// What the daemon tells those who look on: taps outside sessions, readers and anybody's sessions.
public enum WatchedEvent: Sendable {
    case didReadTag(BackgroundDidReadTag<NDEFMessage>)
    case readerAttached(ReaderAttached)
    case readerDetached(ReaderDetached)
    case readerFailed(ReaderFailed)
    case readerRecovered(ReaderRecovered)
    case tagArrived(ReaderTagArrived)
    case tagLeft(ReaderTagLeft)
    case sessionBegan(SessionBegan)
    case sessionEnded(SessionEnded)

    /// The event in a line; nil for one that this client does not know, which a later daemon may send.
    init?(method: String, line: Data) throws {
        func parameters<Parameters: Decodable>() throws -> Parameters {
            try JSONLine.decode(Carrier<Parameters>.self, from: line).params
        }
        switch method {
        case BackgroundDidReadTag<NDEFMessage>.name: self = .didReadTag(try parameters())
        case ReaderAttached.name: self = .readerAttached(try parameters())
        case ReaderDetached.name: self = .readerDetached(try parameters())
        case ReaderFailed.name: self = .readerFailed(try parameters())
        case ReaderRecovered.name: self = .readerRecovered(try parameters())
        case ReaderTagArrived.name: self = .tagArrived(try parameters())
        case ReaderTagLeft.name: self = .tagLeft(try parameters())
        case SessionBegan.name: self = .sessionBegan(try parameters())
        case SessionEnded.name: self = .sessionEnded(try parameters())
        default: return nil
        }
    }
}

extension WatchedEvent {
    /// What was told: its name on the wire is that of its type.
    public var notification: any ServerNotification {
        switch self {
        case .didReadTag(let event): event
        case .readerAttached(let event): event
        case .readerDetached(let event): event
        case .readerFailed(let event): event
        case .readerRecovered(let event): event
        case .tagArrived(let event): event
        case .tagLeft(let event): event
        case .sessionBegan(let event): event
        case .sessionEnded(let event): event
        }
    }
}
