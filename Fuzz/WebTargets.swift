import WebNFC

extension FuzzTarget {
    /// The input is what the extension sends: frames, divided anywhere, with events of nfcd between them.
    static let webMessages = FuzzTarget(name: "webMessages") { bytes in
        var host = Host()
        var rest = bytes[...]
        while let head = rest.popFirst() {
            let chunk = rest.prefix(Int(head))
            rest = rest.dropFirst(chunk.count)
            guard host.take(chunk) else { break }
            host.step(head)
        }
        return Array(host.broken)
    }
}

/// nfcd-web without its pipes and without nfcd.
private struct Host {
    private static let patience = Duration.seconds(1)
    private static let ends: [TagDesk.EndReason] = [
        .expected, .unexpected, .byOperator, .refused(WebError(.notReadable, "no grant")),
    ]

    private(set) var broken: Set<String> = []
    private var frames = NativeFrame()
    private var desk = TagDesk()
    private var time = Duration.zero
    private var open: Set<Int> = []
    private var front: String?
    private var work: WebTag.ID?
    private var tags = 0

    /// Takes bytes of the pipe; false where the host ends.
    mutating func take(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let found = try? frames.add(bytes) else { return false }
        for frame in found {
            guard let request = try? WebRequest(frame: frame) else { return false }
            if case .front(let document) = request { front = document }
            if case .forget(front) = request { front = nil }
            check(desk.receive(request, at: time))
        }
        return true
    }

    /// An event of nfcd, by its number.
    mutating func step(_ kind: UInt8) {
        time += Self.patience
        switch kind % 8 {
        case 0: check(desk.linkChanged(isLinked: kind & 8 == 0, at: time))
        case 1: check(desk.sessionBecameActive(at: time))
        case 2:
            tags += 1
            check(desk.tagsFound([WebTag(id: "\(tags)", reader: "\(kind >> 6)", identifier: [kind])], at: time))
        case 3: check(desk.tagLeft("\(tags)", at: time))
        case 4: check(desk.sessionEnded(Self.ends[Int(kind >> 3) % Self.ends.count], at: time))
        case 5: if let work { check(desk.examined(work, kind & 8 == 0 ? .blank : .empty(isReadOnly: false), at: time)) }
        case 6: if let work { check(desk.finished(work, nil, at: time)) }
        default: check(kind & 8 == 0 ? desk.tick(at: time) : desk.tagFailed("no answer", at: time))
        }
    }

    private mutating func check(_ actions: [TagDesk.Action]) {
        for action in actions { check(action) }
    }

    private mutating func check(_ action: TagDesk.Action) {
        switch action {
        case .check(let id, _):
            if !open.insert(id).inserted { broken.insert("a number is that of one open call") }
            check(desk.checked(id, nil, at: time))
        case .examine(let tag), .write(let tag, _, _), .lock(let tag): work = tag
        case .report(.done(let id)), .report(.failed(let id, _)):
            // A call that was refused was never open; one that is open ends once.
            if case .report(.done) = action, open.remove(id) == nil { broken.insert("a call ends once") }
            open.remove(id)
        case .report(.tap(let document, let scans, _, _)):
            if document != front { broken.insert("only the document in front gets a tap") }
            if scans.isEmpty { broken.insert("a tap has scans") }
        case .report(let report):
            if report.frame == nil { broken.insert("a report fits in a frame") }
        case .beginSession, .showOrigin, .endSession: break
        }
    }
}
