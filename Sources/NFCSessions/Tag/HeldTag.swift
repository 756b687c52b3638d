import NDEF
import NFCReaders
public import NFCTags
import Synchronization

/// A tag that is held on its reader for a session. Commands run strictly one after another, in the order in which they took
/// their places; nothing else reaches the tag in between.
public struct HeldTag: Sendable {
    /// What the tag is.
    public let identity: TagIdentity
    /// As what it was delivered.
    public let delivery: TagDelivery
    /// Which commands of a client's own it takes.
    let rules: CommandRules
    let connection: CommandConnection
    let drivers: TagDrivers
    let queue = CommandQueue()
    /// Where its commands are counted.
    let metrics: Metrics?
    private let written = WriteOutcome()
    /// Whether this is the tag as a command sees it whose turn it is.
    private var isInTurn = false

    /// Takes over the connection to a tag.
    init(
        _ contact: TagContact, as delivery: TagDelivery? = nil, rules: CommandRules = .open, metrics: Metrics? = nil
    ) {
        self.metrics = metrics
        identity = contact.identity
        self.delivery = delivery ?? TagDelivery(contact.identity.type)
        self.rules = rules
        connection = CommandConnection(contact.connection)
        drivers = TagDrivers(
            TagContact(identity: contact.identity, connection: connection, profile: contact.profile))
    }

    /// Takes a place for a command.
    ///
    /// - Parameters:
    ///   - limit: the time for all exchanges of the command together, from its turn on; nil: each has the reader's own.
    ///   - onDrop: called if the command is not carried out, before whoever decides that goes on.
    public func takePlace(
        within limit: Duration? = nil, onDrop: @escaping @Sendable (CommandDrop) -> Void = { _ in }
    ) -> CommandPlace {
        CommandPlace(self, number: queue.take(onDrop: onDrop), limit: limit)
    }

    /// Takes back every command that has not started; how many those were.
    public func cancelCommands() -> Int {
        queue.dropAll(.cancelled)
    }

    /// Starts no more commands: those that wait fail now, in their order, and those to come later. One that runs goes on, and
    /// nobody waits for it: its answer, which alone tells what it did to the tag, may come after the end of its session is told.
    func refuse(_ refusal: TagError) {
        queue.refuse(refusal)
    }

    /// Lets go of the tag as soon as the running command has ended; those that have not started fail with `refusal`.
    func close(_ refusal: TagError) async {
        refuse(refusal)
        await queue.idle()
        await connection.close()
    }

    /// How the last change of the message ended, for who stands at the reader; nil where there was none.
    var outcome: ReaderFeedback.Kind? { written.kind }

    /// Changes the message when it is its turn, and keeps how that ended.
    func performChange(_ command: @escaping @Sendable () async throws(TagError) -> Void) async throws(TagError) {
        let written = written
        try await counted(.write) { () throws(TagError) in
            try await perform { () throws(TagError) in
                written.kind = .failure
                try await command()
                written.kind = .success
            }
        }
    }

    /// Runs a command when its turn has come; as a part of a command, at once.
    func perform<Value: Sendable>(
        _ command: @escaping @Sendable () async throws(TagError) -> Value
    ) async throws(TagError) -> Value {
        guard !isInTurn else { return try await command() }
        do throws(CommandFailure) {
            return try await takePlace().run { _ throws(TagError) in try await command() }
        } catch {
            switch error {
            case .dropped(.cancelled): throw TagError(.tagConnectionLost, "the command was cancelled before it started")
            case .dropped(.refused(let error)), .failed(let error): throw error
            }
        }
    }

    /// Runs a command whose turn it is. After an exchange that took too long, it is the last: nobody knows what it did.
    func inTurn<Value: Sendable>(
        within limit: Duration?, _ command: (HeldTag) async throws(TagError) -> Value
    ) async throws(TagError) -> Value {
        connection.begin(within: limit)
        defer {
            if connection.hasTimedOut {
                queue.refuse(TagError(.tagConnectionLost, "the tag was let go of when a command timed out"))
            }
        }
        var tag = self
        tag.isInTurn = true
        do throws(TagError) {
            return try await command(tag)
        } catch {
            metrics?.countError(error)
            guard let limit, connection.hasTimedOut else { throw error }
            throw TagError(.tagResponseError, "timed out after \(limit / .seconds(1)) s")
        }
    }
}

extension HeldTag: Hashable {
    /// Whether both are one tag, held once.
    public static func == (one: HeldTag, other: HeldTag) -> Bool { one.queue === other.queue }

    /// By the tag that is held.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(queue)) }
}

/// How the last change of a tag's message ended.
private final class WriteOutcome: Sendable {
    private let state = Mutex<ReaderFeedback.Kind?>(nil)

