/// The commands of the modelled chips (NTAG213/215/216 data sheet, §9.1 and §10; MF0ULx1 data sheet).
enum Type2Command: UInt8 {
    case tripleDESAuthentication = 0x1A
    case passwordAuthentication = 0x1B
    case read = 0x30
    case readCounter = 0x39
    case fastRead = 0x3A
    case readSignature = 0x3C
    case checkTearingEvent = 0x3E
    case virtualCardSelectLast = 0x4B
    case halt = 0x50
    case getVersion = 0x60
    case compatibilityWrite = 0xA0
    case write = 0xA2
    case incrementCounter = 0xA5

    /// How many bytes follow the command code; a frame of another length is refused.
    var argumentCount: Int {
        switch self {
        case .getVersion: 0
        case .read, .readCounter, .readSignature, .checkTearingEvent, .halt, .compatibilityWrite,
            .tripleDESAuthentication:
            1
        case .fastRead: 2
        case .passwordAuthentication: 4
        case .write, .incrementCounter: 5
        case .virtualCardSelectLast: 20
        }
    }

    /// What a product needs to know this command, empty where all do.
    var requirement: Type2Features {
        switch self {
        case .incrementCounter, .checkTearingEvent: .incrementCounter
        case .getVersion, .fastRead, .readSignature, .passwordAuthentication: .version
        case .readCounter: .readCounter
        case .tripleDESAuthentication: .tripleDES
        case .virtualCardSelectLast: .virtualCard
        default: []
        }
    }
}

extension Type2Tag {
    /// The refusal of a command that is unknown, malformed or not permitted: NAK 0.
    static let refusal = TagAnswer.nak(0x0)
    /// The refusal because a limit is reached, of password attempts or of a counter: NAK 4.
    static let limitReached = TagAnswer.nak(0x4)

    /// Answers one frame. A refused command leaves the tag idle and therefore mute.
    public mutating func exchange(_ command: [UInt8]) -> TagAnswer {
        guard state != .idle, let code = command.first else { return .silence }
        let answer: TagAnswer
        if let page = pendingPage {
            pendingPage = nil
            answer = completeWrite(page: page, frame: command)
        } else if isChallengeOpen {
            isChallengeOpen = false
            answer = Self.refusal
        } else {
            answer = perform(code, Array(command.dropFirst()))
        }
        if case .nak = answer { state = .idle }
        return answer
    }

    private mutating func perform(_ code: UInt8, _ arguments: [UInt8]) -> TagAnswer {
        guard let command = Type2Command(rawValue: code), arguments.count == command.argumentCount,
            product.features.isSuperset(of: command.requirement)
        else { return Self.refusal }
        let first = Int(arguments.first ?? 0)
        let rest = Array(arguments.dropFirst())
        return switch command {
        case .getVersion: .data(product.version)
        case .read: read(from: first)
        case .fastRead: fastRead(from: first, through: Int(rest.first ?? 0))
        case .write: write(page: first, rest)
        case .compatibilityWrite: beginWrite(page: first)
        case .readSignature: first == 0 ? .data(signature) : Self.refusal
        case .readCounter: readCounter(first)
        case .incrementCounter: incrementCounter(first, by: rest)
        case .checkTearingEvent: checkTearingEvent(first)
        case .virtualCardSelectLast: .data([configuration.virtualCardTypeIdentifier])
        case .tripleDESAuthentication: first == 0 ? challenge() : Self.refusal
        case .passwordAuthentication: authenticate(password: arguments)
        case .halt: halt(first)
        }
    }

    private mutating func halt(_ argument: Int) -> TagAnswer {
        guard argument == 0 else { return Self.refusal }
        state = .idle
        return .silence
    }
}
