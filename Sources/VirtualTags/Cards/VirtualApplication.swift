/// An application of a ``VirtualApplicationCard``: what a test programs a card to do.
///
/// A structure keeps its state in its properties. The card runs one command at a time and copies the application with itself, so
/// no lock is needed. A class works as well, and is then shared by all copies of the card.
///
/// ```swift
/// struct Wallet: VirtualApplication {
///     let aid = "F0010203040506"
///     private var balance: UInt8 = 10
///
///     mutating func respond(to command: VirtualCardCommand) -> VirtualCardResponse {
///         switch command.instructionCode {
///         case 0x50: return VirtualCardResponse([balance])
///         case 0x54 where balance > 0:
///             balance -= 1
///             return .done
///         case 0x54: return .conditionsNotSatisfied
///         default: return .instructionNotSupported
///         }
///     }
/// }
/// ```
public protocol VirtualApplication: Sendable {
    /// The AID in hexadecimal, 5 to 16 bytes, as an app's `Info.plist` lists it.
    ///
    /// An application whose AID is empty is the card's master file: it answers while no other application is selected.
    var aid: String { get }

    /// Commands that the test did not expect. A test with virtual readers fails if there are any.
    var unexpectedCommands: [VirtualCardCommand] { get }

    /// Whether the application lists every command that a program may send, as a script does. Then the test fails also if the card
    /// itself refuses a command that no application gets: one that is malformed, or comes before any application is selected.
    var listsEveryCommand: Bool { get }

    /// Answers the SELECT that selects the application, with the whole AID or its beginning.
    ///
    /// An error, such as 6283, leaves the application selected that was selected before. The default answers 9000 without data.
    mutating func select(_ command: VirtualCardCommand) -> VirtualCardResponse

    /// Answers a command while the application is selected.
    ///
    /// Commands that came in a chain are joined. The card sends data beyond the length that the command expects in pieces, after
    /// 61XX and GET RESPONSE.
    mutating func respond(to command: VirtualCardCommand) -> VirtualCardResponse

    /// Answers a command exactly as it was sent, before the card takes it apart; nil, the default, leaves it to the card.
    ///
    /// While the application is selected, every command comes here first: each one of a chain, GET RESPONSE, SELECT of
    /// this or another application, and bytes that are not a command. What the card has kept of a chain or a long response is dropped if
    /// the application answers.
    ///
    /// ```swift
    /// mutating func exchange(_ bytes: [UInt8]) -> [UInt8]? {
    ///     guard let command = VirtualCardCommand(bytes), command.isChained else { return nil }
    ///     links.append(command)
    ///     return VirtualCardResponse([0x7C, 0x00]).bytes
    /// }
    /// ```
    ///
    /// - Returns: data and status word, or no bytes for a card that stays silent.
    mutating func exchange(_ bytes: [UInt8]) -> [UInt8]?

    /// Forgets what is volatile, such as a verified PIN: the field has dropped. The default does nothing.
    mutating func reset()
}

extension VirtualApplication {
    /// None.
    public var unexpectedCommands: [VirtualCardCommand] { [] }

    /// No.
    public var listsEveryCommand: Bool { false }

    /// Leaves every command to the card.
    public mutating func exchange(_ bytes: [UInt8]) -> [UInt8]? { nil }

    /// 9000 without data.
    public mutating func select(_ command: VirtualCardCommand) -> VirtualCardResponse { .done }

    /// Does nothing.
    public mutating func reset() {}
}

/// An application without state: a function answers its commands.
public struct FunctionApplication: VirtualApplication {
    /// The AID in hexadecimal.
    public let aid: String
    private let answer: @Sendable (VirtualCardCommand) -> VirtualCardResponse
    private let rawAnswer: @Sendable ([UInt8]) -> [UInt8]?

    /// Creates an application whose commands `answer` answers, on any thread, one at a time.
    public init(aid: String, answer: @escaping @Sendable (VirtualCardCommand) -> VirtualCardResponse) {
        self.init(aid: aid, rawAnswer: { _ in nil }, answer: answer)
    }

    private init(
        aid: String, rawAnswer: @escaping @Sendable ([UInt8]) -> [UInt8]?,
        answer: @escaping @Sendable (VirtualCardCommand) -> VirtualCardResponse
    ) {
        self.aid = aid
        self.answer = answer
        self.rawAnswer = rawAnswer
    }

    /// An application whose function gets every command as it was sent, and answers with data and status word. What it
    /// answers with nil is left to the card; see ``VirtualApplication/exchange(_:)``.
    public static func raw(aid: String, exchange: @escaping @Sendable ([UInt8]) -> [UInt8]?) -> FunctionApplication {
        FunctionApplication(aid: aid, rawAnswer: exchange) { _ in .instructionNotSupported }
    }

    /// Calls the function for raw commands.
    public func exchange(_ bytes: [UInt8]) -> [UInt8]? { rawAnswer(bytes) }

    /// Calls the function.
    public func respond(to command: VirtualCardCommand) -> VirtualCardResponse { answer(command) }
}
