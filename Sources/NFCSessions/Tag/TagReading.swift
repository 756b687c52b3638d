import NDEF
import NFCReaders
public import NFCTags

/// One tap from connecting to the decoded message, over any driver.
struct TagReading: Sendable {
    let identity: TagIdentity?
    var reading: NDEFReading
    /// What the tag has answered to prove itself; nil if no profile fits it.
    var attempt: ProofAttempt?

    /// Connects to the tag of an arrival, identifies and reads it, has it prove itself, and disconnects. A failure is part of the
    /// result.
    ///
    /// - Parameters:
    ///   - bounds: what ends the reading early.
    ///   - prover: nil without profiles.
    /// - Returns: nil where the tag is of a technology that is not looked for.
    static func perform(
        _ arrival: TagArrival, on reader: ReaderDescription, driver: any ReaderDriver, _ options: PollingOptions,
        within bounds: ReadingBounds, prover: (any TagProver)? = nil
    ) async -> TagReading? {
        let contact: TagContact
        do throws(TagError) {
            let connection = try await TagContact.connect(to: arrival, driver, within: bounds)
            contact = try await TagContact.make(over: bounds.bound(connection), on: reader, driver, within: bounds)
        } catch {
            return TagReading(identity: nil, reading: NDEFReading(failure: error))
        }
        let isWanted = TagDetection(contact: contact, options: options).isPolledFor
        let reading = isWanted ? await read(contact, within: bounds) : nil
        // A message is read first: once the tag is authenticated, it no longer writes its code into it.
        let attempt =
            if let reading, let prover {
                // It may wait for the token of a key.
                await bounds.cancelling {
                    await prover.prove(contact.identity, reading, over: contact.connection, on: contact.profile)
                }
            } else {
                ProofAttempt?.none
            }
        // What comes next would find the tag authenticated.
        if attempt?.proof.method == .mutual {
            try? await contact.connection.limited(to: .seconds(2)).reconnect()
        }
        await contact.connection.close()
        guard let reading else { return nil }
        return TagReading(identity: contact.identity, reading: reading, attempt: attempt)
    }

    private static func read(_ contact: TagContact, within bounds: ReadingBounds) async -> NDEFReading {
        guard let ndef = contact.ndef else {
            return NDEFReading(.notSupported("NDEF on \(contact.identity.technology) is not supported"))
        }
        var reading: NDEFReading
        do throws(TagError) {
            reading = NDEFReading(try await ndef.readNDEF())
        } catch {
            reading = NDEFReading(failure: error)
        }
        // A driver may take an exchange that was refused for what ends the tag's memory.
        if let failure = bounds.failure { reading = NDEFReading(failure: failure) }
        reading.product = await ndef.shownProduct
        return reading
    }
}

extension NDEFReading {
    /// Decodes the message that was read from a tag.
    public init(_ result: NDEFReadResult) {
        self.init(status: result.status, capacity: result.capacity)
        if result.status == .notSupported {
            failure = TagError(.unsupportedFeature, result.reason ?? "the tag is not NDEF formatted")
            return
        }
        guard let bytes = result.message, !bytes.isEmpty else {
            failure = TagError(.zeroLengthMessage, "the tag is formatted but empty")
            return
        }
        do throws(NDEFError) {
            messages = [try NDEFMessage(decoding: bytes)]
        } catch {
            failure = TagError(.tagResponseError, "the tag holds no valid NDEF message: \(error)", response: bytes)
        }
    }
}

/// A tag that nfcd is connected to and has identified: what every use of a tag begins with.
struct TagContact: Sendable {
    let identity: TagIdentity
    let connection: any CardConnection
    let profile: ReaderProfile

    /// Identifies the tag at the end of a connection. A reader with an unknown profile is probed with it. Where it throws, the
    /// connection is closed.
    static func make(
        over connection: any CardConnection, on reader: ReaderDescription, _ driver: any ReaderDriver,
        within bounds: ReadingBounds
    ) async throws(TagError) -> TagContact {
        do throws(TagError) {
            let identity = try await identity(over: connection)
            let profile = try await profile(of: reader, identity, connection, driver)
            return TagContact(identity: identity, connection: connection, profile: profile)
        } catch {
            await connection.close()
            throw bounds.failure ?? error
        }
    }

    /// The same tag over another connection.
    func over(_ connection: any CardConnection) -> TagContact {
        TagContact(identity: identity, connection: connection, profile: profile)
    }

    /// The driver for the tag's message; nil where its technology has none.
    var ndef: (any NDEFTag)? {
        ndefTag(for: identity, channel: connection, profile: profile, reconnection: reconnection)
    }

    /// The driver for the blocks of a MIFARE Classic; nil for other tags.
    var classic: MIFAREClassic? {
        mifareClassic(for: identity, channel: connection, profile: profile, reconnection: reconnection)
    }

    /// How a driver resets the tag after a refusal.
    var reconnection: CardReconnection { CardReconnection(connection, identity.identifier) }

    /// Connects to the tag of an arrival, where it is still wanted.
    static func connect(
        to arrival: TagArrival, _ driver: any ReaderDriver, within bounds: ReadingBounds
    ) async throws(TagError) -> any CardConnection {
        do throws(CardChannelError) {
            return try await bounds.connect { () throws(CardChannelError) in
                try await driver.connect(to: arrival.reader)
            }
        } catch {
            throw TagError(error.code, "connecting to the tag failed: \(error)")
        }
    }

    private static func identity(over connection: any CardConnection) async throws(TagError) -> TagIdentity {
        let identity = try await identify(atr: connection.answerToReset, channel: connection)
        return try await identity.settled(
            over: connection, reconnection: CardReconnection(connection, identity.identifier))
    }

    /// The profile of the reader; where it is unknown, a Type 2 tag is used to probe it. The result is kept only while the tag
    /// is still in the field: a tag that left proves nothing about the reader.
    private static func profile(
        of reader: ReaderDescription, _ identity: TagIdentity, _ connection: any CardConnection,
        _ driver: any ReaderDriver
    ) async throws(TagError) -> ReaderProfile {
        guard !reader.isProfileKnown, identity.technology == .type2 else { return reader.profile }
        let finding = try await ReaderProbe(channel: connection).run()
        if finding.needsReset { try await reset(connection, expecting: identity) }
        driver.cache(finding.profile, of: reader.id)
        return finding.profile
    }

    private static func reset(
        _ connection: any CardConnection, expecting identity: TagIdentity
    ) async throws(TagError) {
        do throws(CardChannelError) {
            try await connection.reconnect()
        } catch {
            throw TagError(error.code, "resetting the tag after its reader was probed failed: \(error)")
        }
        let found = try await identify(atr: connection.answerToReset, channel: connection)
        guard found.identifier == identity.identifier else {
            throw TagError(
                .tagConnectionLost, "another tag came into the field while the reader was probed; present one tag")
        }
    }
}

extension CardReconnection {
    fileprivate init(_ connection: any CardConnection, _ identifier: [UInt8]) {
        self.init(identifier: identifier) { () throws(CardChannelError) in try await connection.reconnect() }
    }
}
