import FoundationEssentials
import NDEF
import NFCProtocol

/// A line from the daemon, decoded once: an answer, the progress of a request, or an event.
enum DaemonLine: Decodable, Sendable {
    /// The answer to the request with this id. Its result is decoded where the type is known.
    case answer(id: Int64)
    /// The reason for which the daemon ends the connection.
    case refusal(RPCError)
    case progress(RequestProgress)
    case event(IncomingEvent)
    /// Something that a newer daemon sends, or an invalid line.
    case unknown

    private enum CodingKeys: CodingKey {
        case id, method, params, error
    }

    /// The kind of line; an invalid one is unknown.
    init(line: Data) {
        self = (try? JSONLine.decode(DaemonLine.self, from: line)) ?? .unknown
    }

    init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: CodingKeys.self)
        if let method = try object.decodeIfPresent(String.self, forKey: .method) {
            self = try Self.notification(method, object)
        } else if try object.decodeNil(forKey: .id) {
            self = .refusal(try object.decode(RPCError.self, forKey: .error))
        } else {
            self = .answer(id: try object.decode(Int64.self, forKey: .id))
        }
    }

    private static func notification(
        _ method: String, _ object: KeyedDecodingContainer<CodingKeys>
    ) throws -> DaemonLine {
        func parameters<Parameters: Decodable>() throws -> Parameters {
            try object.decode(Parameters.self, forKey: .params)
        }
        return switch method {
        case RequestProgress.name: .progress(try parameters())
        case SessionDidBecomeActive.name: .event(.session(.didBecomeActive(try parameters())))
        case SessionDidDetectNDEFs.name: .event(.session(.didDetectNDEFs(try parameters())))
        case SessionDidDetectTags.name: .event(.session(.didDetectTags(try parameters())))
        case SessionTagRemoved.name: .event(.session(.tagRemoved(try parameters())))
        case SessionTagFailed.name: .event(.session(.tagFailed(try parameters())))
        case SessionTagIgnored.name: .event(.session(.tagIgnored(try parameters())))
        case SessionDidInvalidate.name: .event(.session(.didInvalidate(try parameters())))
        case BackgroundDidReadTag.name: .event(.observed(.didReadTag(try parameters())))
        case BackgroundTagRemoved.name: .event(.observed(.tagRemoved(try parameters())))
        case TapsDidRecord.name: .event(.recorded(try parameters()))
        case ReaderAttached.name: .event(.observed(.readerAttached(try parameters())))
        case ReaderDetached.name: .event(.observed(.readerDetached(try parameters())))
        case ReaderFailed.name: .event(.observed(.readerFailed(try parameters())))
        case ReaderRecovered.name: .event(.observed(.readerRecovered(try parameters())))
        case ReaderTagArrived.name: .event(.observed(.tagArrived(try parameters())))
        case ReaderTagLeft.name: .event(.observed(.tagLeft(try parameters())))
        case SessionBegan.name: .event(.observed(.sessionBegan(try parameters())))
        case SessionEnded.name: .event(.observed(.sessionEnded(try parameters())))
        case NoticeShown.name: .event(.observed(.noticeShown(try parameters())))
        case NoticeHidden.name: .event(.observed(.noticeHidden(try parameters())))
        case RecordingDidRecord.name: .event(.observed(.didRecord(try parameters())))
        default: .unknown
        }
    }
}

/// An event by its recipient.
enum IncomingEvent: Sendable {
    /// For one session of this connection.
    case session(SessionNotification)
    /// For a subscription of this connection to the journal.
    case recorded(TapsDidRecord)
    /// For the observations of this connection.
    case observed(ObservedEvent)
}

/// A notification for a session of this connection, as it is on the wire.
enum SessionNotification: Sendable {
    case didBecomeActive(SessionDidBecomeActive)
    case didDetectNDEFs(SessionDidDetectNDEFs)
    case didDetectTags(SessionDidDetectTags)
    case tagRemoved(SessionTagRemoved)
    case tagFailed(SessionTagFailed)
    case tagIgnored(SessionTagIgnored)
    case didInvalidate(SessionDidInvalidate)

    /// The session's name.
    var session: String {
        switch self {
        case .didBecomeActive(let event): event.session
        case .didDetectNDEFs(let event): event.session
        case .didDetectTags(let event): event.session
        case .tagRemoved(let event): event.session
        case .tagFailed(let event): event.session
        case .tagIgnored(let event): event.session
        case .didInvalidate(let event): event.session
        }
    }
}
