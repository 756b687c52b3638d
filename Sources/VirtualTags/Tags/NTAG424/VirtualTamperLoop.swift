import Synchronization

/// The wire on the pins of an NTAG 424 DNA TagTamper, such as the one below a seal.
///
/// It is outside the chip: a test opens and closes it at any time, also while a reader holds the card.
public final class VirtualTamperLoop: Sendable {
    private let isClosedNow: Mutex<Bool>

    /// A loop that is closed.
    public init() {
        isClosedNow = Mutex(true)
    }

    /// Whether the wire is whole.
    public var isClosed: Bool { isClosedNow.withLock { $0 } }

    /// Breaks the wire.
    public func open() {
        isClosedNow.withLock { $0 = false }
    }

    /// Repairs the wire.
    public func close() {
        isClosedNow.withLock { $0 = true }
    }
}

/// What an NTAG 424 DNA TagTamper knows of its loop (NT4H2421Tx, §10).
struct NTAG424TamperStatus: Sendable, Hashable {
    private enum Status: UInt8 {
        case closed = 0x43
        case open = 0x4F
        case invalid = 0x49
    }

    /// Whether the loop was ever found open; it stays so.
    private(set) var wasOpened = false
    /// What the last measurement found; nil before the first, and as long as the feature is off.
    private var isOpen: Bool?

    /// Measures the loop.
    mutating func measure(_ loop: VirtualTamperLoop) {
        isOpen = !loop.isClosed
        wasOpened = wasOpened || !loop.isClosed
    }

    /// Forgets the last measurement, as without power.
    mutating func fieldDropped() { isOpen = nil }

    /// TTPermStatus and TTCurrStatus in ASCII.
    var bytes: [UInt8] {
        guard let isOpen else { return [Status.invalid.rawValue, Status.invalid.rawValue] }
        let permanent = wasOpened ? Status.open : .closed
        return [permanent.rawValue, (isOpen ? Status.open : .closed).rawValue]
    }
}
