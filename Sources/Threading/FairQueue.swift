/// A queue in which those who wait take turns: one element of each key, then the next key. A key with many elements delays another
/// key's only element by one element for each key that waits, not by all of them.
///
/// The elements of a key keep their order. A value: the owner locks it.
package struct FairQueue<Key: Hashable & Sendable, Element> {
    private struct Line {
        var elements: [Element] = []
        /// The elements before this place were taken.
        var start = 0

        var isEmpty: Bool { start == elements.count }

        mutating func take() -> Element {
            defer {
                start += 1
                if start > 64, start > elements.count / 2 {
                    elements.removeFirst(start)
                    start = 0
                }
            }
            return elements[start]
        }
    }

    private var lines: [Key: Line] = [:]
    /// The keys that wait, in the order of their turns; those before `next` had theirs.
    private var turns: [Key] = []
    private var next = 0

    /// An empty queue.
    package init() {}

    /// Whether no element waits.
    package var isEmpty: Bool { lines.isEmpty }

    /// How many elements wait.
    package var count: Int { lines.values.reduce(0) { $0 + $1.elements.count - $1.start } }

    /// Adds an element behind those of its key.
    package mutating func append(_ element: Element, for key: Key) {
        if lines[key] == nil { turns.append(key) }
        lines[key, default: Line()].elements.append(element)
    }

    /// Removes the element whose turn it is; nil if none waits.
    package mutating func popFirst() -> Element? { popFirstEntry()?.element }

    /// Removes the element whose turn it is, with its key; nil if none waits.
    package mutating func popFirstEntry() -> (key: Key, element: Element)? {
        guard next < turns.count else { return nil }
        let key = turns[next]
        next += 1
        if next > 64, next > turns.count / 2 {
            turns.removeFirst(next)
            next = 0
        }
        guard var line = lines.removeValue(forKey: key), !line.isEmpty else { return popFirstEntry() }
        let element = line.take()
        if !line.isEmpty {
            lines[key] = line
            turns.append(key)
        }
        return (key, element)
    }
}
