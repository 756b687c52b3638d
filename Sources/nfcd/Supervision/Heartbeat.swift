import Logging
import NFCSessions
import ServiceLifecycle

/// A part of nfcd that has to be alive.
struct VitalPart: Sendable {
    /// For people.
    let name: String
    /// Says what is wrong; nil: nothing. A part that hangs never answers.
    let complaint: @Sendable () async -> String?

    /// A part that is alive if it answers at all.
    init(_ name: String, answers: @escaping @Sendable () async -> Void) {
        self.init(name) { () async -> String? in
            await answers()
            return nil
        }
    }

    /// A part that can tell what is wrong with it.
    init(_ name: String, complaint: @escaping @Sendable () async -> String?) {
        self.name = name
        self.complaint = complaint
    }
}

/// Gives the service manager signs of life for as long as every part answers: where one hangs, there is no further sign, and
/// the service manager starts nfcd again.
struct Heartbeat: Service {
    let parts: [VitalPart]
    /// How long nfcd may be without a sign.
    let limit: Duration
    let clock: any Clock<Duration>
    let logger: Logger
    /// Gives a sign.
    let beat: @Sendable () -> Void

    func run() async throws {
        await cancelWhenGracefulShutdown { await keepBeating() }
    }

    /// Two signs within the limit; after a complaint there is time to look again before it is over.
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
            logger.critical("\(part.name): \(complaint); no sign of life for the service manager")
            return false
        }
        return true
    }
}

/// Tells the service manager in a line what nfcd does, whenever that changes, and at once when nfcd is about to end.
struct StatusService: Service {
    /// Changes that follow each other closely are told together.
    static let pause = Duration.seconds(1)

    let coordinator: SessionCoordinator
    let clock: any Clock<Duration>
    let status: @Sendable (String) -> Void
    let stopping: @Sendable () -> Void

    func run() async throws {
        await withGracefulShutdownHandler {
            await cancelWhenGracefulShutdown { await tellChanges() }
        } onGracefulShutdown: {
            stopping()
        }
    }

    /// Runs until cancelled.
    func tellChanges() async {
        let (changes, bell) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        coordinator.metrics.onChange { bell.yield() }
        bell.yield()
        var told: String?
        for await _ in changes {
            let text = "\(await coordinator.overview())"
            guard text != told, !Task.isCancelled else { continue }
            status(text)
            told = text
            _ = try? await clock.sleep(for: Self.pause)
        }
    }
}
