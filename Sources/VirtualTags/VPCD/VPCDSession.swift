/// One card on one connection: answers messages until either of them is gone. Blocks.
struct VPCDSession {
    let socket: VPCDSocket
    let card: any VirtualCard

    /// Serves until the end and returns its reason.
    func run() -> VPCDEnd {
        do throws(VPCDSocket.Failure) {
            while card.isPresent {
                let length = VPCDMessage.length(try socket.read(2))
                // vpcd sends no empty messages; there would be nothing to answer to one.
                guard length > 0 else { continue }
                if let answer = answer(to: VPCDMessage(try socket.read(length))) {
                    try socket.write(VPCDMessage.frame(answer))
                }
            }
            return .cardLeft
        } catch {
            return Self.end(for: error)
        }
    }

    /// The answer, nil where none is due: to power controls, and from a card that is gone.
    private func answer(to message: VPCDMessage) -> [UInt8]? {
        switch message {
        case .powerOff: card.powerOff()
        case .powerOn: card.powerOn()
        case .reset: card.reset()
        case .answerToReset: return card.answerToReset
        case .command(let apdu):
            let response = card.transmit(apdu)
            return response.isEmpty && !card.isPresent ? nil : response
        }
        return nil
    }

    private static func end(for failure: VPCDSocket.Failure) -> VPCDEnd {
        switch failure {
        case .closed: .peerClosed
        case .errno(let number): .failed(errno: number)
        }
    }
}
