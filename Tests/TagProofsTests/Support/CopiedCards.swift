import SecureTags
import Synchronization
import VirtualTags

/// A tag whose state is read while it is on a reader.
final class SharedTag<Tag: VirtualTag>: VirtualTag {
    private let tag: Mutex<Tag>

    init(_ tag: Tag) { self.tag = Mutex(tag) }

    var state: Tag { tag.withLock { $0 } }
    /// Puts another tag in its place.
    func replace(with other: Tag) { tag.withLock { $0 = other } }
    var identifier: [UInt8] { state.identifier }
    var technology: VirtualTagTechnology { state.technology }
    func activate() { tag.withLock { $0.activate() } }
    func exchange(_ command: [UInt8]) -> VirtualTagAnswer { tag.withLock { $0.exchange(command) } }
    func fieldDropped() { tag.withLock { $0.fieldDropped() } }
    func receive(_ command: [UInt8], frames: Int) { tag.withLock { $0.receive(command, frames: frames) } }
}

extension SharedTag: ContactlessCard where Tag: ContactlessCard {
    var historicalBytes: [UInt8] { state.historicalBytes }
}

/// A card whose answers are recorded.
final class RecordingCard: VirtualCard {
    private let card: any VirtualCard
    private let answers = Mutex<[(command: [UInt8], answer: [UInt8])]>([])

    init(_ card: any VirtualCard) { self.card = card }

    var recorded: [(command: [UInt8], answer: [UInt8])] { answers.withLock { $0 } }
    var answerToReset: [UInt8] { card.answerToReset }
    var isPresent: Bool { card.isPresent }
    func powerOn() { card.powerOn() }
    func powerOff() { card.powerOff() }
    func reset() { card.reset() }

    func transmit(_ apdu: [UInt8]) -> [UInt8] {
        let answer = card.transmit(apdu)
        answers.withLock { $0.append((apdu, answer)) }
        return answer
    }
}

/// A card that gives the answers of another one in their order, as a relay with a delay or a recording does.
final class ReplayingCard: VirtualCard {
    private let answers: [(command: [UInt8], answer: [UInt8])]
    private let place = Mutex(0)
    let answerToReset: [UInt8]

    init(_ card: RecordingCard) {
        answers = card.recorded
        answerToReset = card.answerToReset
    }

    var isPresent: Bool { true }
    func powerOn() {}
    func powerOff() {}
    func reset() {}

    func transmit(_ apdu: [UInt8]) -> [UInt8] {
        let index = place.withLock { place in
            defer { place += 1 }
            return place
        }
        return index < answers.count ? answers[index].answer : [0x6F, 0x00]
    }
}

extension Site {
    /// A key of one byte, as everyone knows it.
    static func key(_ byte: UInt8, same: Bool) -> TagKey {
        TagKey([UInt8](repeating: byte, count: 16)) ?? TagKey.random()
    }
}

/// A card that does not receive one exchange, which its reader reports as done.
final class DroppingCard: VirtualCard {
    private let card: any VirtualCard
    private let exchange: Int
    private let count = Mutex(0)

    /// - Parameter exchange: 1 for the first.
    init(_ card: any VirtualCard, at exchange: Int) { (self.card, self.exchange) = (card, exchange) }

    var answerToReset: [UInt8] { card.answerToReset }
    var isPresent: Bool { card.isPresent }
    func powerOn() { card.powerOn() }
    func powerOff() { card.powerOff() }
    func reset() { card.reset() }

    func transmit(_ apdu: [UInt8]) -> [UInt8] {
        let number = count.withLock { count in
            count += 1
            return count
        }
        return number == exchange ? [0x90, 0x00] : card.transmit(apdu)
    }
}
