// Until every caller uses ReaderSession and Observation.

/// An event of the connection.
public enum ServerEvent: Sendable {
    case didBecomeActive(SessionDidBecomeActive)
    case didDetectNDEFs(SessionDidDetectNDEFs)
    case didDetectTags(SessionDidDetectTags)
    case tagRemoved(SessionTagRemoved)
    case tagFailed(SessionTagFailed)
    case didInvalidate(SessionDidInvalidate)
    case watched(ObservedEvent)

    init(_ event: IncomingEvent) {
        self =
            switch event {
            case .session(.didBecomeActive(let event)): .didBecomeActive(event)
            case .session(.didDetectNDEFs(let event)): .didDetectNDEFs(event)
            case .session(.didDetectTags(let event)): .didDetectTags(event)
            case .session(.tagRemoved(let event)): .tagRemoved(event)
            case .session(.tagFailed(let event)): .tagFailed(event)
            case .session(.didInvalidate(let event)): .didInvalidate(event)
            case .observed(let event): .watched(event)
            }
    }
}

/// An event that is observed.
public typealias WatchedEvent = ObservedEvent
