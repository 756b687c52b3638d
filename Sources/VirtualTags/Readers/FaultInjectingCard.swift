import Glibc
import Synchronization

/// A card to which the faults of a plan happen; otherwise it is the card inside.
///
/// Once a fault has removed it, ``isPresent`` is false, ``transmit(_:)`` answers nothing and nothing reaches the card
/// inside any more.
public final class FaultInjectingCard: VirtualCard {
    private struct State {
        var exchange = 0
        var isPresent = true
    }

    private let card: any VirtualCard
    private let plan: FaultPlan
    private let pause: @Sendable (Duration) -> Void
    private let state = Mutex(State())

    /// Lets a plan happen to a card.
    public convenience init(_ card: any VirtualCard, plan: FaultPlan) {
        self.init(card, plan: plan, pause: suspendThread)
    }

    init(_ card: any VirtualCard, plan: FaultPlan, pause: @escaping @Sendable (Duration) -> Void) {
        self.card = card
        self.plan = plan
        self.pause = pause
    }

    /// The ATR of the card inside.
    public var answerToReset: [UInt8] { card.answerToReset }

    /// False from the moment a fault removed the card.
    public var isPresent: Bool { state.withLock { $0.isPresent } }

    /// Powers the card inside, unless it is gone.
    public func powerOn() {
        if isPresent { card.powerOn() }
    }

    /// Takes power from the card inside.
    public func powerOff() {
        if isPresent { card.powerOff() }
    }

    /// Resets the card inside, unless it is gone.
    public func reset() {
        if isPresent { card.reset() }
    }

    /// Counts an exchange and lets its faults happen. The answer is empty once the card is gone.
    public func transmit(_ apdu: [UInt8]) -> [UInt8] {
        let exchange = state.withLock { state -> Int? in
            guard state.isPresent else { return nil }
            state.exchange += 1
            return state.exchange
        }
        guard let exchange else { return [] }
        return transmit(apdu, faults: plan.faults(at: exchange))
    }

    private func transmit(_ apdu: [UInt8], faults: [Fault]) -> [UInt8] {
        if faults.contains(.removeBefore) { remove() }
        for case .removeAmid(let frames) in faults where isPresent {
            card.transmit(apdu, frames: frames)
            remove()
        }
        var response = isPresent ? card.transmit(apdu) : []
        for case .delay(let duration) in faults { pause(duration) }
        for case .answer(let bytes) in faults where isPresent { response = bytes }
        if faults.contains(.removeDuring) {
            remove()
            response = []
        }
        if faults.contains(.removeAfter) { remove() }
        return response
    }

    private func remove() {
        let wasPresent = state.withLock { state -> Bool in
            defer { state.isPresent = false }
            return state.isPresent
        }
        // The field is gone for the tag as well: its volatile state must not survive.
        if wasPresent { card.powerOff() }
    }
}

/// Blocks the calling thread, signals notwithstanding. A duration that is not positive does nothing.
private func suspendThread(for duration: Duration) {
    let parts = duration.components
    guard duration > .zero, let seconds = Int(exactly: parts.seconds) else { return }
    var wanted = timespec(tv_sec: seconds, tv_nsec: Int(parts.attoseconds / 1_000_000_000))
    var left = timespec()
    while nanosleep(&wanted, &left) == -1 && errno == EINTR { wanted = left }
}

/// Something that goes wrong at an exchange.
public enum Fault: Sendable, Hashable {
    /// The tag is removed before it receives the command.
    case removeBefore
    /// The tag is removed when it has received this many frames of the command; a card of ISO/IEC 14443-4 may have stored a part of a
    /// long write by then. A command of no more frames is executed.
    case removeAmid(frames: Int)
    /// The tag receives and executes the command, but is removed before its answer arrives.
    case removeDuring
    /// The tag is removed after its answer arrived.
    case removeAfter
    /// The host gets these bytes instead of the response; any number of bytes, none as well.
    case answer([UInt8])
    /// The response takes this much longer.
    case delay(Duration)
}

/// Which faults happen at which exchange. Exchanges are the host's APDUs, counted from 1.
public struct FaultPlan: Sendable, Hashable {
    /// No faults at all.
    public static let none = FaultPlan()

    private var faults: [Int: [Fault]] = [:]
    private var recurring: [Fault] = []

    /// An empty plan.
    public init() {}

    /// A plan with one fault at one exchange.
    public init(_ fault: Fault, at exchange: Int) {
        add(fault, at: exchange)
    }

    /// Adds a fault. Several at one exchange all happen; an exchange below 1 never does.
    public mutating func add(_ fault: Fault, at exchange: Int) {
        faults[exchange, default: []].append(fault)
    }

    /// Adds a fault that happens at every exchange.
    public mutating func addToEveryExchange(_ fault: Fault) {
        recurring.append(fault)
    }

    /// The plan with one more fault.
    public func adding(_ fault: Fault, at exchange: Int) -> FaultPlan {
        var plan = self
        plan.add(fault, at: exchange)
        return plan
    }

    /// What happens at an exchange.
    public func faults(at exchange: Int) -> [Fault] {
        recurring + (faults[exchange] ?? [])
    }
}
