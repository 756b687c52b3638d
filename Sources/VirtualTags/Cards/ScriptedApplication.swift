/// An application that gives recorded answers.
///
/// ```swift
/// try ScriptedApplication(
///     aid: "A0000003080000",
///     script: ["00CB3FFF055C035FC10200": "531E…9000", "0020008000": "63C3"])
/// ```
///
/// The order of different commands does not matter. If the script has a command several times, its answers come in their order, and
/// the last one again from then on. A command that the script does not have is answered with 6D00, and is unexpected: the test
/// fails.
///
/// A chain of commands is in the script as it was recorded, each command with its own answer, or joined to one command without bit 5 of
/// CLA. GET RESPONSE is in the script where an answer ends with 61XX; the card answers it itself only where an answer of the script is
/// longer than its command expects. SELECT by AID is answered by the card, unless the script has it.
public struct ScriptedApplication: VirtualApplication {
    /// The AID in hexadecimal.
    public let aid: String
    /// The commands that were not in the script, in their order.
    public private(set) var unexpectedCommands: [VirtualCardCommand] = []
    /// Yes.
    public var listsEveryCommand: Bool { true }
    private let selection: VirtualCardResponse
    private var answers: [VirtualCardCommand: [VirtualCardResponse]] = [:]
    /// The data of the commands of a chain that the card is joining.
    private var chained: [UInt8] = []

    /// Creates an application from commands and their answers in hexadecimal; blanks do not count.
    ///
    /// - Parameter select: the answer to the SELECT of the application, unless the script has it.
    /// - Throws: ``CardScriptError`` for a text that is not a command or not a response.
    public init(
        aid: String, select: String = "9000", script: KeyValuePairs<String, String>
    ) throws(CardScriptError) {
        self.aid = aid
        selection = try Self.response(select)
        for (command, response) in script {
            guard let bytes = DumpHex.known(command), let key = VirtualCardCommand(bytes) else {
                throw CardScriptError(text: command, expected: "a command APDU")
            }
            answers[key, default: []].append(try Self.response(response))
        }
    }

    private static func response(_ text: String) throws(CardScriptError) -> VirtualCardResponse {
        guard let bytes = DumpHex.known(text), bytes.count >= 2 else {
            throw CardScriptError(text: text, expected: "a response, data and status word")
        }
        let status = bytes.suffix(2).reduce(0) { $0 << 8 | UInt16($1) }
        return VirtualCardResponse(bytes.dropLast(2), status: status)
    }

    /// The recorded answer.
    public mutating func select(_ command: VirtualCardCommand) -> VirtualCardResponse {
        (command.selectsByName ? nextAnswer(to: command) : nil) ?? selection
    }

    /// Answers what the card would not pass on: commands of a chain, GET RESPONSE and SELECT that are in the script, and commands of a
    /// chain that are not.
    public mutating func exchange(_ bytes: [UInt8]) -> [UInt8]? {
        guard let command = VirtualCardCommand(bytes) else { return nil }
        // Cards may take bit 5 of a proprietary CLA for a chain, too.
        let isLink = command.instructionClass & 0x10 != 0
        guard !isLink || answers[command] != nil else { return join(command) }
        chained = []
        guard isLink || command.isGetResponse || command.selectsByName else { return nil }
        return nextAnswer(to: command)?.bytes
    }

    /// The next recorded answer to the command.
    public mutating func respond(to command: VirtualCardCommand) -> VirtualCardResponse {
        nextAnswer(to: command) ?? refuse(command)
    }

    /// Forgets a chain that was not finished.
    public mutating func reset() { chained = [] }

    private mutating func nextAnswer(to command: VirtualCardCommand) -> VirtualCardResponse? {
        guard let recorded = answers[command], let next = recorded.first else { return nil }
        if recorded.count > 1 { answers[command] = Array(recorded.dropFirst()) }
        return next
    }

    private mutating func refuse(_ command: VirtualCardCommand) -> VirtualCardResponse {
        unexpectedCommands.append(command)
        return .instructionNotSupported
    }

    /// Leaves a command of a chain to the card, if the chain so far is the beginning of a command of the script.
    private mutating func join(_ link: VirtualCardCommand) -> [UInt8]? {
        for data in [chained + link.data, link.data] where answers.keys.contains(where: { $0.begins(with: data, link) })
        {
            chained = data
            return nil
        }
        chained = []
        return refuse(link).bytes
    }
}

extension VirtualCardCommand {
    fileprivate var isGetResponse: Bool { instructionCode == 0xC0 }

    /// Whether it is what commands of a chain with the header of `link` and this data can become.
    fileprivate func begins(with data: [UInt8], _ link: VirtualCardCommand) -> Bool {
        instructionClass == link.instructionClass & ~0x10 && instructionCode == link.instructionCode
            && parameter == link.parameter && self.data.starts(with: data)
    }
}

/// An entry of a script that cannot be used.
public struct CardScriptError: Error, Hashable, CustomStringConvertible {
    /// The entry as it was given.
    public let text: String
    private let expected: String

    init(text: String, expected: String) {
        self.text = text
        self.expected = expected
    }

    /// The entry and what it should be.
    public var description: String {
        "the script's entry \"\(text)\" is not \(expected) in hexadecimal; write it like 00A4040005A000000308 or 6A82"
    }
}
