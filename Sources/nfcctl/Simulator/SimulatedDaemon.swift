import ArgumentParser
import NFCReaders
import NFCSessions
import NFCSocketServer
import NFCTypes
import ServiceSupport
import Threading

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The server of nfcd within this program, with simulated readers and no others. Root and the user that runs it may do everything.
struct SimulatedDaemon: Sendable {
    private let driver: SimulatedDriver
    private let services: ServiceGroup
    /// Ends when clients can connect.
    private let listening: AsyncStream<Void>

    /// - Parameters:
    ///   - socket: the path of the socket.
    ///   - model: the name of a model of readers; nil for readers that support every tag.
    init(socket: String, readers: Int, model: String? = nil) {
        let clock = ContinuousClock()
        let driver =
            model.flatMap { SimulatedDriver(readers: readers, modelNamed: $0, clock: clock) }
            ?? SimulatedDriver(readers: readers, clock: clock)
        let coordinator = SessionCoordinator(driver: driver, clock: clock, logger: .errors)
        let (listening, report) = AsyncStream.makeStream(of: Void.self)
        let server = SocketServer(
            socket: socket, coordinator: coordinator,
            access: AccessPolicy(AccessRules(superusers: [0, geteuid()])), simulator: driver, logger: .errors,
            onListening: { report.finish() })
        self.driver = driver
        self.listening = listening
        // Sessions end while their clients are still connected.
        services = ServiceGroup([server, FunctionService { await coordinator.run() }])
    }

    /// Runs for as long as `body` does, which begins when clients can connect.
    ///
    /// - Throws: `ExitCode`, after printing why the socket cannot be made; otherwise what `body` throws.
    func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        ServiceProgram.outlivePeers()
        let (results, report) = AsyncStream.makeStream(of: Result<Value, any Error>.self)
        do {
            try await services.run { [driver, listening] in
                for await _ in listening {}
                await driver.refresh()
                // Otherwise the server has failed.
                guard !Task.isCancelled else { return }
                do {
                    report.yield(.success(try await body()))
                } catch {
                    report.yield(.failure(error))
                }
            }
        } catch {
            Terminal.error("nfcctl: \(error)")
            throw ExitCode.cannotCreate
        }
        report.finish()
        for await result in results { return try result.get() }
        throw CancellationError()
    }
}

extension EventLog {
    /// What an operator should look at, on standard error.
    fileprivate static let errors = EventLog { level, message, _ in
        switch level {
        case .debug, .info, .notice: break
        case .warning, .error: Terminal.error("nfcctl: \(message().printableLines)")
        }
    }
}
