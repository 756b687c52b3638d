/// A card of ISO/IEC 14443-4 type A with applications that a program provides.
///
/// The card itself does what a card's operating system does: SELECT by AID, whole or partial (ISO/IEC 7816-4, §11.2.2), command
/// chaining (§5.3.3), and responses in pieces with GET RESPONSE (§11.8.1). Everything else goes to the selected application: also
/// commands with secure messaging and those of other logical channels, with their CLA, since the card has one channel and no keys. An
/// application that wants to do any of this itself answers in ``VirtualApplication/exchange(_:)``, which gets every command first.
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
    public private(set) var applications: [any VirtualApplication]

    private let names: [[UInt8]]
    private let features: Features
    private var isActive = false
    private var selected: Int?
    private var chain: VirtualCardCommand?
    private var remainder: [UInt8] = []
    private var finalStatus: UInt16 = 0x9000
    /// The commands that the card itself refused, with the reason, for applications that list every command.
    private var refused: [String] = []

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
        applications: [any VirtualApplication]
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

    private static func names(of applications: [any VirtualApplication]) throws(VirtualTagError) -> [[UInt8]] {
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

    /// The commands that no application got or expected.
    public var objections: [String] {
        let unexpected = applications.flatMap { application in
            let name = application.aid.isEmpty ? "the master file" : application.aid
            return application.unexpectedCommands.map { "\($0) to \(name)" }
        }
        guard applications.contains(where: \.listsEveryCommand) else { return unexpected }
        return unexpected + refused + (chain.map { [$0.unfinished] } ?? [])
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
        abandonChain()
        remainder = []
    }

    /// Drops the commands of a chain whose last one never came.
    private mutating func abandonChain() {
        guard let chain else { return }
        refused.append(chain.unfinished)
        self.chain = nil
    }

    /// Answers one command.
    public mutating func exchange(_ bytes: [UInt8]) -> VirtualTagAnswer {
        guard isActive else { return .silence }
        if let answer = answerOfApplication(bytes) { return answer.isEmpty ? .silence : .data(answer) }
        guard let command = VirtualCardCommand(bytes) else { return .data(refuse(bytes, .wrongLength)) }
        guard features.supportsExtendedLength || !Self.isExtended(bytes) else {
            return .data(VirtualCardResponse.wrongLength.bytes)
        }
        return .data(answer(command, bytes))
    }

    /// What the selected application answers before the card takes the command apart; nil where it leaves it to the card.
    private mutating func answerOfApplication(_ bytes: [UInt8]) -> [UInt8]? {
        guard let selected else { return nil }
        let count = applications[selected].unexpectedCommands.count
        guard let answer = applications[selected].exchange(bytes) else { return nil }
        // A chain that ends with an unexpected command is not reported twice.
        if applications[selected].unexpectedCommands.count > count { chain = nil }
        abandonChain()
        remainder = []
        return answer
    }

    private static func isExtended(_ bytes: [UInt8]) -> Bool { bytes.count > 5 && bytes[4] == 0 }

    /// Refuses a command that no application gets.
    private mutating func refuse(_ bytes: [UInt8], _ response: VirtualCardResponse) -> [UInt8] {
        refused.append("\(DumpHex.text(bytes, separator: "")) to no application")
        return response.bytes
    }

    private mutating func answer(_ command: VirtualCardCommand, _ bytes: [UInt8]) -> [UInt8] {
        if !remainder.isEmpty, command.instructionCode == 0xC0 { return nextPiece(of: command, bytes) }
        remainder = []
        switch joined(command) {
        case .incomplete where selected != nil || chain?.selectsByName == true: return VirtualCardResponse.done.bytes
        case .incomplete:
            chain = nil
            return refuse(bytes, .conditionsNotSatisfied)
        case .unsupported: return VirtualCardResponse.status(0x6884).bytes
        case .interrupted:
            abandonChain()
            return VirtualCardResponse.status(0x6883).bytes
        case .refused(let status): return refuse(bytes, .status(status))
        case .complete(let command): return perform(command, bytes)
        }
    }

    private mutating func perform(_ command: VirtualCardCommand, _ bytes: [UInt8]) -> [UInt8] {
        if command.selectsByName {
            guard command.p2 & 0xF0 == 0 else { return refuse(bytes, .wrongParameters) }
            guard command.data.count <= 16 else { return refuse(bytes, .wrongLength) }
            return inPieces(select(command), for: command)
        }
        if let selected { return inPieces(applications[selected].respond(to: command), for: command) }
        return command.looksForCardAccess
            ? VirtualCardResponse.conditionsNotSatisfied.bytes : refuse(bytes, .conditionsNotSatisfied)
    }
}

