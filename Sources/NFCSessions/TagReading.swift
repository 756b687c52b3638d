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
