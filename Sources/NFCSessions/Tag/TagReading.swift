import NDEF
import NFCReaders
public import NFCTags

/// One tap from connecting to the decoded message, over any driver.
struct TagReading: Sendable {
    let identity: TagIdentity?
    let reading: NDEFReading

    /// Connects to the tag of an arrival, identifies and reads it, and lets go of it. What fails is part of the result. Nil:
    /// the tag is of a technology that is not looked for.
    static func perform(
        _ arrival: TagArrival, on reader: ReaderDescription, driver: any ReaderDriver, _ options: PollingOptions
    ) async -> TagReading? {
        let contact: TagContact
        do throws(TagError) {
            contact = try await TagContact.make(arrival, on: reader, driver: driver)
        } catch {
            return TagReading(identity: nil, reading: NDEFReading(failure: error))
        }
        let isWanted = TagDetection(contact: contact, options: options).isPolledFor
        let reading = isWanted ? await read(contact) : nil
        await contact.connection.close()
        guard let reading else { return nil }
        return TagReading(identity: contact.identity, reading: reading)
    }

    private static func read(_ contact: TagContact) async -> NDEFReading {
        guard let ndef = contact.ndef else {
            return NDEFReading(.notSupported("reading NDEF from \(contact.identity.technology) is not supported yet"))
        }
        do throws(TagError) {
            return NDEFReading(try await ndef.readNDEF())
        } catch {
            return NDEFReading(failure: error)
        }
    }
}

extension NDEFReading {
    /// The bytes of a tag's message, decoded.
    public init(_ result: NDEFReadResult) {
        self.init(status: result.status, capacity: result.capacity)
        if result.status == .notSupported {
            failure = TagError(.unsupportedFeature, result.reason ?? "the tag is not NDEF formatted")
            return
        }
        guard let bytes = result.message, !bytes.isEmpty else {
            failure = TagError(.zeroLengthMessage, "the tag is formatted and empty")
            return
        }
        do throws(NDEFError) {
            messages = [try NDEFMessage(decoding: bytes)]
        } catch {
            failure = TagError(.tagResponseError, "the tag holds no valid NDEF message: \(error)", response: bytes)
        }
    }
}

/// A tag that was connected to and is known: what every use of it begins with.
struct TagContact: Sendable {
    let identity: TagIdentity
    let connection: any CardConnection
    let profile: ReaderProfile

    /// Connects to the tag of an arrival and finds out what it is; an unknown reader shows on it what it can do. Where it
    /// throws, nothing is held.
    static func make(
        _ arrival: TagArrival, on reader: ReaderDescription, driver: any ReaderDriver
    ) async throws(TagError) -> TagContact {
        let connection = try await connect(arrival, driver)
        do throws(TagError) {
            let identity = try await identity(over: connection)
            let profile = try await profile(of: reader, identity, connection, driver)
            return TagContact(identity: identity, connection: connection, profile: profile)
        } catch {
            await connection.close()
            throw error
        }
    }

    /// The driver for the tag's message; nil where there is none for its technology.
    var ndef: (any NDEFTag)? {
        ndefTag(for: identity, channel: connection, profile: profile, reconnection: reconnection)
    }

    /// The driver for the blocks of a MIFARE Classic; nil for other tags.
    var classic: MIFAREClassic? {
        mifareClassic(for: identity, channel: connection, profile: profile, reconnection: reconnection)
    }

    /// How to get the tag back after a refusal.
    var reconnection: CardReconnection { CardReconnection(connection, identity.identifier) }

    private static func connect(
        _ arrival: TagArrival, _ driver: any ReaderDriver
    ) async throws(TagError) -> any CardConnection {
        do throws(CardChannelError) {
            return try await driver.connect(to: arrival.reader)
        } catch {
            throw TagError(error.code, "the tag could not be connected to: \(error)")
        }
    }

    private static func identity(over connection: any CardConnection) async throws(TagError) -> TagIdentity {
        let identity = try await identify(atr: connection.answerToReset, channel: connection)
        return try await identity.settled(
            over: connection, reconnection: CardReconnection(connection, identity.identifier))
    }

    /// The reader's profile; where nobody knows it, a Type 2 tag tells. What was found is remembered only while the tag is
    /// still there: one that left says nothing about the reader.
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
            throw TagError(error.code, "the tag did not come back after its reader was probed: \(error)")
        }
        let found = try await identify(atr: connection.answerToReset, channel: connection)
        guard found.identifier == identity.identifier else {
            throw TagError(.tagConnectionLost, "another tag came while its reader was probed")
        }
    }
}

extension CardReconnection {
    fileprivate init(_ connection: any CardConnection, _ identifier: [UInt8]) {
        self.init(identifier: identifier) { () throws(CardChannelError) in try await connection.reconnect() }
    }
}
