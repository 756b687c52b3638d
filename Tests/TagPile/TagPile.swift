import Foundation
import VirtualTags

/// A pile of virtual NTAG213 tags that a test puts on a reader of vpcd, one at a time, by lines on standard input.
///
/// `put UID` puts the tag with this UID on the reader; `put UID N` takes it away at the exchange N, after it was carried out. After
/// the UID, another product may be named: `put UID ntag424 N`; its memory is not printed.
/// A tag that was on the reader before comes with its memory of then. `lift` takes it away. Each time a tag has left, it
/// prints `left UID MEMORY`, in hexadecimal.
@main
struct TagPile {
    static func main() async throws {
        var tags: [String: VirtualType2Tag] = [:]
        var others: [String: any VirtualCard] = [:]
        var onReader: (uid: String, reader: VirtualReader?, presenter: VPCDPresenter)?
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            switch words.first {
            case "put" where words.count > 1:
                let exchange = words.last.flatMap { words.count > 2 ? Int($0) : nil }
                let model = words.dropFirst(2).first { Int($0) == nil }
                let held: any VirtualCard
                if let model {
                    held = try others[words[1]] ?? newCard(words[1], model)
                    others[words[1]] = held
                } else {
                    held = VirtualReader(tag: try tags[words[1]] ?? newTag(words[1]))
                }
                let reader = model == nil ? held as? VirtualReader : nil
                let card: any VirtualCard =
                    exchange.map { FaultInjectingCard(held, plan: FaultPlan(.removeDuring, at: $0)) } ?? held
                let presenter = VPCDPresenter(card: card)
                onReader = (words[1], reader, presenter)
                try await presenter.present()
                report("put \(words[1])")
                // Until the fault takes it away.
                if exchange == nil { continue }
                fallthrough
            case "lift":
                guard let (uid, reader, presenter) = onReader else { continue }
                if words[0] == "lift" { presenter.remove() }
                _ = await presenter.waitForEnd()
                if let reader { tags[uid] = reader.tag as? VirtualType2Tag }
                report("left \(uid) " + (tags[uid]?.memory ?? []).map { String(format: "%02X", $0) }.joined())
                onReader = nil
            default: report("unknown: \(line)")
            }
        }
    }

    /// The tag with this UID, as it left the factory.
    private static func newTag(_ uid: String) throws -> VirtualType2Tag {
        try VirtualType2Tag(product: .ntag213, identifier: bytes(uid), ndefMessage: nil)
    }

    /// A tag of another product with this UID, as it left the factory.
    private static func newCard(_ uid: String, _ model: String) throws -> any VirtualCard {
        try VirtualTagModel.named(model).makeTag(identifier: bytes(uid), ndefMessage: nil).inReader()
    }

    private static func bytes(_ uid: String) -> [UInt8] {
        let digits = Array(uid)
        return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0..<$0 + 2]), radix: 16) }
    }

    /// Prints a line at once: a test waits for it.
    private static func report(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }
}
