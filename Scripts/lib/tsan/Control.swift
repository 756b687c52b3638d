// What Scripts/checks/tsan tries ThreadSanitizer out on: `guarded` has no race and `race` has one, beside the same lock.

import Dispatch
import Synchronization

final class Counter: @unchecked Sendable {
    let guarded = Mutex(0)
    var bare = 0

    func count(isRacy: Bool) {
        guarded.withLock { $0 += 1 }
        if isRacy { bare += 1 }
    }
}

let counter = Counter()
let isRacy = CommandLine.arguments.contains("race")
DispatchQueue.concurrentPerform(iterations: 4) { _ in
    for _ in 0..<20_000 { counter.count(isRacy: isRacy) }
}
