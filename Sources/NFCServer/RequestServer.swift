package import FoundationEssentials
package import LocalSocket
import NFCProtocol
package import NFCReaders
package import NFCSessions

/// When the requests of clients are decoded and started, where one thread serves many clients.
package protocol RequestSchedule: Sendable {
    /// Returns when a request of a client may start: users take turns, and the processes of a user among each other.
    func turn(for client: PeerCredentials) async

    /// Runs a function that decodes a long line of a client.
    ///
    /// - Parameter length: the length of the line in bytes.
    /// - Throws: if nfcd is stopping.
    func decode<Value: Sendable>(
        _ length: Int, for client: PeerCredentials, _ body: @escaping @Sendable () -> Value
    ) async throws -> Value
}

/// Carries out the requests of clients, whatever connects them to nfcd.
package struct RequestServer: Sendable {
    private let coordinator: SessionCoordinator
    private let access: AccessPolicy
    private let limits: ServerLimits
    private let logger: EventLog
    private let refusals: RefusalLog
    private let router: LineRouter
    private let recordedTaps = RecordedTapLines()
    /// The methods that clients can call.
    package let methodNames: Set<String>

    /// - Parameters:
    ///   - access: the rules for what clients may do.
    ///   - simulator: the driver of the simulated readers; nil if there are none.
    ///   - recorder: records what happens on the readers; nil if that is not possible.
    ///   - clock: limits how often progress is reported.
    ///   - schedule: when requests are decoded and started.
    package init(
        coordinator: SessionCoordinator, access: AccessPolicy, limits: ServerLimits = ServerLimits(),
        simulator: SimulatedDriver?, recorder: ReaderRecorder? = nil,
        clock: any Clock<Duration> = ContinuousClock(), schedule: any RequestSchedule,
        logger: EventLog
    ) {
        self.coordinator = coordinator
        self.access = access
        self.limits = limits
        self.logger = logger
        refusals = RefusalLog(logger, clock: clock)
        var methods = MethodTable(access: access)
        methods.addServerMethods(coordinator, limits, isSimulating: simulator != nil)
        methods.addSessionMethods(coordinator)
        methods.addConnectionMethods(coordinator)
        methods.addTagActions(coordinator, clock: clock)
        methods.addSimulatorMethods(simulator)
        methods.addBackgroundMethods(coordinator)
        methods.addTapMethods(coordinator, schedule: schedule)
        methods.addEventMethods(coordinator)
        methods.addOperatorMethods(coordinator)
        methods.addRecordingMethods(recorder)
        methods.addDiscoverMethods()
        methodNames = methods.names
        router = LineRouter(methods: methods, schedule: schedule)
    }

    /// A client that has connected. Its connection ends with ``release(_:)``.
    package func client(_ id: ClientID, _ credentials: PeerCredentials, over outlet: any ClientOutlet) -> Peer {
        coordinator.metrics.clientConnected()
        return Peer(
            id: id, credentials, over: outlet, access: access, outboundLimit: limits.outboundBytes, logger: logger,
            refusals: refusals, recordedTaps: recordedTaps)
    }

    /// Starts the requests of a line; pending ones end in tasks of the group. An invalid line is answered with an error, an empty
    /// one is ignored.
    ///
    /// - Parameter hold: is kept until all requests of the line have been answered.
    package func handle(
        _ line: Data, _ hold: any Sendable, from peer: Peer, _ group: inout DiscardingTaskGroup
    ) async {
        await router.handle(line, hold, from: peer, &group)
    }

    /// Releases everything that belongs to a client that disconnects; its requests that have not started never start.
    package func cleanUp(_ peer: Peer) async {
        peer.releaseAll()
        await coordinator.clientDisconnected(peer.id)
        await coordinator.recorder.feed?.forget(peer.id)
    }

    /// Ends the connection of a client whose requests have been answered.
    package func release(_ peer: Peer) async {
        await cleanUp(peer)
        coordinator.metrics.clientDisconnected()
    }
}

/// What clients of the socket may use. The sizes are in bytes.
package struct ServerLimits: Sendable, Hashable {
    /// The connections of all users together. An eighth of them is for root and the user that the daemon runs as.
    package var connections = 1024
    /// The connections of one user.
    package var connectionsPerUser = 256
    /// What may be queued for a client that receives notifications and does not read them.
    package var outboundBytes = 4 * 1024 * 1024
    /// What all clients may use together for what they send, and as much for what they are sent. An eighth of it is for root
    /// and the user that the daemon runs as.
    package var bytes = 16 * 1024 * 1024
    /// What the clients of one user may use of `bytes`.
    package var bytesPerUser = 8 * 1024 * 1024
    /// The time for a line over 16 KiB to be complete.
    package var lineTime = Duration.seconds(10)

    /// The defaults.
    package init() {}

    /// The defaults, but for a client that does not read.
    package init(outboundBytes: Int) {
        self.outboundBytes = outboundBytes
    }
}
