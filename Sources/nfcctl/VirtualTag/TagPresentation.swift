import ArgumentParser
import NFCClient
import NFCProtocol
import UnixSignals
import VirtualTags

/// Presents a virtual tag to a reader until Ctrl-C, or for a limited time.
struct TagPresentation: Sendable {
    private let duration: Duration?
    private let announce: @Sendable (String?) -> Void

    /// - Parameters:
    ///   - duration: how long the tag is presented; nil for no limit.
    ///   - announce: called with the name of the reader when the tag is present, and with nil when it was lifted.
    init(duration: Duration?, announce: @escaping @Sendable (String?) -> Void) {
        (self.duration, self.announce) = (duration, announce)
    }

    /// Presents a tag to a simulated reader. The daemon removes the tag when the connection ends.
    ///
    /// - Throws: `ExitCode`, after printing the error.
    func run(_ parameters: SimulatorPresent.Parameters, on connection: ConnectionOptions) async throws {
        let interruption = await Interruption()
        try await connection.withClient { client in
            let presented = try await client.call(SimulatorPresent.self, parameters)
            announce(presented.reader)
            _ = try await interruption.cancelling(after: duration) {
                throw try await client.waitForEnd()
            }
            _ = try await client.call(SimulatorRemove.self, .init(presentation: presented.presentation))
        }
    }

    /// Presents a card to a virtual reader of pcscd. SIGUSR1 lifts it, and puts it back with everything that it remembers.
    ///
    /// - Throws: `ExitCode`, after printing the error.
    func run(_ card: any VirtualCard, on address: VPCDAddress) async throws {
        let interruption = await Interruption()
        let gestures = await UnixSignalsSequence(trapping: .sigusr1)
        let presenter = VPCDPresenter(card: card, address: address)
        let end = try await interruption.cancelling(after: duration) {
            try await withTaskCancellationHandler {
                try await present(presenter, gestures)
            } onCancel: {
                presenter.remove()
            }
        }
        guard let end, end != .removed else { return }
        Terminal.error(
            "nfcctl: vpcd at \(address) closed the connection: pcscd has ended, or another tag uses the slot")
        throw ExitCode.unavailable
    }

    private enum Step: Sendable {
        case gesture
        case ended(VPCDEnd?)
    }

    /// Presents a card until its connection ends without a gesture.
    private func present(_ presenter: VPCDPresenter, _ gestures: UnixSignalsSequence) async throws -> VPCDEnd? {
        let (steps, report) = AsyncStream.makeStream(of: Step.self)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { for await _ in gestures { report.yield(.gesture) } }
            var isPresent = false
            report.yield(.gesture)
            for await step in steps {
                switch step {
                case .gesture where isPresent: presenter.remove()
                case .gesture:
                    try await connect(presenter)
                    isPresent = true
                    group.addTask { report.yield(.ended(await presenter.waitForEnd())) }
                case .ended(.removed) where !Task.isCancelled:
                    isPresent = false
                    announce(nil)
                case .ended(let end): return end
                }
            }
            return .removed
        }
    }

    private func connect(_ presenter: VPCDPresenter) async throws {
        do {
            try await presenter.present()
        } catch {
            Terminal.error("nfcctl: \(error)")
            throw ExitCode.unavailable
        }
        announce("vpcd at \(presenter.address)")
    }
}
