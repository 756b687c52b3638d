import CTAP
import NFCClient
import NFCProtocol
import Synchronization

/// One request to a card that nfcd found.
struct CardExchange: Sendable {
    /// How long nfcd waits for one answer; the decision about the request comes earlier.
    private static let patience = Duration.seconds(35)
    /// Within this time nfcd notices that a card has left.
    private static let departureLimit = Duration.seconds(1)
    /// How often a card that another program holds is tried; nfcd waits for 5 s each time. What remains of the 30 s of a request is
    /// for selecting the application again.
    private static let busyAttempts = 4

    let tag: RemoteTag
    let sleep: @Sendable (Duration) async throws -> Void
    /// Whether the card is to give up.
    let isCancelled = CancellationMark()

    /// Carries out a request.
    ///
    /// - Parameter onWait: is called with the status while the card asks for time.
    func run(
        _ body: HIDEndpoint.Body, onWait: @Sendable (KeepAlive) -> Void = { _ in }
    ) async -> CardSecurityKey.Outcome {
        var transfer = CardTransfer(body)
        var step = transfer.start()
        do {
            while true {
                switch step {
                case .send(let apdu):
                    let answer = try await send(apdu)
                    if isCancelled.isSet { transfer.cancel() }
                    step = transfer.receive(answer.data.bytes + [answer.sw1, answer.sw2])
                case .wait(let time, let status):
                    onWait(status)
                    try await sleep(time)
                    if isCancelled.isSet { transfer.cancel() }
                    step = transfer.waited()
                case .done(let answer): return .answer(answer)
                case .failed(let failure): return .failed(failure)
                }
            }
        } catch let error as NFCClientError {
            // That a card has left is reported a little later, and ends the exchange.
            if Self.mayBeDeparture(error) { try? await sleep(Self.departureLimit) }
            return Self.outcome(of: error, body)
        } catch {
            return .cardLost
        }
    }

    /// Sends an APDU, as soon as other programs have released the card. Until then nothing reaches the card, so that it may be tried
    /// again.
    private func send(_ apdu: [UInt8]) async throws -> ISO7816SendCommand.Result {
        for _ in 1..<Self.busyAttempts {
            do {
                return try await tag.iso7816.sendCommand(apdu, timeout: Self.patience)
            } catch let error as NFCClientError where error.nfcCode == .systemIsBusy && !isCancelled.isSet {}
        }
        return try await tag.iso7816.sendCommand(apdu, timeout: Self.patience)
    }

    /// Whether the card may have been lifted: a card that is being lifted first answers nothing.
    private static func mayBeDeparture(_ error: NFCClientError) -> Bool {
        [.tagResponseError, .tagConnectionLost, .systemIsBusy].contains(error.nfcCode)
    }

    /// What an error of nfcd means for the request, if the card has not left.
    private static func outcome(of error: NFCClientError, _ body: HIDEndpoint.Body) -> CardSecurityKey.Outcome {
        guard case .refused = error else { return .cardLost }
        switch error.nfcCode {
        case .tagResponseError: return .failed(.malformed)
        // Another program reset the card or holds it: what the card had selected is gone.
        case .tagConnectionLost, .systemIsBusy: return .deselected
        // A command that nfcd does not let through.
        case .securityViolation:
            if case .cbor = body { return .answer([CTAPStatus.invalidCommand.rawValue]) }
            return .failed(.refused(0x6D00))
        default: return .cardLost
        }
    }
}

/// A mark that one task sets and another reads.
final class CancellationMark: Sendable {
    private let mark = Atomic(false)

    /// Whether it was set.
    var isSet: Bool { mark.load(ordering: .relaxed) }

    /// Sets it.
    func set() { mark.store(true, ordering: .relaxed) }
}

/// The arrival of a card: connects, and asks it for its information. nfcd has selected the application.
struct CardArrival: Sendable {
    private static let getInfo: [UInt8] = [CTAPCommand.Code.getInfo]
    /// U2F_VERSION (U2F raw message formats, §6).
    private static let version: [UInt8] = [0x00, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00]
    private static let versionAnswer = Array("U2F_V2".utf8) + [0x90, 0x00]

    let tag: RemoteTag
    let sleep: @Sendable (Duration) async throws -> Void

    /// The card; nil where it does not answer as a security key does.
    func card() async -> CardSecurityKey.Card? {
        guard (try? await tag.connect()) != nil else { return nil }
        let exchange = CardExchange(tag: tag, sleep: sleep)
        if case .answer(let answer) = await exchange.run(.cbor(Self.getInfo)), let info = CardInfo(answer) {
            return CardSecurityKey.Card(info: info, hasU2F: info.hasU2F)
        }
        guard case .answer(Self.versionAnswer) = await exchange.run(.message(Self.version)) else { return nil }
        return CardSecurityKey.Card(info: nil, hasU2F: true)
    }
}
