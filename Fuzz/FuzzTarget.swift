import NDEF
import NDEFProperties

/// Code that is fed with arbitrary bytes; it must neither stop the program nor break a promise.
struct FuzzTarget: Sendable {
    /// The name by which it is chosen; its seeds are in `Seeds/NAME.txt`.
    let name: String
    /// Gives the promises that the input breaks.
    let run: @Sendable ([UInt8]) -> [String]

    /// A target for each kind of payload, and those for the forms around them.
    static let all = payloads + [message, json, tlvArea, dump, lines, requests]

    /// The input is the PAYLOAD field of a record of the kind's type.
    private static let payloads = PayloadRegistry.all.map { form in
        FuzzTarget(name: form.content.kind) { bytes in
            form.recordTypes.flatMap { type in
                NDEFRecord(typeNameFormat: type.typeNameFormat, type: type.type, payload: bytes).brokenPromises
            }
        }
    }

    /// The input is a message.
    private static let message = FuzzTarget(name: "message") { bytes in
        guard let decoding = try? NDEFMessage.decode(bytes) else { return [] }
        _ = decoding.message.payloadWarnings
        return decoding.brokenPromises(decodedFrom: bytes)
    }
}
