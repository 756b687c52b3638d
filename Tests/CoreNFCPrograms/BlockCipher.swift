import CoreNFC

/// AES-128 in CBC mode and its CMAC, as small as it goes: for an app under test, where CryptoKit does the same on an iPhone.
struct BlockCipher {
    private let schedule: [UInt8]

    init(_ key: Data) {
        var words = Array(key)
        var round: UInt8 = 1
        while words.count < 176 {
            var word = Array(words.suffix(4))
            if words.count % 16 == 0 {
                word = [word[1], word[2], word[3], word[0]].map { Self.box[Int($0)] }
                word[0] ^= round
                round = Self.twice(round)
            }
            for byte in word { words.append(words[words.count - 16] ^ byte) }
        }
        schedule = words
    }

    func encrypt(_ data: Data, _ vector: Data) -> Data {
        var last = Array(vector)
        var result = Data()
        for block in data.blocks {
            last = forward(zip(block, last).map { $0 ^ $1 })
            result += last
        }
        return result
    }

    func decrypt(_ data: Data, _ vector: Data) -> Data {
        var last = Array(vector)
        var result = Data()
        for block in data.blocks {
            result += zip(backward(block), last).map { $0 ^ $1 }
            last = block
        }
        return result
    }

    func mac(_ message: Data) -> Data {
        let half = Self.twice(forward([UInt8](repeating: 0, count: 16)))
        let isWhole = !message.isEmpty && message.count % 16 == 0
        let filled = isWhole ? message : message + [0x80] + Data(count: 15 - message.count % 16)
        let mask = isWhole ? half : Self.twice(half)
        let last = zip(filled.suffix(16), mask).map { $0 ^ $1 }
        return Data(encrypt(filled.dropLast(16) + last, Data(count: 16)).suffix(16))
    }

    /// The odd bytes of the CMAC.
    func shortMAC(_ message: Data) -> Data {
        let whole = Array(mac(message))
        return Data(stride(from: 1, to: 16, by: 2).map { whole[$0] })
    }

    private func forward(_ block: [UInt8]) -> [UInt8] {
        var state = add(0, block)
        for round in 1...10 {
            let moved = (0..<16).map { Self.box[Int(state[($0 * 5) % 16])] }
            state = add(round, round == 10 ? moved : Self.mix(moved))
        }
        return state
    }

    private func backward(_ block: [UInt8]) -> [UInt8] {
        var state = block
        for round in (1...10).reversed() {
            state = add(round, state)
            // The mixing of columns has the order 4: three more times undo it.
            if round < 10 { state = Self.mix(Self.mix(Self.mix(state))) }
            var moved = state
            for place in 0..<16 { moved[(place * 5) % 16] = Self.reverse[Int(state[place])] }
            state = moved
        }
        return add(0, state)
    }

    private func add(_ round: Int, _ state: [UInt8]) -> [UInt8] {
        zip(state, schedule[round * 16..<round * 16 + 16]).map { $0 ^ $1 }
    }

    private static func mix(_ state: [UInt8]) -> [UInt8] {
        (0..<16).map { place in
            let column = place / 4 * 4
            let (a, b) = (state[place], state[column + (place + 1) % 4])
            let rest = state[column + (place + 2) % 4] ^ state[column + (place + 3) % 4]
            return twice(a) ^ twice(b) ^ b ^ rest
        }
    }

    private static func twice(_ value: UInt8) -> UInt8 { value & 0x80 == 0 ? value << 1 : value << 1 ^ 0x1B }

    private static func twice(_ block: [UInt8]) -> [UInt8] {
        var carry: UInt8 = 0
        var result = block
        for index in result.indices.reversed() {
            (result[index], carry) = (result[index] << 1 | carry, result[index] >> 7)
        }
        result[15] ^= carry == 0 ? 0 : 0x87
        return result
    }

    private static func times(_ a: UInt8, _ b: UInt8) -> UInt8 {
        (0..<8).reversed().reduce(0) { twice($0) ^ (b >> $1 & 1 == 0 ? 0 : a) }
    }

    private static let box: [UInt8] = (0...255).map { value -> UInt8 in
        let inverse = (1...255).first { times(UInt8(value), UInt8($0)) == 1 } ?? 0
        return (0..<8).reduce(0x63) { sum, bit in
            sum ^ (UInt8(inverse) >> bit & 1 == 0 ? 0 : [0x1F, 0x3E, 0x7C, 0xF8, 0xF1, 0xE3, 0xC7, 0x8F][bit])
        }
    }

    private static let reverse: [UInt8] = (0...255).map { value in UInt8(box.firstIndex(of: UInt8(value)) ?? 0) }
}

extension Data {
    fileprivate var blocks: [[UInt8]] {
        let bytes = Array(self)
        return stride(from: 0, to: bytes.count, by: 16).map { Array(bytes[$0..<Swift.min($0 + 16, bytes.count)]) }
    }
}
