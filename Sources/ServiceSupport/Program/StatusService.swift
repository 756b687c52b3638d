package import Threading

/// Sends the service manager, if there is one, a line about the service every 10 s, with a keep-alive if it has a watchdog; and `stopping`
/// when the service ends.
package struct StatusService: Service {
    private static let interval = Duration.seconds(10)

    private let manager: ServiceManager
    private let isReady: Bool
    private let line: @Sendable () async -> String

    /// - Parameters:
    ///   - isReady: whether the service is ready when this begins to run.
    ///   - line: for people.
    package init(_ manager: ServiceManager, isReady: Bool, line: @escaping @Sendable () async -> String) {
        self.manager = manager
        self.isReady = isReady
        self.line = line
    }

    package func run(until stop: StopSignal) async {
        if isReady { manager.ready() }
        await stop.cancelling {
            while !Task.isCancelled {
                if manager.isPresent { await report() }
                try? await Task.sleep(for: manager.watchdog.map { min($0 / 3, Self.interval) } ?? Self.interval)
            }
        }
        manager.stopping()
    }

    private func report() async {
        manager.status(await line())
        if manager.watchdog != nil { manager.beat() }
    }
}
