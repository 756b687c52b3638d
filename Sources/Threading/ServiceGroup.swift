/// A part of a program that runs as long as the program does.
package protocol Service: Sendable {
    /// Runs until the signal is given, and returns when everything is closed.
    ///
    /// - Throws: what makes the whole program end.
    func run(until stop: StopSignal) async throws
}

/// A function as a service: it is cancelled when the service has to end.
package struct FunctionService: Service {
    private let body: @Sendable () async -> Void

    /// - Parameter body: runs until its task is cancelled.
    package init(_ body: @escaping @Sendable () async -> Void) { self.body = body }

    package func run(until stop: StopSignal) async { await stop.cancelling(body) }
}

/// Runs the services of a program side by side, and ends them one after another: the last first, so that a service can use those
/// before it until its own end.
package struct ServiceGroup: Sendable {
    private enum Event: Sendable {
        case ended(Int, (any Error)?)
        case stop
    }

    private let services: [any Service]

    /// - Parameter services: in the order in which they depend on each other, the first on none.
    package init(_ services: [any Service]) { self.services = services }

    /// Runs until a function returns, or a service ends or fails; then the others end.
    ///
    /// - Throws: the first failure of a service.
    package func run(until end: @escaping @Sendable () async -> Void) async throws {
        let stops = services.map { _ in StopSignal() }
        let failure = await withTaskGroup(of: Event.self) { group in
            for (index, service) in services.enumerated() {
                group.addTask {
                    do {
                        try await service.run(until: stops[index])
                        return .ended(index, nil)
                    } catch {
                        return .ended(index, error)
                    }
                }
            }
            group.addTask {
                await end()
                return .stop
            }
            var (running, failure) = (Set(services.indices), (any Error)?.none)
            func waitForEvent() async {
                guard case .ended(let index, let error) = await group.next() else { return }
                running.remove(index)
                failure = failure ?? error
            }
            await waitForEvent()
            for index in services.indices.reversed() {
                stops[index].give()
                while running.contains(index) { await waitForEvent() }
            }
            group.cancelAll()
            return failure
        }
        if let failure { throw failure }
    }
}
