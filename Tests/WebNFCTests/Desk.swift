import NDEF
import WebNFC

/// A desk with an origin for each document, a clock that does not advance, and the actions of each step.
struct Desk {
    static let message = NDEFMessage(records: [
        NDEFRecord(typeNameFormat: .nfcWellKnown, type: [0x55], payload: [0x02, 0x61])
    ])
    static let newMessage = NDEFMessage(records: [NDEFRecord(typeNameFormat: .unknown, payload: [0x01])])

    var desk = TagDesk()
    var time = Duration.zero

    /// A desk that is connected to nfcd.
    init() { _ = desk.linkChanged(isLinked: true, at: .zero) }

    /// A desk whose document in front scans as number 1; its session is active.
    static func scanning() -> Desk {
        var desk = Desk()
        desk.request(.front("a"))
        desk.scan(1, "a")
        _ = desk.desk.sessionBecameActive(at: desk.time)
        return desk
    }

    @discardableResult
    mutating func request(_ request: WebRequest) -> [TagDesk.Action] { desk.receive(request, at: time) }

    /// Begins a scan, which nfcd allows.
    @discardableResult
    mutating func scan(_ id: Int, _ document: String) -> [TagDesk.Action] {
        request(.scan(id, document, origin: "https://\(document).example"))
        return desk.checked(id, nil, at: time)
    }

    @discardableResult
    mutating func write(_ id: Int, _ document: String, overwrite: Bool = true) -> [TagDesk.Action] {
        request(.write(id, document, origin: "https://\(document).example", Self.newMessage, overwrite: overwrite))
        return desk.checked(id, nil, at: time)
    }

    @discardableResult
    mutating func lock(_ id: Int, _ document: String) -> [TagDesk.Action] {
        request(.lock(id, document, origin: "https://\(document).example"))
        return desk.checked(id, nil, at: time)
    }

    /// A tag is found and read.
    @discardableResult
    mutating func tap(
        _ content: WebTag.Content = .message(message, isReadOnly: false), id: String = "t1", wasPresent: Bool = false
    ) -> [TagDesk.Action] {
        let found = desk.tagsFound([Self.tag(id, wasPresent: wasPresent)], at: time)
        guard found.contains(.examine(id)) else { return found }
        return found.filter { $0 != .examine(id) } + desk.examined(id, content, at: time)
    }

    @discardableResult
    mutating func ends(_ end: TagDesk.EndReason) -> [TagDesk.Action] { desk.sessionEnded(end, at: time) }

    @discardableResult
    mutating func becomesActive() -> [TagDesk.Action] { desk.sessionBecameActive(at: time) }

    /// Lets time pass.
    @discardableResult
    mutating func wait(_ duration: Duration) -> [TagDesk.Action] {
        time += duration
        return desk.tick(at: time)
    }

    static func tag(_ id: String, reader: String = "r1", identifier: [UInt8] = [4, 1, 2, 3], wasPresent: Bool = false)
        -> WebTag
    {
        WebTag(id: id, reader: reader, identifier: identifier, wasPresent: wasPresent)
    }

    /// The report of a tap with the usual message.
    static func tapReport(_ scans: Int..., document: String = "a", message: NDEFMessage = message) -> TagDesk.Action {
        .report(.tap(document, scans: scans, identifier: [4, 1, 2, 3], message))
    }
}

extension [TagDesk.Action] {
    /// The names of the errors that calls end with, by their numbers.
    var failures: [Int: WebError.Name] {
        reduce(into: [:]) { failures, action in
            if case .report(.failed(let id, let error)) = action { failures[id] = error.name }
        }
    }

    /// Without what is for people.
    var withoutStates: [TagDesk.Action] {
        filter { if case .report(.state) = $0 { false } else { true } }
    }
}
