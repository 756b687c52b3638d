import NFCProtocol
import NFCReaders
import NFCSessions
import NFCTags

extension MethodTable {
    /// `server.*` and `readers.*`.
    mutating func addServerMethods(
        _ coordinator: SessionCoordinator, _ server: ServerLimits, isSimulating: Bool
    ) {
        let methods = Interface.methods.map { method in method.name }.sorted()
        on(ServerInfo.self) { _, peer in
            let readers = await coordinator.readers()
            let service = await coordinator.overview().service
            let limits = await coordinator.limits
            return Reply(
                ServerInfo.Result(
                    name: "nfcd", version: NFCDVersion.release, protocolVersion: NFCDVersion.protocolVersion,
                    methods: methods,
                    readingAvailable: readers.contains { $0.entry.failure == nil },
                    readerService: ReaderServiceStatus(service), readerServiceDetail: service.reason,
                    limits: ServerInfo.Limits(limits, server), journal: coordinator.recorder.journalState,
                    entitlements: ServerInfo.Entitlements(peer.permissions, isSimulating: isSimulating)))
        }
        on(ReadersList.self) { _, _ in
            Reply(await coordinator.readers().map { ReadersList.Reader($0.entry, isInUse: $0.isInUse) })
        }
    }
}

extension MethodTable {
    /// `rpc.discover`.
    mutating func addDiscoverMethods() {
        onCall(RPCDiscover.self) { _, _ in .done(Reply(try discovery.get())) }
    }
}

/// Made and encoded once: the interface does not change while nfcd runs.
private let discovery = Result {
    let rawCommands = CommandScreen.tables.map { OpenRPCDocument.RawCommands($0) }
    return try EncodedResult(RPCDiscover.Result(try OpenRPCDocument.make(rawCommands: rawCommands)))
}

extension ServerInfo.Limits {
    fileprivate init(_ sessions: SessionLimits, _ server: ServerLimits) {
        self.init(
            sessionTimeout: sessions.timeout / .seconds(1), lineLength: JSONLine.maximumLength,
            sessionsPerClient: sessions.sessionsPerClient)
        requestsPerBatch = IncomingCalls.limit
        connectionsPerUser = server.connectionsPerUser
        memoryPerUser = server.bytesPerUser
        outboundLimit = server.outboundBytes
    }
}

extension OpenRPCDocument.RawCommands {
    fileprivate init(_ table: RawCommandTable) {
        self.init(
            title: table.title,
            commands: table.rows.map { row in
                Command(
                    form: row.form, name: row.name,
                    needs: row.needs.map { ($0.effect.capabilities, $0.condition) })
            })
    }
}

extension ServerInfo.Entitlements {
    /// What a caller may do. Without simulated readers, `simulate` is left out.
    init(_ permissions: Permissions, isSimulating: Bool) {
        let all = ServerInfo.Grant(permissions.summary, isSimulating: isSimulating)
        self.init(
            formats: all.formats, capabilities: all.capabilities,
            iso7816SelectIdentifiers: all.iso7816SelectIdentifiers, feliCaSystemCodes: all.feliCaSystemCodes,
            readers: all.readers,
            grants: permissions.sentences.map { ServerInfo.Grant($0, isSimulating: isSimulating) })
    }
}

extension ServerInfo.Grant {
    fileprivate init(_ sentence: Entitlements, isSimulating: Bool) {
        self.init(
            formats: SessionFormat.allCases.filter(sentence.formats.contains).map(\.rawValue),
            capabilities: Capability.allCases
                .filter { sentence.capabilities.contains($0) && ($0 != .simulate || isSimulating) }
                .map(\.rawValue),
            iso7816SelectIdentifiers: sentence.selectIdentifiers.listed { HexBytes($0).description },
            feliCaSystemCodes: sentence.systemCodes.listed {
                HexBytes([UInt8($0 >> 8), UInt8($0 & 0xFF)]).description
            },
            readers: sentence.readers.listed { $0 },
            sessionTimeout: sentence.sessionTimeout.map { $0 / .seconds(1) })
    }
}

extension Entitlements.Names {
    /// The names as a list; `*` stands for all.
    fileprivate func listed(_ text: (Name) -> String) -> [String] {
        switch self {
        case .all: ["*"]
        case .some(let names): names.map(text).sorted()
        }
    }
}

extension ReadersList.Reader {
    init(_ entry: ReaderTable.Entry, isInUse: Bool) {
        self.init(
            reader: entry.description.id.rawValue, name: entry.description.name,
            state: ReaderStatus(entry, isInUse: isInUse),
            technologies: entry.description.technologies.map(\.rawValue), profile: entry.description.profile.slug,
            serial: entry.description.serial, failure: entry.failure, blocked: entry.blocked)
    }
}
