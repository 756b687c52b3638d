/// An application of a ``VirtualApplicationCard``: what a test programs a card to do.
///
/// A structure keeps its state in its properties. The card runs one command at a time and copies the application with itself, so
/// no lock is needed. A class works as well, and is then shared by all copies of the card.
///
/// ```swift
/// struct Wallet: CardApplication {
///     let aid = "F0010203040506"
///     private var balance: UInt8 = 10
///
///     mutating func respond(to command: CardCommand) -> CardResponse {
///         switch command.instructionCode {
///         case 0x50: return CardResponse([balance])
///         case 0x54 where balance > 0:
///             balance -= 1
///             return .done
///         case 0x54: return .conditionsNotSatisfied
///         default: return .instructionNotSupported
///         }
///     }
/// }
/// ```
public protocol CardApplication: Sendable {
    /// The AID in hexadecimal, 5 to 16 bytes, as an app's `Info.plist` lists it.
    ///
    /// An application whose AID is empty is the card's master file: it answers while no other application is selected.
    var aid: String { get }

    /// Commands that the test did not expect. A test with virtual readers fails if there are any.
    var unexpectedCommands: [CardCommand] { get }

    /// Answers the SELECT that selects the application, with the whole AID or its beginning.
    ///
    /// An error, such as 6283, leaves the application selected that was selected before. The default answers 9000 without data.
    mutating func select(_ command: CardCommand) -> CardResponse

    /// Answers a command while the application is selected.
    ///
    /// Commands that came in a chain are joined. The card sends data beyond the length that the command expects in pieces, after
    /// 61XX and GET RESPONSE.
    mutating func respond(to command: CardCommand) -> CardResponse

    /// Forgets what is volatile, such as a verified PIN: the field has dropped. The default does nothing.
    mutating func reset()
}

extension CardApplication {
    /// None.
    public var unexpectedCommands: [CardCommand] { [] }

    /// 9000 without data.
    public mutating func select(_ command: CardCommand) -> CardResponse { .done }

    /// Does nothing.
    public mutating func reset() {}
}

/// An application without state: a function answers its commands.
public struct FunctionApplication: CardApplication {
    /// The AID in hexadecimal.
    public let aid: String
    private let answer: @Sendable (CardCommand) -> CardResponse

    /// Creates an application whose commands `answer` answers, on any thread, one at a time.
    public init(aid: String, answer: @escaping @Sendable (CardCommand) -> CardResponse) {
        self.aid = aid
        self.answer = answer
    }

    /// Calls the function.
    public func respond(to command: CardCommand) -> CardResponse { answer(command) }
}

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
public struct ScriptedApplication: CardApplication {
    /// The AID in hexadecimal.
    public let aid: String
    /// The commands that were not in the script, in their order.
    public private(set) var unexpectedCommands: [CardCommand] = []
    private let selection: CardResponse
    private var answers: [CardCommand: [CardResponse]] = [:]

    /// Creates an application from commands and their answers in hexadecimal; blanks do not count.
    ///
    /// - Parameter select: the answer to the SELECT of the application.
    /// - Throws: ``CardScriptError`` for a text that is not a command or not a response.
    public init(
        aid: String, select: String = "9000", script: KeyValuePairs<String, String>
    ) throws(CardScriptError) {
        self.aid = aid
        selection = try Self.response(select)
        for (command, response) in script {
            guard let bytes = DumpHex.known(command), let key = CardCommand(bytes) else {
                throw CardScriptError(text: command, expected: "a command APDU")
            }
            answers[key, default: []].append(try Self.response(response))
        }
    }

    private static func response(_ text: String) throws(CardScriptError) -> CardResponse {
        guard let bytes = DumpHex.known(text), bytes.count >= 2 else {
            throw CardScriptError(text: text, expected: "a response, data and status word")
        }
        let status = bytes.suffix(2).reduce(0) { $0 << 8 | UInt16($1) }
        return CardResponse(bytes.dropLast(2), status: status)
    }

    /// The recorded answer.
    public func select(_ command: CardCommand) -> CardResponse { selection }

    /// The next recorded answer to the command.
    public mutating func respond(to command: CardCommand) -> CardResponse {
        guard let recorded = answers[command], let next = recorded.first else {
            unexpectedCommands.append(command)
            return .instructionNotSupported
        }
        if recorded.count > 1 { answers[command] = Array(recorded.dropFirst()) }
        return next
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
