import ArgumentParser
import NFCClient
import NFCProtocol
import UnixSignals
import VirtualTags

/// Holds a virtual tag in a field until its time is over, or Ctrl-C.
struct Holding: Sendable {
    let duration: Duration?
    /// Called with the place once the tag is there.
    let announce: @Sendable (String) -> Void

    /// On a simulated reader; the daemon takes the tag away when this client is gone.
    func onSimulator(_ parameters: SimulatorPresent.Parameters, socket: String) async throws {
        let interrupts = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        try await reporting {
            try await NFCClient.withConnection(to: socket) { client in
                let presented = try await client.call(SimulatorPresent.self, parameters)
                announce(presented.reader)
                try await untilOver(interrupts) {
                    for await _ in client.events {}
                    throw NFCClientError.connectionLost
                }
                _ = try await client.call(SimulatorRemove.self, .init(presentation: presented.presentation))
            }
        }
    }

    /// On a virtual reader of pcscd.
    func through(_ address: VPCDAddress, _ card: any VirtualCard) async throws {
        let interrupts = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let presenter = VPCDPresenter(card: card, address: address)
        do {
            try await presenter.present()
            announce("vpcd at \(address)")
            try await untilOver(interrupts) {
                let end = await withTaskCancellationHandler {
                    await presenter.waitForEnd()
                } onCancel: {
                    presenter.remove()
                }
                if end != .removed { throw PresentationEnded() }
            }
        } catch let error as VPCDError {
            Terminal.error("nfcctl: \(error)")
            throw ExitCode.unavailable
        } catch is PresentationEnded {
            Terminal.error(
                "nfcctl: vpcd at \(address) closed the connection; pcscd has ended, or another tag took the slot")
            throw ExitCode.unavailable
        }
    }

    private struct PresentationEnded: Error {}

    /// Returns when the time is over or a signal came; throws what `loss` throws.
    private func untilOver(
        _ interrupts: UnixSignalsSequence, _ loss: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await loss() }
            group.addTask { for await _ in interrupts { return } }
            if let duration { group.addTask { try await Task.sleep(for: duration) } }
            try await group.next()
            group.cancelAll()
        }
    }
}
