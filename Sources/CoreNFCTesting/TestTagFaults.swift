public import CoreNFC
import VirtualTags

/// What goes wrong with a tag on its reader. Exchanges are those of the reader with the tag, counted from 1 with the first
/// that follows the tag's arrival: a session needs some of them to identify a tag, and a raw frame may take several.
extension TestTag {
    /// The same, but torn away by an exchange: the tag carries the command out, and its answer is lost.
    public func tornAway(atExchange number: Int) -> TestTag { adding(.removeDuring, at: number) }

    /// The same, but taken away before an exchange: the tag does not receive the command.
    public func removed(beforeExchange number: Int) -> TestTag { adding(.removeBefore, at: number) }

    /// The same, but taken away after an exchange: the answer has arrived, and the next command finds no tag.
    public func removed(afterExchange number: Int) -> TestTag { adding(.removeAfter, at: number) }

    /// The same, but the answer of an exchange takes longer.
    ///
    /// - Parameter number: the exchange; nil for every one.
    public func delayed(by duration: Duration, atExchange number: Int? = nil) -> TestTag {
        adding(.delay(duration), at: number)
    }

    /// The same, but other bytes arrive instead of an answer: for example `Data([0x6F, 0x00])`, or none. The tag carries the
    /// command out.
    ///
    /// - Parameters:
    ///   - answer: what the reader passes on, data and status word.
    ///   - number: the exchange; nil for every one.
    public func answering(_ answer: Data, atExchange number: Int? = nil) -> TestTag {
        adding(.answer(Array(answer)), at: number)
    }

    private func adding(_ fault: Fault, at number: Int?) -> TestTag {
        var tag = self
        if let number { tag.faults.add(fault, at: number) } else { tag.faults.addToEveryExchange(fault) }
        return tag
    }
}
