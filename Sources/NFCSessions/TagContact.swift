import NFCReaders
import NFCTags

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
        driver.learn(finding.profile, of: reader.id)
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
