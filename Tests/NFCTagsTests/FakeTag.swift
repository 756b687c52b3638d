import NFCTags
import Synchronization

/// A Type 2 tag behind a storage-card reader, as pages of 4 bytes: answers `FF CA` and `FF B0`, and nothing else.
final class FakeTag: CardChannel {
    /// What reader and tag do.
    struct Behaviour: Sendable {
        var identifier = hex("04A1B2C3D4E5F6")
        /// The most that `FF B0` gives.
        var blockSize = 16
        /// How the reader says that Le is larger than that.
        var oversize = Oversize.shorter
        /// Pages that cannot be the first one of a read.
        var refusedStarts: Set<Int> = []
        /// Raw answers in place of the real one, by the number of the exchange, from 1.
        var scripted: [Int: [UInt8]] = [:]
        /// Failures by the number of the exchange, from 1.
        var failures: [Int: CardChannelError] = [:]
        /// The status word a Le of 00 in `FF CA` gets; `nil` means that it is accepted.
        var refusesLe00: [UInt8]?
    }

    enum Oversize: Sendable {
        case shorter, correctLength, wrongLength, endOfData
    }

    private let memory: [UInt8]
    private let behaviour: Behaviour
    private let commands = Mutex<[[UInt8]]>([])

    init(_ memory: [UInt8], _ behaviour: Behaviour = Behaviour()) {
        self.memory = memory
        self.behaviour = behaviour
    }

    /// The commands so far.
    var log: [[UInt8]] { commands.withLock { $0 } }

    func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] {
        let number = commands.withLock { log in
            log.append(command)
            return log.count
        }
        if let failure = behaviour.failures[number] { throw failure }
        if let answer = behaviour.scripted[number] { return answer }
        guard command.count == 5 else { return hex("6700") }
        switch (command[0], command[1]) {
        case (0xFF, 0xCA): return identify(le: command[4])
        case (0xFF, 0xB0): return read(page: Int(command[2]) << 8 | Int(command[3]), le: Int(command[4]))
        default: return hex("6D00")
        }
    }

    private func identify(le: UInt8) -> [UInt8] {
        let identifier = behaviour.identifier
        if le == 0, let refusal = behaviour.refusesLe00 { return refusal }
        guard le == 0 || Int(le) == identifier.count else { return [0x6C, UInt8(identifier.count)] }
        return identifier + hex("9000")
    }

    private func read(page: Int, le: Int) -> [UInt8] {
        guard page * 4 < memory.count, !behaviour.refusedStarts.contains(page) else { return hex("6300") }
        guard le > behaviour.blockSize else { return bytes(from: page, count: le) + hex("9000") }
        let shorter = bytes(from: page, count: behaviour.blockSize)
        switch behaviour.oversize {
        case .shorter: return shorter + hex("9000")
        case .endOfData: return shorter + hex("6282")
        case .correctLength: return [0x6C, UInt8(behaviour.blockSize)]
        case .wrongLength: return hex("6700")
        }
    }

    /// READ rolls over to page 0 behind the last page.
    private func bytes(from page: Int, count: Int) -> [UInt8] {
        (0..<count).map { memory[(page * 4 + $0) % memory.count] }
    }
}
