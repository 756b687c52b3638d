import FoundationEssentials
import NDEF

extension NDEFDecoding {
    /// The promises of the library that a message decoded from `bytes` breaks; none, whatever the bytes are.
    package func brokenPromises(decodedFrom bytes: [UInt8]) -> [String] {
        guard let encoded = try? message.encoded() else { return ["a decoded message can be encoded"] }
        var broken = message.records.flatMap(\.brokenPromises)
        if encoded.count != message.encodedLength { broken.append("the encoded length is known before") }
        guard let again = try? NDEFMessage.decode(encoded), again.message == message else {
            return broken + ["what was encoded decodes to the same message"]
        }
        if encoded.count > bytes.count { broken.append("no form is shorter than the canonical one") }
        if encoded.count == bytes.count, encoded != bytes { broken.append("there is one canonical form") }
        if !message.isKeptByJSON { broken.append("the JSON form keeps the message") }
        return broken
    }
}

extension NDEFMessage {
    /// The promises of the JSON form that this message breaks.
    package var isKeptByJSON: Bool {
        guard let json = try? JSONEncoder().encode(self) else { return false }
        return (try? JSONDecoder().decode(NDEFMessage.self, from: json)) == self
    }
}
