import Dispatch
import Synchronization

/// Holds a card into a virtual reader of vpcd, the driver that lets pcscd see cards which connect over TCP.
///
/// The connection is the field: while it stands, pcscd sees a card; closing it takes the card away. Each presenter
/// serves its connection on a thread of its own, so neither the caller nor the cooperative pool ever blocks.
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

    /// Takes the card away. Harmless when it is not presented; may be called from any thread, also while it is read.
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
    /// Leaves the idle phase; false when another presentation is under way.
    fileprivate mutating func begin() -> Bool {
        guard phase == .idle else { return false }
        phase = .connecting
        return true
    }

    /// Remembers the socket that is to be cut on removal; false when removal was asked already.
    fileprivate mutating func adopt(_ new: VPCDSocket) -> Bool {
        socket = new
        return !isRemovalAsked
    }

    /// Enters the serving phase; false when removal was asked already.
    fileprivate mutating func serve() -> Bool {
        phase = .serving
        return !isRemovalAsked
    }
}
