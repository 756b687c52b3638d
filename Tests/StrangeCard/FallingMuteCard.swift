import Foundation
import Synchronization
import VirtualTags

/// An NTAG213 that loses its voice once, at the first write, and finds it again with a reset. Each write and each reset is a
/// line of output.
final class FallingMuteCard: VirtualCard {
    private enum Voice {
        case good
        case lost
        case found
    }

    private let card: VirtualReader
    private let voice = Mutex(Voice.good)

    init() throws { card = try .helloCard() }

    var answerToReset: [UInt8] { card.answerToReset }
    var isPresent: Bool { true }

    func powerOn() { card.powerOn() }
    func powerOff() { card.powerOff() }

    func reset() {
        say("reset")
        card.reset()
        voice.withLock { if $0 == .lost { $0 = .found } }
    }

    func transmit(_ apdu: [UInt8]) -> [UInt8] {
        let isWrite = apdu.starts(with: [0xFF, 0xD6])
        if isWrite { say("write") }
        let isMute = voice.withLock { voice in
            if voice == .good, isWrite { voice = .lost }
            return voice == .lost
        }
        return isMute ? [] : card.transmit(apdu)
    }

    /// At once, and not when a buffer is full.
    private func say(_ word: String) {
        let line = Array("\(word)\n".utf8)
        _ = write(STDOUT_FILENO, line, line.count)
    }
}
