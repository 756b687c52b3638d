import CTAP

extension FuzzTarget {
    /// The input is what programs do to a HID device: steps of a byte for the kind, and what the kind takes.
    static let hidReports = FuzzTarget(name: "hidReports") { bytes in
        var programs = HIDPrograms()
        var rest = bytes[...]
        while let kind = rest.popFirst() { programs.step(kind, &rest) }
        return Array(programs.broken)
    }

    /// The input is what a card answers: a byte for the request, then answers of a byte for the length and so many bytes.
    static let cardResponses = FuzzTarget(name: "cardResponses") { bytes in
        _ = CardInfo(bytes)
        _ = CTAPCommand(bytes)
        var rest = bytes[...]
        let kind = rest.popFirst() ?? 0
        let message = Array(repeating: UInt8(4), count: kind & 1 == 0 ? 1 : 600)
        var transfer = CardTransfer(kind & 2 == 0 ? .cbor(message) : .message([0, 3, 0, 0]))
        return transfer.ends(with: &rest) ? [] : ["a transfer ends, whatever the card answers"]
    }
}

/// Programs that share a device, and what they must be able to rely on.
private struct HIDPrograms {
    private var endpoint = HIDEndpoint(hasMessages: true, version: (1, 0, 0))
    private var time = Duration.zero
    private var open: HIDEndpoint.RequestNumber?
    private(set) var broken: Set<String> = []

    mutating func step(_ kind: UInt8, _ rest: inout ArraySlice<UInt8>) {
        switch kind {
        case 0: carryOut(endpoint.closed())
        case 1: answer(&rest)
        case 2: wait(.milliseconds(Int(rest.popFirst() ?? 0) * 10))
        case 3:
            let size = Int(rest.popFirst() ?? 0) * 16
            carryOut(endpoint.receive(take(size, &rest), at: time))
        default: report(channel: kind % 4, &rest)
        }
    }

    /// A report of a channel that may exist, so that the input gets beyond the first packet.
    private mutating func report(channel: UInt8, _ rest: inout ArraySlice<UInt8>) {
        let address: [UInt8] = channel == 3 ? [0xFF, 0xFF, 0xFF, 0xFF] : [0, 0, 0, channel]
        carryOut(endpoint.receive(address + take(60, &rest), at: time))
    }

    private mutating func answer(_ rest: inout ArraySlice<UInt8>) {
        guard let id = open else { return }
        let bytes = take(Int(rest.popFirst() ?? 0) * 40, &rest)
        carryOut(endpoint.answer(id, bytes))
        open = nil
    }

    private mutating func wait(_ duration: Duration) {
        time += duration
        carryOut(endpoint.tick(at: time))
    }

    private func take(_ count: Int, _ rest: inout ArraySlice<UInt8>) -> [UInt8] {
        let taken = rest.prefix(count)
        rest = rest.dropFirst(count)
        return taken + Array(repeating: 0, count: count - taken.count)
    }

    private mutating func carryOut(_ actions: [HIDEndpoint.Action]) {
        for action in actions {
            switch action {
            case .send(let reports):
                if reports.contains(where: { $0.count != 64 || $0.prefix(4) != reports[0].prefix(4) }) {
                    broken.insert("a message is one of 64-byte reports on one channel")
                }
            case .request(let id, _):
                if open != nil { broken.insert("one request is open at a time") }
                open = id
            case .cancel(let id):
                if open != id { broken.insert("only the open request is cancelled") }
                open = nil
            case .keepAlive(let report):
                if let report, report.bytes.count != 64 { broken.insert("a keep-alive is one report") }
            case .wink: break
            }
        }
    }
}

extension CardTransfer {
    /// Whether the transfer ends while a card gives these answers, and then the last of them again and again.
    fileprivate mutating func ends(with answers: inout ArraySlice<UInt8>) -> Bool {
        var step = start()
        var last: [UInt8] = []
        for _ in 0..<2_000 {
            switch step {
            case .done, .failed: return true
            case .wait: step = waited()
            case .send:
                if let length = answers.popFirst() {
                    last = Array(answers.prefix(Int(length)))
                    answers = answers.dropFirst(Int(length))
                }
                step = receive(last)
            }
        }
        return false
    }
}
