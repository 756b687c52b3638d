public import CoreNFC
import VirtualTags

/// A virtual tag to be put on a reader: a product, what it holds, and what goes wrong with it.
///
/// ```swift
/// try await withVirtualTag(.ntag215(uri: "https://example.com")) { tag in … }
/// ```
public struct TestTag: Sendable {
    /// The name of the product, as `nfcctl virtual-tag --list` has it: any of them can be had by ``model(_:message:)``.
    public let model: String
    private let content: TestTagContent
    private var identifier: [UInt8]?
    private(set) var faults = FaultPlan.none

    init(_ model: String, _ content: TestTagContent) {
        self.model = model
        self.content = content
    }

    /// The same with an identifier of its own; its length has to be the product's.
    public func with(identifier: Data) -> TestTag {
        var tag = self
        tag.identifier = Array(identifier)
        return tag
    }

    /// The same, but torn away by the reader's exchange of this number, counted from 1 with the first that follows the tag's
    /// arrival: the tag carries the command out, and its answer is lost.
    public func tornAway(atExchange number: Int) -> TestTag {
        var tag = self
        tag.faults.add(.removeDuring, at: number)
        return tag
    }

    /// The tag itself.
    func made() throws(TestTagError) -> any VirtualTag {
        do {
            return try VirtualTagModel.named(model).makeTag(identifier: identifier, ndefMessage: try content.encoded())
        } catch {
            throw TestTagError("\(model): \(error)")
        }
    }
}

/// Why there is no such virtual tag, or no place for it.
public struct TestTagError: Error, Sendable, CustomStringConvertible {
    /// The reason in words.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
