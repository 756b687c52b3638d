import CTAP
import TestSupport
import Testing

/// Every order of a few events, against rules that are checked from outside.
@Suite struct `Every order of cards and requests` {
    private struct Observer {
        var hasDevice = false
        var isTransferring = false
        var open: CardSecurityKey.RequestNumber?
        var mayHaveToken = false
        var problems: Set<String> = []

        mutating func observe(_ actions: [CardSecurityKey.Action]) {
            for action in actions {
                switch action {
                case .createDevice:
                    if hasDevice { problems.insert("two devices") }
                    hasDevice = true
                case .destroyDevice:
                    if !hasDevice { problems.insert("no device to destroy") }
                    if open != nil { problems.insert("a request was open as its device went") }
                    hasDevice = false
                case .answer(let id, _), .fail(let id, _):
                    if open != id { problems.insert("an answer to a request that is not open") }
                    open = nil
                case .transfer(let body):
                    if isTransferring { problems.insert("two exchanges") }
                    if body == .cbor(KeySetup.withToken), !mayHaveToken {
                        problems.insert("a token crossed a field loss")
                    }
                    isTransferring = true
                default: break
                }
            }
        }
    }

    private static let requests = [
        [4], KeySetup.plain, KeySetup.withToken, KeySetup.keyAgreement, KeySetup.token, KeySetup.nextAssertion,
    ]

    @Test(arguments: [false, true])
    func `keeps the rules`(isPermanent: Bool) {
        var setup = KeySetup(.init(isPermanent: isPermanent))
        var observer = Observer()
        observer.observe(setup.key.start())
        observer.observe(setup.put())
        var problems: Set<String> = []
        explore(setup, observer, depth: 5, &problems)
        #expect(problems.isEmpty, "\(problems)")
    }

    private func explore(_ setup: KeySetup, _ observer: Observer, depth: Int, _ problems: inout Set<String>) {
        problems.formUnion(observer.problems)
        guard depth > 0 else { return }
        var problemsHere: Set<String> = []
        func step(_ event: (inout KeySetup, inout Observer) -> [CardSecurityKey.Action]) {
            var (next, seen) = (setup, observer)
            let actions = event(&next, &seen)
            seen.observe(actions)
            explore(next, seen, depth: depth - 1, &problemsHere)
        }
        if observer.hasDevice, observer.open == nil {
            for message in Self.requests {
                step { setup, observer in
                    let actions = setup.request(message)
                    observer.open = setup.id
                    return actions
                }
            }
        }
        if let open = observer.open {
            step { setup, observer in
                observer.open = nil
                return setup.key.cancel(open)
            }
        }
        if observer.isTransferring {
            for outcome in [
                CardSecurityKey.Outcome.answer([0]), .cardLost, .deselected, .failed(.status(0x6E00)),
                .failed(.malformed),
            ] {
                step { setup, observer in
                    observer.isTransferring = false
                    if outcome == .answer([0]) { observer.mayHaveToken = true } else { observer.mayHaveToken = false }
                    return setup.key.finished(outcome, at: setup.time)
                }
            }
        }
        if !observer.isTransferring {
            step { setup, observer in
                observer.mayHaveToken = false
                return setup.lift() + setup.put()
            }
            step { setup, observer in
                observer.mayHaveToken = false
                return setup.lift() + setup.put(KeySetup.otherCard)
            }
        }
        step { setup, observer in
            observer.mayHaveToken = false
            return setup.lift()
        }
        step { setup, observer in
            (observer.mayHaveToken, observer.isTransferring) = (false, false)
            return setup.key.cardTaken(at: setup.time)
        }
        step { setup, _ in setup.wait() }
        problems.formUnion(problemsHere)
    }
}
