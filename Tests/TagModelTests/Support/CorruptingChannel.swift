import NFCTags
import Synchronization
import VirtualTags

/// A virtual card some of whose answers arrive damaged: cut, lengthened, changed in a bit, or with another status word.
final class CorruptingChannel: CardChannel {
    private let card: any VirtualCard
    private let state: Mutex<(random: UInt64, count: Int)>
    /// One answer in so many is damaged.
    private let rate: UInt64

    init(_ card: any VirtualCard, seed: UInt64, rate: UInt64) {
        self.card = card
        self.rate = rate
        state = Mutex((seed &* 0x9E37_79B9_7F4A_7C15 | 1, 0))
        card.powerOn()
    }

    /// How much was sent.
    var count: Int { state.withLock { $0.count } }

    func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] {
        let number = state.withLock { state -> UInt64 in
            state.count += 1
            state.random ^= state.random << 13
            state.random ^= state.random >> 7
            state.random ^= state.random << 17
            return state.random >> 8
        }
        let answer = card.transmit(command)
        guard number % rate == 0 else { return answer }
        let choice = number / rate
        switch choice % 6 {
        case 0: throw .timedOut
        case 1: return Array(answer.dropLast(Int(choice / 6 % 8)))
        case 2: return [0x63, 0x00]
        case 3: return answer.dropLast(2) + [0xFF, 0xFF, 0xFF, 0x90, 0x00]
        case 4: return []
        default:
            var changed = answer
            if let index = changed.indices.randomElement(of: choice / 6) {
                changed[index] ^= 1 << UInt8(choice / 97 % 8)
            }
            return changed
        }
    }
}

extension Range<Int> {
    fileprivate func randomElement(of number: UInt64) -> Int? {
        isEmpty ? nil : lowerBound + Int(number % UInt64(count))
    }
}
