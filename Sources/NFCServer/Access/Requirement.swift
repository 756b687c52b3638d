import NFCSessions

/// What a method needs of its caller's entitlements.
enum Requirement: Sendable, Hashable {
    /// Nothing: it is for everybody who can open the socket.
    case nothing
    /// The format of the session that is begun, and what it asks for. The handler sees to it: the session ends with 2.
    case format
    /// To be allowed to do this.
    case capability(Entitlements.Capability)

    /// The requirement of a method; nil where the tables do not know it, and then nobody may call it.
    static func of(_ method: String) -> Requirement? {
        methods[method] ?? families[String(method.prefix { $0 != "." })]
    }

    private static let methods: [String: Requirement] = [
        "server.info": .nothing,
        "readers.list": .nothing,
        "rpc.discover": .nothing,
        "$/cancelRequest": .nothing,
        "session.begin": .format,
        // Of a session or tag of one's own.
        "session.connect": .nothing,
        "session.restartPolling": .nothing,
        "session.setAlertMessage": .nothing,
        "session.invalidate": .nothing,
        "tag.cancelCommands": .nothing,
        "tag.queryNDEFStatus": .capability(.read),
        "tag.readNDEF": .capability(.read),
        "tag.describe": .capability(.read),
        "tag.dump": .capability(.read),
        "tag.writeNDEF": .capability(.write),
        "tag.format": .capability(.format),
        "tag.writeLock": .capability(.lock),
        "tag.authenticate": .capability(.raw),
        "background.subscribe": .capability(.background),
        "background.unsubscribe": .capability(.background),
        "events.subscribe": .capability(.monitor),
        "events.unsubscribe": .capability(.monitor),
        "server.metrics": .capability(.monitor),
        "sessions.list": .capability(.monitor),
        "sessions.cancel": .capability(.manage),
    ]

    /// What stands before the point, of methods that all need the same.
    private static let families: [String: Requirement] = [
        "iso7816": .capability(.raw),
        "miFare": .capability(.raw),
        "miFareClassic": .capability(.raw),
        "feliCa": .capability(.raw),
        "iso15693": .capability(.raw),
        "simulator": .capability(.simulate),
    ]
}
