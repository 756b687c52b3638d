import NFCSessions
import ServiceLifecycle

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
