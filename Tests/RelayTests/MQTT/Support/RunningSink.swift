@testable import nfcd_relay

/// A sink that runs as in the relay, without nfcd.
struct RunningSink {
    let sink: MQTTSink
    let observer = ObserverDouble()
    private let task: Task<Void, Never>

    init(
        _ broker: TestBroker, device: String = "desk", readers: MachineState = MachineState(),
        operations: OperationsDouble = OperationsDouble(), memory: MemoryDouble = MemoryDouble(),
        _ change: (inout MQTTSettings) -> Void = { _ in }
    ) {
        self.init([broker.server], device: device, readers: readers, operations: operations, memory: memory, change)
    }

    init(
        _ servers: [BrokerServer], device: String = "desk", readers: MachineState = MachineState(),
        operations: OperationsDouble = OperationsDouble(), memory: MemoryDouble = MemoryDouble(),
        _ change: (inout MQTTSettings) -> Void = { _ in }
    ) {
        var settings = MQTTSettings(servers: servers)
        change(&settings)
        let context = SinkContext.double(device: device, operations: operations, memory: memory)
        let sink = MQTTSink(settings, context, time: .impatient, readers: readers)
        self.sink = sink
        task = Task { [observer] in await sink.run(observer) }
    }

    /// The reports up to the first that is wanted.
    func reports(until isWanted: (ObserverDouble.Report) -> Bool) async -> [ObserverDouble.Report] {
        await observer.reports(until: isWanted)
    }

    /// The reports until taps can be delivered.
    func connected() async -> [ObserverDouble.Report] { await reports { $0 == .connected } }

    /// The reports until the consumer is held.
    func held() async -> [ObserverDouble.Report] {
        await reports { if case .held = $0 { true } else { false } }
    }

    /// The reports until the connection is lost, or could not be made.
    func disconnected() async -> [ObserverDouble.Report] {
        await reports { if case .disconnected = $0 { true } else { false } }
    }

    /// Ends the sink as a stop of the relay does.
    func stop() async {
        task.cancel()
        await task.value
    }
}
