import FoundationEssentials
import NDEF
import NDEFProperties
import NFCTags
import VirtualTags

/// Code that is fed with arbitrary bytes; it must neither stop the program nor break a promise.
struct FuzzTarget: Sendable {
    /// The name by which it is chosen; its seeds are in `Seeds/NAME.txt`.
    let name: String
    /// Gives the promises that the input breaks.
    let run: @Sendable ([UInt8]) -> [String]

    /// A target for each kind of payload, and those for the forms around them.
    static let all =
        payloads + [
            message, json, openPrintTagUpdate, tlvArea, dump, lines, requests, flatRequests, hidReports, cardResponses,
            webMessages,
        ]

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

extension FuzzTarget {
    /// The input is an OpenPrintTag payload, whose consumed weight is changed.
    static let openPrintTagUpdate = FuzzTarget(name: "openPrintTagUpdate") { bytes in
        (try? OpenPrintTagRecord(payload: bytes))?.brokenUpdatePromises ?? []
    }
}

extension FuzzTarget {
    /// The input is the memory of a Type 2 tag from the capability container on.
    static let tlvArea = FuzzTarget(name: "tlvArea") { bytes in
        let memory = [UInt8](repeating: 0, count: 12) + bytes
        guard let result = try? Type2Tag.readNDEF(inMemory: memory) else { return [] }
        let length = result.message?.count ?? 0
        return length <= bytes.count ? [] : ["a message is no longer than the memory it is read from"]
    }
}

extension FuzzTarget {
    /// The input is a dump file.
    static let dump = FuzzTarget(name: "dump") { bytes in
        guard let image = try? TagImage(dump: bytes) else { return [] }
        var broken: [String] = []
        if let text = try? image.jsonFile(), (try? TagImage(dump: Array(text.utf8))) != image {
            broken.append("a JSON file keeps the image")
        }
        if let text = try? image.flipperFile(), (try? TagImage(dump: Array(text.utf8)).flipperFile()) != text {
            broken.append("a Flipper file written again is the same")
        }
        if let file = try? image.rawFile(), (try? TagImage(dump: file).rawFile()) != file {
            broken.append("a raw file written again is the same")
        }
        if let file = try? image.proxmarkFile(), (try? TagImage(dump: file).proxmarkFile()) != file {
            broken.append("a binary of the proxmark3 written again is the same")
        }
        if let tag = try? image.makeTag(filler: 0), (try? TagImage(of: tag)) == nil {
            broken.append("every tag made of an image has an image")
        }
        return broken
    }
}
