import FoundationEssentials
import NDEF
import NDEFProperties

extension FuzzTarget {
    /// The input is the JSON form of a message.
    static let json = FuzzTarget(name: "json") { bytes in
        guard let message = try? JSONDecoder().decode(NDEFMessage.self, from: Data(bytes)) else { return [] }
        var broken = message.isKeptByJSON ? [] : ["the JSON form keeps the message"]
        if let encoded = try? message.encoded(), !encoded.isEmpty {
            broken += (try? NDEFMessage.decode(encoded))?.brokenPromises(decodedFrom: encoded) ?? []
        }
        return broken
    }
}
