import NDEF
import NFCReaders
public import NFCTags

/// One tap from connecting to the decoded message, over any driver.
struct TagReading: Sendable {
    let identity: TagIdentity?
    let reading: NDEFReading

    /// Connects to the tag of an arrival, identifies and reads it, and lets go of it. What fails is part of the result.
    static func perform(
        _ arrival: TagArrival, on reader: ReaderDescription, driver: any ReaderDriver
    ) async -> TagReading {
        let connection: any CardConnection
        do throws(CardChannelError) {
            connection = try await driver.connect(to: arrival.reader)
        } catch {
            return TagReading(
                identity: nil,
                reading: NDEFReading(failure: TagError(error.code, "the tag could not be connected to: \(error)")))
        }
        let result = await read(connection, .profile(reader: reader.name))
        await connection.close()
        return result
    }

    private static func read(_ connection: any CardConnection, _ profile: ReaderProfile) async -> TagReading {
        var identity: TagIdentity?
        do throws(TagError) {
            let found = try await identify(atr: connection.answerToReset, channel: connection)
            identity = found
            return TagReading(
                identity: found,
                reading: NDEFReading(try await readNDEF(from: found, channel: connection, profile: profile)))
        } catch {
            return TagReading(identity: identity, reading: NDEFReading(failure: error))
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
