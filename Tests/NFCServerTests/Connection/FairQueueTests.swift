import Testing
import Threading

@Suite struct FairQueueTests {
    /// What waits, as `user:element` in the order of arrival, and the order in which it is served.
    @Test(arguments: [
        (["1:a"], ["a"]),
        (["1:a", "1:b", "1:c", "2:x"], ["a", "x", "b", "c"]),
        (["1:a", "1:b", "2:x", "2:y", "3:p"], ["a", "x", "p", "b", "y"]),
        (["2:x", "1:a", "1:b", "1:c", "2:y"], ["x", "a", "y", "b", "c"]),
        ([], []),
    ])
    func `each user has a turn, and elements of a user keep their order`(waiting: [String], order: [String]) {
        var queue = FairQueue<String, String>()
        for item in waiting {
            let parts = item.split(separator: ":").map(String.init)
            queue.append(parts[1], for: parts[0])
        }
        #expect(queue.count == waiting.count)
        var served: [String] = []
        while let next = queue.popFirst() { served.append(next) }
        #expect(served == order && queue.isEmpty && queue.popFirst() == nil)
    }

    @Test(arguments: [1, 2, 5, 250])
    func `whatever the others have waiting, each of them has one turn between two of a user`(users: Int) {
        var queue = FairQueue<Int, Int>()
        for user in 1...users { for number in 0..<40 { queue.append(number, for: user) } }
        for round in 0..<5 {
            // A user who asks again and again waits for one element of each other user.
            queue.append(round, for: 0)
            var between = 0
            while let next = queue.popFirst(), next != round || between < users { between += 1 }
            #expect(between == users)
        }
    }

    /// What waits, as `user.process:element` in the order of arrival, and the order in which it is served.
    @Test(arguments: [
        ("", ""),
        ("1.1:a 1.1:b 1.1:c 1.2:x", "a x b c"),
        ("1.1:a 1.1:b 1.2:x 1.2:y 1.3:p", "a x p b y"),
        ("1.1:a 1.1:b 1.1:c 2.9:k 1.2:x 2.9:l", "a k x l b c"),
        ("1.1:a 1.2:b 1.3:c 1.4:d 2.9:k 2.9:l", "a k b l c d"),
        ("1.1:a 1.1:b 2.1:k 2.2:l 3.1:s", "a k s b l"),
    ])
    func `users take turns, and the processes of a user among each other`(waiting: String, order: String) {
        var queue = FairGroupQueue<Substring, Substring, Substring>()
        let items = waiting.split(separator: " ")
        for item in items {
            let parts = item.split { $0 == "." || $0 == ":" }
            queue.append(parts[2], for: parts[0], parts[1])
        }
        #expect(queue.count == items.count)
        var served: [Substring] = []
        while let next = queue.popFirst() { served.append(next) }
        #expect(served.joined(separator: " ") == order && queue.isEmpty && queue.popFirst() == nil)
    }

    @Test(arguments: [1, 2, 5, 50])
    func `a process that asks again and again waits for one element of each other process of its user`(others: Int) {
        var queue = FairGroupQueue<Int, Int, Int>()
        for process in 1...others { for number in 0..<20 { queue.append(number, for: 0, process) } }
        for _ in 0..<5 {
            queue.append(-1, for: 0, 0)
            var between = 0
            while let next = queue.popFirst(), next != -1 { between += 1 }
            #expect(between == others)
        }
    }

    @Test func `a user who comes and goes takes no turn of another`() {
        var queue = FairQueue<Int, String>()
        var served: [String] = []
        queue.append("other 0", for: 2)
        queue.append("other 1", for: 2)
        for number in 0..<3 {
            queue.append("short \(number)", for: 1)
            if let next = queue.popFirst() { served.append(next) }
        }
        while let next = queue.popFirst() { served.append(next) }
        #expect(served == ["other 0", "short 0", "other 1", "short 1", "short 2"])
    }
}
