import ArgumentParser
import NFCClient
import NFCProtocol
import VirtualTags

/// Presents a virtual tag to a reader until Ctrl-C, or for a limited time.
struct TagPresentation: Sendable {
    private let duration: Duration?
    private let announce: @Sendable (String) -> Void

    /// - Parameters:
    ///   - duration: how long the tag is presented; nil for no limit.
    ///   - announce: called with the name of the reader when the tag is present.
    init(duration: Duration?, announce: @escaping @Sendable (String) -> Void) {
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

    /// Presents a card to a virtual reader of pcscd.
    ///
    /// - Throws: `ExitCode`, after printing the error.
    func run(_ card: any VirtualCard, on address: VPCDAddress) async throws {
        let interruption = await Interruption()
        let presenter = VPCDPresenter(card: card, address: address)
        do {
            try await presenter.present()
        } catch {
            Terminal.error("nfcctl: \(error)")
            throw ExitCode.unavailable
        }
        announce("vpcd at \(address)")
        let end = try await interruption.cancelling(after: duration) {
            await withTaskCancellationHandler {
                await presenter.waitForEnd()
            } onCancel: {
                presenter.remove()
            }
        }
        guard let end, end != .removed else { return }
        Terminal.error(
            "nfcctl: vpcd at \(address) closed the connection: pcscd has ended, or another tag uses the slot")
        throw ExitCode.unavailable
    }
}