extension VirtualCardCommand {
    /// SELECT of EF.CardAccess, which a session sends, not its program, when it polls for cards with PACE.
    fileprivate var looksForCardAccess: Bool {
        instructionClass == 0x00 && instructionCode == 0xA4 && p1 == 0x02 && data == [0x01, 0x1C]
    }
}

// MARK: SELECT

extension VirtualApplicationCard {
    /// SELECT by DF name. What is not found leaves the current application selected.
    private mutating func select(_ command: VirtualCardCommand) -> VirtualCardResponse {
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
        case complete(VirtualCardCommand)
        /// The card joins no commands.
        case unsupported
        /// The command is not the next of the chain that was begun.
        case interrupted
        case refused(UInt16)
    }

    /// Joins the commands of a chain: all but the last have bit 5 of an interindustry CLA, and the same header otherwise.
    private mutating func joined(_ command: VirtualCardCommand) -> Joined {
        let mask: UInt8 = features.chainsProprietaryClasses ? 0x10 : 0x90
        let isContinued = command.instructionClass & mask == 0x10
        let started = chain
        guard isContinued || started != nil else { return .complete(command) }
        guard features.supportsChaining else { return .unsupported }
        let whole = VirtualCardCommand(
            instructionClass: command.instructionClass & ~0x10, instructionCode: command.instructionCode,
            p1: command.p1, p2: command.p2, data: (started?.data ?? []) + command.data,
            expectedLength: command.expectedLength)
        guard started?.isContinued(by: whole) ?? true else { return .interrupted }
        chain = nil
        guard whole.data.count <= Self.longestChain else { return .refused(0x6700) }
        guard isContinued else { return .complete(whole) }
        chain = whole
        return .incomplete
    }
}

extension VirtualCardCommand {
    /// What to report of a chain of which these are the commands so far.
    fileprivate var unfinished: String {
        let link = VirtualCardCommand(
            instructionClass: instructionClass | 0x10, instructionCode: instructionCode, p1: p1, p2: p2, data: data)
        return "\(link), a chain that was not finished"
    }

    /// Whether the other has the same header.
    fileprivate func isContinued(by other: VirtualCardCommand) -> Bool {
        instructionClass == other.instructionClass && instructionCode == other.instructionCode
            && parameter == other.parameter
    }
}

// MARK: Responses in pieces

extension VirtualApplicationCard {
    /// The response, as far as the command expects it; GET RESPONSE fetches the rest. Without Le, up to 256 bytes.
    private mutating func inPieces(_ response: VirtualCardResponse, for command: VirtualCardCommand) -> [UInt8] {
        remainder = response.data
        finalStatus = response.status
        return piece(command.expectedLength ?? 256)
    }

    private mutating func nextPiece(of command: VirtualCardCommand, _ bytes: [UInt8]) -> [UInt8] {
        guard command.parameter == 0, command.data.isEmpty else { return refuse(bytes, .wrongParameters) }
        guard let length = command.expectedLength else { return refuse(bytes, .wrongLength) }
        return piece(length)
    }

    private mutating func piece(_ length: Int) -> [UInt8] {
        let piece = Array(remainder.prefix(length))
        remainder.removeFirst(piece.count)
        let status = remainder.isEmpty ? finalStatus : 0x6100 | UInt16(min(remainder.count, 256) & 0xFF)
        return VirtualCardResponse(piece, status: status).bytes
    }
}
