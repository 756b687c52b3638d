import CoreNFCTesting

/// The OATH application of a security key, with a PIN of three tries in front of it. Its hash is a sum, which is enough to see that
/// the app passes the challenge on.
struct CodeApplication: VirtualApplication {
    let aid = "A0000005272101"
    private let pin: String
    private var accounts: [(name: String, secret: UInt32)]
    private(set) var triesLeft = 3
    private var isVerified = false
    private var remainder: [UInt8] = []

    init(pin: String, accounts: [(name: String, secret: UInt32)]) {
        self.pin = pin
        self.accounts = accounts
    }

    mutating func select(_ command: VirtualCardCommand) -> VirtualCardResponse {
        isVerified = false
        return VirtualCardResponse([0x79, 0x03, 0x05, 0x04, 0x03])
    }

    mutating func respond(to command: VirtualCardCommand) -> VirtualCardResponse {
        switch (command.instructionCode, command.p2) {
        case (0x20, 0x80): return verify(command.data)
        case (0xA4, 0x01): return isVerified ? calculate(command.data) : .securityStatusNotSatisfied
        case (0xA5, 0x00): return remainder.isEmpty ? .conditionsNotSatisfied : rest()
        default: return .instructionNotSupported
        }
    }

    mutating func reset() {
        isVerified = false
        remainder = []
    }

    private mutating func verify(_ data: [UInt8]) -> VirtualCardResponse {
        guard triesLeft > 0 else { return .authenticationBlocked }
        isVerified = data == Array(pin.utf8)
        triesLeft = isVerified ? 3 : triesLeft - 1
        if isVerified { return .done }
        return triesLeft > 0 ? .wrongPIN(triesLeft: triesLeft) : .authenticationBlocked
    }

    private mutating func calculate(_ data: [UInt8]) -> VirtualCardResponse {
        guard data.starts(with: [0x74, 0x08]), data.count == 10 else { return .wrongData }
        let challenge = data.suffix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        remainder = accounts.flatMap { account -> [UInt8] in
            let name = Array(account.name.utf8)
            let hash = account.secret &+ challenge
            let code = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: hash >> UInt32($0)) }
            return [0x71, UInt8(name.count)] + name + [0x76, 0x05, 0x06] + code
        }
        return rest()
    }

    /// 100 bytes at a time, and 61XX while there are more.
    private mutating func rest() -> VirtualCardResponse {
        let piece = Array(remainder.prefix(100))
        remainder.removeFirst(piece.count)
        return VirtualCardResponse(
            piece, status: remainder.isEmpty ? 0x9000 : 0x6100 | UInt16(min(remainder.count, 255)))
    }
}
