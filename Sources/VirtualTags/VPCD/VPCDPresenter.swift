import Dispatch
import Synchronization

/// Presents a card in a virtual reader of vpcd, the driver that lets pcscd see cards which connect over TCP.
///
/// The connection is the field: while it is open, pcscd sees a card; closing it removes the card. Each presenter
/// serves its connection on its own thread, so neither the caller nor the cooperative pool ever blocks.
public final class VPCDPresenter: Sendable {
    fileprivate enum Phase {
        case idle
        case connecting
        case serving
    }

    fileprivate struct State {
        var phase = Phase.idle
        var socket: VPCDSocket?
        var isRemovalAsked = false
        var end: VPCDEnd?
        var waiters: [CheckedContinuation<VPCDEnd?, Never>] = []
    }

    /// Where vpcd listens.
    public let address: VPCDAddress
    private let card: any VirtualCard
    private let queue = DispatchQueue(label: "virtual-tags.vpcd")
    private let state = Mutex(State())

    /// A presenter for a card; nothing happens until ``present()`` or ``run()``.
    public init(card: any VirtualCard, address: VPCDAddress = VPCDAddress()) {
        self.card = card
        self.address = address
    }

    /// Presents the card until it is removed, by ``remove()``, by a fault, by vpcd or by cancelling the task.
    ///
    /// - Returns: why it ended.
    /// - Throws: ``VPCDError`` when the connection could not be made. Trying again is up to the caller.
    public func run() async throws(VPCDError) -> VPCDEnd {
        let outcome = await withTaskCancellationHandler {
            await presentUntilEnd()
        } onCancel: {
            remove()
        }
        return try outcome.get()
    }

    /// Connects to vpcd and serves the card in the background from then on.
    ///
    /// A presenter whose card was removed can present it again.
    /// - Throws: ``VPCDError``, ``VPCDError/Code/alreadyPresented`` among others.
    public func present() async throws(VPCDError) {
        guard state.withLock({ $0.begin() }) else {
            throw VPCDError(.alreadyPresented, "the card is already presented to vpcd on \(address)")
        }
        let outcome = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: self.connect()) }
        }
        let socket = try outcome.get()
        queue.async { self.serve(socket) }
    }

    /// Removes the card. Does nothing when it is not presented; may be called from any thread, also while the card is being read.
    public func remove() {
        state.withLock {
            guard $0.phase != .idle else { return }
            $0.isRemovalAsked = true
            $0.socket?.cut()
        }
    }

    /// Waits for the card to be gone and returns why; nil when it was never presented.
    public func waitForEnd() async -> VPCDEnd? {
        await withCheckedContinuation { continuation in
            let known = state.withLock { state -> VPCDEnd?? in
                if state.phase == .idle { return .some(state.end) }
                state.waiters.append(continuation)
                return .none
            }
            if let known { continuation.resume(returning: known) }
        }
    }

    private func presentUntilEnd() async -> Result<VPCDEnd, VPCDError> {
        do throws(VPCDError) {
            try await present()
        } catch {
            return error.code == .removed ? .success(.removed) : .failure(error)
        }
        // A cancellation that came before the connection was begun found nothing to remove.
        if Task.isCancelled { remove() }
        return .success(await waitForEnd() ?? .removed)
    }

    private func connect() -> Result<VPCDSocket, VPCDError> {
        do throws(VPCDError) {
            let socket = try address.connect { socket in state.withLock { $0.adopt(socket) } }
            // A cut that came before the connection attempt began had no effect on the socket.
            if state.withLock({ $0.serve() }) { return .success(socket) }
        } catch {
            if !state.withLock({ $0.isRemovalAsked }) {
                finish(with: nil)
                return .failure(error)
            }
        }
        finish(with: .removed)
        return .failure(VPCDError(.removed, "the card was removed before vpcd on \(address) answered"))
    }

    private func serve(_ socket: VPCDSocket) {
        let end = VPCDSession(socket: socket, card: card).run()
        socket.close()
        card.powerOff()
        finish(with: end)
    }

    /// Returns to the idle phase; `end` is nil where the card was never presented.
    private func finish(with end: VPCDEnd?) {
        let (reason, waiters) = state.withLock { state in
            let reason = state.isRemovalAsked ? .removed : end
            defer { state = State(end: reason) }
            return (reason, state.waiters)
        }
        for waiter in waiters { waiter.resume(returning: reason) }
    }
}

extension VPCDPresenter.State {
    /// Leaves the idle phase; false when another presentation is in progress.
    fileprivate mutating func begin() -> Bool {
        guard phase == .idle else { return false }
        phase = .connecting
        return true
    }

    /// Stores the socket that is to be cut on removal; false when removal was already requested.
    fileprivate mutating func adopt(_ new: VPCDSocket) -> Bool {
        socket = new
        return !isRemovalAsked
    }

    /// Enters the serving phase; false when removal was already requested.
    fileprivate mutating func serve() -> Bool {
        phase = .serving
        return !isRemovalAsked
    }
}

/// Why a card could not be presented to vpcd.
public struct VPCDError: Error, Hashable, CustomStringConvertible {
    /// The kind of failure, open for kinds to come.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The stable name of the kind.
        public let rawValue: String

        /// A kind by its stable name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// No process listens at the address.
        public static let connectionRefused = Code(rawValue: "connectionRefused")
        /// The host name has no address.
        public static let unknownHost = Code(rawValue: "unknownHost")
        /// There was no answer within the time limit.
        public static let timedOut = Code(rawValue: "timedOut")
        /// The presenter already presents its card.
        public static let alreadyPresented = Code(rawValue: "alreadyPresented")
        /// The card was removed, or the task cancelled, before the connection was established.
        public static let removed = Code(rawValue: "removed")
        /// Another failure of the network; the sentence holds its number.
        public static let network = Code(rawValue: "network")
    }

    /// The kind of failure.
    public let code: Code
    /// The failure as a sentence for people.
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}

/// Why a card is no longer presented.
public enum VPCDEnd: Sendable, Hashable {
    /// ``VPCDPresenter/remove()`` was called, or the task was cancelled.
    case removed
    /// The card is gone: an injected fault removed it.
    case cardLeft
    /// vpcd closed the connection, for example because pcscd stopped.
    case peerClosed
    /// Reading or writing failed with this `errno`.
    case failed(errno: Int32)
}

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

/// A message from vpcd to the card, without its two-byte length.
enum VPCDMessage: Hashable {
    case powerOff
    case powerOn
    case reset
    /// The request for the ATR, which vpcd also uses to see whether the card is still there.
    case answerToReset
    case command([UInt8])

    /// Reads a body; single bytes other than the four controls are commands as well.
    init(_ body: [UInt8]) {
        switch body {
        case [0x00]: self = .powerOff
        case [0x01]: self = .powerOn
        case [0x02]: self = .reset
        case [0x04]: self = .answerToReset
        default: self = .command(body)
        }
    }

    /// The largest body that the two-byte length can announce.
    static let maximumSize = 0xFFFF

    /// A message as it goes over the wire: length, big-endian, and body. A body too large becomes `6F 00`.
    static func frame(_ body: [UInt8]) -> [UInt8] {
        guard body.count <= maximumSize else { return frame(VirtualStatusWord.noDiagnosis) }
        return [UInt8(truncatingIfNeeded: body.count >> 8), UInt8(truncatingIfNeeded: body.count)] + body
    }

    /// The length in a message's first two bytes.
    static func length(_ header: [UInt8]) -> Int {
        header.prefix(2).reduce(0) { $0 << 8 | Int($1) }
    }
}
