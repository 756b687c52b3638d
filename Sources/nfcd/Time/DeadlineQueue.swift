/// Things in the order of their times: a binary heap. Adding and removing take logarithmic time.
struct DeadlineQueue<Element> {
    private static var leastCrowd: Int { 64 }

    private var heap: [(time: Duration, element: Element)] = []
    /// More than this are looked through for those that nobody waits for.
    private var crowd = Self.leastCrowd

    /// The earliest time.
    var first: Duration? { heap.first?.time }
    /// How many there are.
    var count: Int { heap.count }

    /// Adds something.
    mutating func insert(_ element: Element, at time: Duration) {
        heap.append((time, element))
        var child = heap.count - 1
        while child > 0, heap[child].time < heap[(child - 1) / 2].time {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Removes everything whose time has come, in the order of the times.
    mutating func removeDue(at now: Duration) -> [Element] {
        var due: [Element] = []
        while let first = heap.first, first.time <= now {
            due.append(first.element)
            removeFirst()
        }
        return due
    }

    /// Removes from the front what nobody waits for any more; all of that, once it may be more than half.
    mutating func dropFirst(_ isOver: (Element) -> Bool) {
        while let first = heap.first, isOver(first.element) { removeFirst() }
        guard heap.count > crowd else { return }
        let rest = heap.filter { !isOver($0.element) }
        crowd = max(Self.leastCrowd, rest.count * 2)
        heap = rest.sorted { $0.time < $1.time }
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while let child = earlierChild(of: parent), heap[child].time < heap[parent].time {
            heap.swapAt(child, parent)
            parent = child
        }
    }

    private func earlierChild(of parent: Int) -> Int? {
        let (left, right) = (2 * parent + 1, 2 * parent + 2)
        guard left < heap.count else { return nil }
        return right < heap.count && heap[right].time < heap[left].time ? right : left
    }
}
