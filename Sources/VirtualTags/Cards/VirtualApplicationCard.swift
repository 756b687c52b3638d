/// A card of ISO/IEC 14443-4 with applications that a program provides.
///
/// The card itself does what a card's operating system does: SELECT by AID, whole or partial (ISO/IEC 7816-4, §11.2.2), command
/// chaining (§5.3.3), and responses in pieces with GET RESPONSE (§11.8.1). Everything else goes to the selected application.
public struct VirtualApplicationCard: ContactlessCard {
    /// What cards differ in.
    public struct Features: Sendable, Hashable {
        /// Whether it joins commands with bit 5 of CLA set; otherwise it refuses them with 6884.
        public var supportsChaining: Bool
        /// Whether it takes commands with extended lengths; otherwise it refuses them with 6700.
        public var supportsExtendedLength: Bool

        /// Whether bit 5 of a proprietary CLA (bit 8 set) means a chain too, as for FIDO.
        public var chainsProprietaryClasses: Bool

        /// Creates features, everything of the standard supported by default.
        public init(
            supportsChaining: Bool = true, supportsExtendedLength: Bool = true, chainsProprietaryClasses: Bool = false
        ) {
            self.supportsChaining = supportsChaining
            self.chainsProprietaryClasses = chainsProprietaryClasses
            self.supportsExtendedLength = supportsExtendedLength
        }
    }

    /// The UID: 4, 7 or 10 bytes.
    public let identifier: [UInt8]
    /// The historical bytes of its answer to select.
    public let historicalBytes: [UInt8]
    /// The applications in their current state.
    public private(set) var applications: [any CardApplication]

    private let names: [[UInt8]]
    private let features: Features
    private var isActive = false
    private var selected: Int?
    private var chain: CardCommand?
    private var remainder: [UInt8] = []
    private var finalStatus: UInt16 = 0x9000

    /// The most that a chain of commands can hold, in bytes.
    private static let longestChain = 65_535

    /// Creates a card.
    ///
    /// - Parameters:
    ///   - identifier: the UID, 4, 7 or 10 bytes; nil for a made-up one of 7.
    ///   - historicalBytes: 0 to 15 bytes. CoreNFC takes a card with the single byte 80 for a DESFire.
    ///   - applications: in the order in which a partial AID finds them.
    /// - Throws: ``VirtualTagError`` for an identifier, historical bytes or AIDs that no card has.
    public init(
        identifier: [UInt8]? = nil, historicalBytes: [UInt8] = [], features: Features = Features(),
        applications: [any CardApplication]
    ) throws(VirtualTagError) {
        let identifier = identifier ?? [0x04, 0x78, 0x16, 0x04, 0x78, 0x16, 0x80]
        guard [4, 7, 10].contains(identifier.count) else {
            throw .wrongIdentifierSize(size: identifier.count, expected: 7)
        }
        guard historicalBytes.count <= 15 else { throw .tooManyHistoricalBytes(historicalBytes.count) }
        self.identifier = identifier
        self.historicalBytes = historicalBytes
        self.features = features
        self.applications = applications
        names = try Self.names(of: applications)
    }

    private static func names(of applications: [any CardApplication]) throws(VirtualTagError) -> [[UInt8]] {
        var names: [[UInt8]] = []
        for application in applications {
            guard let name = DumpHex.known(application.aid), name.isEmpty || (5...16).contains(name.count) else {
                throw .wrongApplicationIdentifier(application.aid)
            }
            guard !names.contains(name) else { throw .repeatedApplicationIdentifier(application.aid) }
            names.append(name)
        }
        return names
    }

    /// Selects the tag; no application is selected on it.
    public mutating func activate() {
        forget()
        isActive = true
    }

    /// Turns the field off, and resets the applications.
    public mutating func fieldDropped() {
        forget()
        isActive = false
        for index in applications.indices { applications[index].reset() }
    }

    private mutating func forget() {
        selected = names.firstIndex(of: [])
        chain = nil
        remainder = []
    }

    /// Answers one command.
    public mutating func exchange(_ bytes: [UInt8]) -> TagAnswer {
        guard isActive else { return .silence }
        guard let command = CardCommand(bytes), features.supportsExtendedLength || !Self.isExtended(bytes) else {
            return .data(CardResponse.wrongLength.bytes)
        }
        return .data(answer(command))
    }

