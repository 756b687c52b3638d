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

/// A queue in which groups take turns, and the members of a group among each other: one element of each group, of the member whose turn
/// it is. A member with many elements delays another member of its group by one element at a time, and another group by no more than
/// a group with one member does.
///
/// The elements of a member keep their order. A value: the owner locks it.
package struct FairGroupQueue<Group: Hashable & Sendable, Member: Hashable & Sendable, Element> {
    /// The turns of the groups, one for each element.
    private var turns = FairQueue<Group, Void>()
    private var groups: [Group: FairQueue<Member, Element>] = [:]

    /// An empty queue.
    package init() {}

    /// Whether no element waits.
    package var isEmpty: Bool { turns.isEmpty }

    /// How many elements wait.
    package var count: Int { turns.count }

    /// Adds an element behind those of its member.
    package mutating func append(_ element: Element, for group: Group, _ member: Member) {
        turns.append((), for: group)
        groups[group, default: FairQueue()].append(element, for: member)
    }

    /// Removes the element whose turn it is; nil if none waits.
    package mutating func popFirst() -> Element? { popFirstEntry()?.element }

    /// Removes the element whose turn it is, with its group and member; nil if none waits.
    package mutating func popFirstEntry() -> (group: Group, member: Member, element: Element)? {
        guard let group = turns.popFirstEntry()?.key, var members = groups.removeValue(forKey: group),
            let (member, element) = members.popFirstEntry()
        else { return nil }
        if !members.isEmpty { groups[group] = members }
        return (group, member, element)
    }
}
