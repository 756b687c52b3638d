import Dispatch
import Synchronization
import VirtualTags

/// A card whose exchanges stop until they are let through, each by itself; what was sent to it is kept.
final class StuckCard: VirtualCard {
    let answerToReset: [UInt8]
    private let card: any VirtualCard
    private let isStuck = Atomic<Bool>(false)
    private let exit = DispatchSemaphore(value: 0)
    private let log = Mutex<[[UInt8]]>([])
    private let entries: AsyncStream<Void>
    private let entry: AsyncStream<Void>.Continuation

    init(_ card: any VirtualCard) {
        self.card = card
        answerToReset = card.answerToReset
        (entries, entry) = AsyncStream.makeStream()
    }

    /// What was sent since it is stuck.
    var sent: [[UInt8]] { log.withLock { $0 } }
    var isPresent: Bool { card.isPresent }

    /// From now on exchanges stop.
    func stick() { isStuck.store(true, ordering: .sequentiallyConsistent) }

    /// Returns when the next exchange has stopped.
    func entered() async {
        for await _ in entries { return }
    }

    /// Lets exchanges through, by default all there will be.
    func release(_ count: Int = 10_000) {
        for _ in 0..<count { exit.signal() }
    }

    func transmit(_ command: [UInt8]) -> [UInt8] {
        if isStuck.load(ordering: .sequentiallyConsistent) {
            log.withLock { $0.append(command) }
            entry.yield()
            exit.wait()
        }
        return card.transmit(command)
    }

    func powerOn() { card.powerOn() }
    func powerOff() { card.powerOff() }
    func reset() { card.reset() }
}
