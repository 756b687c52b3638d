import NFCTags
import Synchronization

/// The subscriptions that receive a tap, each with the form in which it receives it.
struct TapMatches: Sendable {
    /// A subscription whose filter is compared with the tap.
    struct Candidate: Sendable {
        let id: SubscriptionID
        let filter: BackgroundFilter
        let client: any BackgroundClient
    }

    /// The tap.
    let tap: BackgroundTap
    private var forms: [SubscriptionID: BackgroundTap] = [:]
    private var compared: [BackgroundFilter: BackgroundTap?] = [:]

    /// The form for a subscription; nil where its filter does not match.
    subscript(_ id: SubscriptionID) -> BackgroundTap? { forms[id] }

    /// Compares the filters of subscriptions, and has the recipients prepare what they send.
    ///
    /// It may take long, with many filters and records, so that it is not for an actor that serves others.
    @concurrent static func find(_ tap: BackgroundTap, among candidates: [Candidate]) async -> TapMatches {
        var matches = TapMatches(tap)
        for candidate in candidates {
            matches.compare(candidate)
            await Task.yield()
        }
        return matches
    }

    /// A tap that was compared with no filter yet.
    init(_ tap: BackgroundTap) {
        self.tap = tap
    }

    /// Compares the filter of a subscription; equal filters are compared once.
    mutating func compare(_ candidate: Candidate) {
        let form: BackgroundTap?
        if let known = compared[candidate.filter] {
            form = known
        } else {
            form = candidate.filter.matched(tap)
            compared[candidate.filter] = .some(form)
            if let form { candidate.client.prepare(form) }
        }
        if let form { forms[candidate.id] = form }
    }
}

/// What the recipients of a tap make of it: made once for each form of the tap, and shared by all recipients. It is not part of what
/// the tap is: all are equal.
package final class TapForms: Sendable {
    private let notifications = Mutex<[(tap: BackgroundTap, made: any Sendable)]>([])
    private let messages = Mutex<[(reading: NDEFReading, made: any Sendable)]>([])

    /// What is made of a tap in one form.
    package func notification<Made: Sendable>(of tap: BackgroundTap, _ make: () -> Made) -> Made {
        notifications.withLock { notifications in
            if let entry = notifications.first(where: { $0.tap == tap }), let made = entry.made as? Made { return made }
            let made = make()
            // Its forms are these, which would keep themselves.
            notifications.append((tap.withoutForms, made))
            return made
        }
    }

    /// What is made of its messages.
    package func messages<Made: Sendable>(of reading: NDEFReading, _ make: () -> Made) -> Made {
        messages.withLock { messages in
            if let entry = messages.first(where: { $0.reading == reading }), let made = entry.made as? Made {
                return made
            }
            let made = make()
            messages.append((reading, made))
            return made
        }
    }
}

extension TapForms: Hashable {
    package static func == (_: TapForms, _: TapForms) -> Bool { true }

    package func hash(into hasher: inout Hasher) {}
}