    var kind: ReaderFeedback.Kind? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

extension HeldTag {
    /// Connects to the tag of an arrival, identifies it, and settles as what it is delivered; nil where the session does
    /// not want to hear of it. Unless a tag is returned, nothing is held.
    static func connect(
        _ arrival: TagArrival, on reader: ReaderDescription, driver: any ReaderDriver, kind: SessionRequest.Kind,
        _ options: PollingOptions, metrics: Metrics? = nil
    ) async throws(TagError) -> HeldTag? {
        let contact = try await TagContact.make(arrival, on: reader, driver: driver)
        let rules = CommandRules(
            allowsRawCommands: kind == .tag, selectIdentifiers: options.selectIdentifiers,
            systemCodes: options.systemCodes)
        do throws(TagError) {
            if let delivery = try await TagDetection(contact: contact, options: options).delivery() {
                return HeldTag(contact, as: delivery, rules: rules, metrics: metrics)
            }
        } catch {
            await contact.connection.close()
            throw error
        }
        await contact.connection.close()
        return nil
    }
}

// What goes through the driver of the tag's technology.

extension HeldTag {
    /// Status, capacity and message.
    ///
    /// - Throws: ``TagError``; see ``NDEFTag/readNDEF()``.
    public func readNDEF() async throws(TagError) -> NDEFReadResult {
        try await counted(.read) { () throws(TagError) in
            try await perform { () throws(TagError) in
                guard let ndef = self.drivers.ndef() else { return .notSupported(self.noNDEF) }
                return try await ndef.readNDEF()
            }
        }
    }

    /// Status and capacity, without the message.
    ///
    /// - Throws: ``TagError``; see ``NDEFTag/queryStatus()``.
    public func queryStatus() async throws(TagError) -> NDEFStatusResult {
        try await perform { () throws(TagError) in
            guard let ndef = self.drivers.ndef() else { return NDEFStatusResult(.notSupported(self.noNDEF)) }
            return try await ndef.queryStatus()
        }
    }

    /// Puts a message, encoded, in place of the one that is there; no bytes erase it.
    ///
    /// - Throws: ``TagError``; see ``NDEFTag/writeNDEF(_:verifying:progress:)``.
    public func writeNDEF(
        _ message: [UInt8], verifying: Bool, progress: TagProgress? = nil
    ) async throws(TagError) {
        try await performChange { () throws(TagError) in
            try await self.driver().writeNDEF(message, verifying: verifying, progress: progress)
        }
    }

    /// Makes a tag without NDEF one with an empty message.
    ///
    /// - Throws: ``TagError``; see ``NDEFTag/formatNDEF()``.
    public func formatNDEF() async throws(TagError) {
        try await performChange { () throws(TagError) in try await self.driver().formatNDEF() }
    }

    /// Makes the message read-only for ever.
    ///
    /// - Throws: ``TagError``; see ``NDEFTag/makeReadOnly()``.
    public func makeReadOnly() async throws(TagError) {
        try await performChange { () throws(TagError) in try await self.driver().makeReadOnly() }
    }

    /// What the tag is.
    ///
    /// - Throws: ``TagError``; see ``NDEFTag/describe()``.
    public func describe() async throws(TagError) -> TagDescription {
        try await perform { () throws(TagError) in try await self.driver().describe() }
    }

    /// Everything that can be read.
    ///
    /// - Throws: ``TagError``; see ``NDEFTag/dump(progress:)``.
    public func dump(progress: TagProgress? = nil) async throws(TagError) -> TagDump {
        try await perform { () throws(TagError) in try await self.driver().dump(progress: progress) }
    }

    /// Gives the password. Commands as they are make it forgotten here: the tag has to be given it again.
    ///
    /// - Throws: ``TagError``; see ``NDEFTag/authenticate(password:)``. The password stands in none.
    public func authenticate(password: [UInt8]) async throws(TagError) -> [UInt8] {
        do throws(TagError) {
            return try await perform { () throws(TagError) in
                try await self.driver().authenticate(password: password)
            }
        } catch {
            guard !password.isEmpty else { throw error }
            // An error of the channel names the command that failed.
            throw TagError(
                error.code, error.detail.replacing(password.hexadecimal, with: "…"), response: error.response,
                statusWord: error.statusWord)
        }
    }

    private func driver() throws(TagError) -> any NDEFTag {
        guard let ndef = drivers.ndef() else { throw TagError(.unsupportedFeature, noNDEF) }
        return ndef
    }

    private var noNDEF: String { "NDEF on \(identity.technology) is not supported yet" }
}

extension HeldTag {
    /// What is counted of a command besides its exchanges.
    enum Counted {
        case read
        case write
    }

    /// Counts a command by its result.
    func counted<Value>(
        _ kind: Counted, _ command: () async throws(TagError) -> Value
    ) async throws(TagError) -> Value {
        do throws(TagError) {
            let value = try await command()
            count(kind, nil)
            return value
        } catch {
            count(kind, error)
            throw error
        }
    }

    private func count(_ kind: Counted, _ failure: TagError?) {
        switch kind {
        case .read: metrics?.countRead(failure)
        case .write: metrics?.countWrite(failure)
        }
    }
}
