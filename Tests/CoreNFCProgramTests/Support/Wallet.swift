import CoreNFCTesting

/// A card with ten credits, which a PIN unlocks.
struct Wallet: VirtualApplication {
    let aid = "F0010203040506"
    private(set) var credits: UInt8 = 10
    private var isUnlocked = false
    private var triesLeft = 3

    mutating func respond(to command: VirtualCardCommand) -> VirtualCardResponse {
        switch command.instructionCode {
        case 0x20: return verify(command.data)
        case 0x50: return VirtualCardResponse([credits])
        case 0x54: return spend()
        default: return .instructionNotSupported
        }
    }

    /// The field has dropped: the PIN is needed again.
    mutating func reset() {
        isUnlocked = false
    }

    private mutating func verify(_ pin: [UInt8]) -> VirtualCardResponse {
        guard triesLeft > 0 else { return .authenticationBlocked }
        isUnlocked = pin == Array("1234".utf8)
        triesLeft = isUnlocked ? 3 : triesLeft - 1
        return isUnlocked ? .done : .wrongPIN(triesLeft: triesLeft)
    }

    private mutating func spend() -> VirtualCardResponse {
        guard isUnlocked else { return .securityStatusNotSatisfied }
        guard credits > 0 else { return .conditionsNotSatisfied }
        credits -= 1
        return .done
    }
}
