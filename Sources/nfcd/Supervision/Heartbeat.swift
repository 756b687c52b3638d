import Logging
import NFCSessions
import Threading

/// A part of nfcd that must stay responsive.
struct VitalPart: Sendable {
    /// For people.
    let name: String
    /// Returns the problem, or nil. A part that hangs never returns.
    let complaint: @Sendable () async -> String?

    /// A part that is responsive if it answers at all.
    init(_ name: String, answers: @escaping @Sendable () async -> Void) {
        self.init(name) { () async -> String? in
            await answers()
            return nil
        }
    }

    /// A part that reports its problems.
    init(_ name: String, complaint: @escaping @Sendable () async -> String?) {
        self.name = name
        self.complaint = complaint
    }
}

/// Sends keep-alives to the service manager as long as every part answers: where one hangs, no more are sent, and
/// the service manager restarts nfcd.
struct Heartbeat: Service {
    let parts: [VitalPart]
    /// The time within which the service manager expects a keep-alive.
    let limit: Duration
    let clock: any Clock<Duration>
    let logger: Logger
    /// Sends a keep-alive.
    let beat: @Sendable () -> Void

    func run(until stop: StopSignal) async {
        await stop.cancelling { await keepBeating() }
    }

    /// Sends two keep-alives within the limit; after a problem there is time to check again before it elapses.
    func keepBeating() async {
        var pause = limit / 2
        while (try? await clock.sleep(for: pause)) != nil, !Task.isCancelled {
            let isWell = await areWell()
            if isWell { beat() }
            pause = isWell ? limit / 2 : limit / 8
        }
    }

    private func areWell() async -> Bool {
        for part in parts {
            guard let complaint = await part.complaint() else { continue }
            logger.critical(
                "\(part.name): \(complaint); no keep-alive is sent, so that the service manager restarts nfcd")
            return false
        }
        return true
    }
}

/// Sends the service manager a status line whenever it changes, and `stopping` as soon as nfcd is about to end.
struct OverviewService: Service {
    /// Changes that follow each other within this time are sent together.
    static let pause = Duration.seconds(1)

    let coordinator: SessionCoordinator
    let clock: any Clock<Duration>
    let status: @Sendable (String) -> Void
    let stopping: @Sendable () -> Void

    func run(until stop: StopSignal) async {
        await stop.calling(stopping) {
            await stop.cancelling { await sendChanges() }
        }
    }

    /// Runs until cancelled.
    func sendChanges() async {
        let (changes, signal) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        coordinator.metrics.onChange { signal.yield() }
        signal.yield()
        var sent: String?
        for await _ in changes {
            let text = "\(await coordinator.overview())"
            guard text != sent, !Task.isCancelled else { continue }
            status(text)
            sent = text
            _ = try? await clock.sleep(for: Self.pause)
        }
    }
}