    private static func isExtended(_ bytes: [UInt8]) -> Bool { bytes.count > 5 && bytes[4] == 0 }

    private mutating func answer(_ command: CardCommand) -> [UInt8] {
        if !remainder.isEmpty, command.instructionCode == 0xC0 { return nextPiece(of: command) }
        remainder = []
        switch joined(command) {
        case .incomplete: return CardResponse.done.bytes
        case .refused(let status): return CardResponse.status(status).bytes
        case .complete(let command): return inPieces(perform(command), for: command)
        }
    }

    private mutating func perform(_ command: CardCommand) -> CardResponse {
        if command.instructionClass == 0x00, command.instructionCode == 0xA4, command.p1 == 0x04 {
            return select(command)
        }
        guard let selected else { return .conditionsNotSatisfied }
        return applications[selected].respond(to: command)
    }
}

// MARK: SELECT

extension VirtualApplicationCard {
    /// SELECT by DF name. What is not found leaves the current application selected.
    private mutating func select(_ command: CardCommand) -> CardResponse {
        guard command.p2 & 0xF0 == 0 else { return .wrongParameters }
        guard command.data.count <= 16 else { return .wrongLength }
        guard let index = occurrence(of: command.data, command.p2 & 0x03) else { return .notFound }
        var response = applications[index].select(command)
        guard response.isCompleted else { return response }
        selected = index
        if command.p2 & 0x0C == 0x0C { response.data = [] }
        return response
    }

    /// The application whose AID begins with a name: the first, last, next or previous one. An empty name is that of the master file.
    private func occurrence(of name: [UInt8], _ which: UInt8) -> Int? {
        let matches = names.indices.filter { name.isEmpty ? names[$0].isEmpty : names[$0].starts(with: name) }
        return switch which {
        case 0x00: matches.first
        case 0x01: matches.last
        case 0x02: matches.first { $0 > selected ?? -1 }
        default: matches.last { $0 < selected ?? -1 }
        }
    }
}

// MARK: Chaining

extension VirtualApplicationCard {
    private enum Joined {
        case incomplete
        case complete(CardCommand)
        case refused(UInt16)
    }

    /// Joins the commands of a chain: all but the last have bit 5 of an interindustry CLA, and the same header otherwise.
    private mutating func joined(_ command: CardCommand) -> Joined {
        let mask: UInt8 = features.chainsProprietaryClasses ? 0x10 : 0x90
        let isContinued = command.instructionClass & mask == 0x10
        let started = chain
        chain = nil
        guard isContinued || started != nil else { return .complete(command) }
        guard features.supportsChaining else { return .refused(0x6884) }
        let whole = CardCommand(
            instructionClass: command.instructionClass & ~0x10, instructionCode: command.instructionCode,
            p1: command.p1, p2: command.p2, data: (started?.data ?? []) + command.data,
            expectedLength: command.expectedLength)
        guard started?.isContinued(by: whole) ?? true else { return .refused(0x6883) }
        guard whole.data.count <= Self.longestChain else { return .refused(0x6700) }
        guard isContinued else { return .complete(whole) }
        chain = whole
        return .incomplete
    }
}

extension CardCommand {
    /// Whether the other has the same header.
    fileprivate func isContinued(by other: CardCommand) -> Bool {
        instructionClass == other.instructionClass && instructionCode == other.instructionCode
            && parameter == other.parameter
    }
}

// MARK: Responses in pieces

extension VirtualApplicationCard {
    /// The response, as far as the command expects it; GET RESPONSE fetches the rest. Without Le, up to 256 bytes.
    private mutating func inPieces(_ response: CardResponse, for command: CardCommand) -> [UInt8] {
        remainder = response.data
        finalStatus = response.status
        return piece(command.expectedLength ?? 256)
    }

    private mutating func nextPiece(of command: CardCommand) -> [UInt8] {
        guard command.parameter == 0, command.data.isEmpty else { return CardResponse.wrongParameters.bytes }
        guard let length = command.expectedLength else { return CardResponse.wrongLength.bytes }
        return piece(length)
    }

    private mutating func piece(_ length: Int) -> [UInt8] {
        let piece = Array(remainder.prefix(length))
        remainder.removeFirst(piece.count)
        let status = remainder.isEmpty ? finalStatus : 0x6100 | UInt16(min(remainder.count, 256) & 0xFF)
        return CardResponse(piece, status: status).bytes
    }
}
