import Foundation
import VirtualTags

/// A pile of virtual NTAG213 tags that a test puts on a reader of vpcd, one at a time, by lines on standard input.
///
/// `put UID` puts the tag with this UID on the reader; `put UID N` takes it away at the exchange N, after it was carried out.
/// A tag that was on the reader before comes with its memory of then. `lift` takes it away. Each time a tag has left, it
/// prints `left UID MEMORY`, in hexadecimal.
@main
struct TagPile {
    static func main() async throws {
        var tags: [String: VirtualType2Tag] = [:]
        var onReader: (uid: String, reader: VirtualReader, presenter: VPCDPresenter)?
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            switch words.first {
            case "put" where words.count > 1:
                let reader = VirtualReader(tag: try tags[words[1]] ?? newTag(words[1]))
                let exchange = words.dropFirst(2).first.flatMap { Int($0) }
                let card: any VirtualCard =
                    exchange.map { FaultInjectingCard(reader, plan: FaultPlan(.removeDuring, at: $0)) } ?? reader
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
                tags[uid] = reader.tag as? VirtualType2Tag
                report("left \(uid) " + (tags[uid]?.memory ?? []).map { String(format: "%02X", $0) }.joined())
                onReader = nil
            default: report("unknown: \(line)")
            }
        }
    }

    /// The tag with this UID, as it left the factory.
    private static func newTag(_ uid: String) throws -> VirtualType2Tag {
        let digits = Array(uid)
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0..<$0 + 2]), radix: 16)
        }
        return try VirtualType2Tag(product: .ntag213, identifier: bytes, ndefMessage: nil)
    }

    /// Prints a line at once: a test waits for it.
    private static func report(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }
}
