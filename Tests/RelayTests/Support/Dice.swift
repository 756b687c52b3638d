import Synchronization
import TestSupport

/// Chance that is the same for the same seed.
final class Dice: Sendable {
    private let generator: Mutex<SplitMix>

    init(seed: UInt64) { generator = Mutex(SplitMix(seed: seed)) }

    /// A number from 0 to below 1.
    func roll() -> Double { generator.withLock { Double($0.next() >> 11) / Double(1 << 53) } }
}
