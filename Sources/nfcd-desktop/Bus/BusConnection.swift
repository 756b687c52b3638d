import CSDBus
import Threading

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Why a call on the D-Bus has no result.
struct BusFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// Such as `org.freedesktop.DBus.Error.ServiceUnknown`; empty without a connection.
    let name: String
    let description: String

    init(name: String = "", _ description: String) {
        self.name = name
        self.description = description
    }

    init(_ action: String, code: Int32) {
        self.init("\(action): \(String(cString: strerror(-code)))")
    }
}

/// A call of a method.
struct BusCall: Sendable {
    var destination: String
    var path: String
    var interface: String
    var member: String
    var arguments: [BusValue] = []
    /// Whether the bus may start a program that answers.
    var starts = true
    var timeout = Duration.seconds(5)
}

/// A signal that one of the rules matched, or that some program has sent to this connection alone, which no rule keeps out.
struct BusSignal: Sendable {
    /// The connection that it came from, such as `:1.42`; the bus sets it.
    let sender: String
    let path: String
    let interface: String
    let member: String
    let values: [BusValue]
}

/// A connection to a D-Bus, which stays: notifications, their actions and portal requests belong to the connection that made them.
///
/// Calls block a separate thread, at most until their time-out.
actor BusConnection {
    /// Which bus.
    enum Kind: String, Sendable {
        case session, system
    }

    /// Passes signals from the callback of the library on.
    private final class Receiver: Sendable {
        let functions: csdbus_functions
        let signals: AsyncStream<BusSignal>.Continuation

        init(_ functions: csdbus_functions, _ signals: AsyncStream<BusSignal>.Continuation) {
            self.functions = functions
            self.signals = signals
        }

        func take(_ message: OpaquePointer) {
            func text(_ read: (OpaquePointer?) -> UnsafePointer<CChar>?) -> String {
                read(message).map { String(cString: $0) } ?? ""
            }
            signals.yield(
                BusSignal(
                    sender: text(functions.sender), path: text(functions.path), interface: text(functions.interface),
                    member: text(functions.member),
                    values: BusMessageCoder(functions: functions, message: message).values()))
        }
    }

    /// The signals of the rules of ``match(_:)``, for one reader.
    nonisolated let signals: AsyncStream<BusSignal>
    /// The name of this connection, such as `:1.42`.
    nonisolated let uniqueName: String

    nonisolated private let executor: ThreadExecutor
    nonisolated private let descriptor: CInt
    private let functions: csdbus_functions
    private let receiver: Receiver
    nonisolated(unsafe) private let bus: OpaquePointer

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Connects.
    init(_ kind: Kind) throws(BusFailure) {
        var message = [CChar](repeating: 0, count: 256)
        guard let loaded = csdbus_load(&message, message.count) else {
            let words = String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            throw BusFailure("the library of D-Bus cannot be used: \(words); install libsystemd0")
        }
        functions = loaded.pointee
        var opened: OpaquePointer?
        let code = kind == .session ? functions.open_user(&opened) : functions.open_system(&opened)
        guard code >= 0, let opened else { throw BusFailure("no connection to the \(kind.rawValue) bus", code: code) }
        bus = opened
        descriptor = functions.descriptor(opened)
        var name: UnsafePointer<CChar>?
        uniqueName = functions.unique_name(opened, &name) >= 0 ? name.map { String(cString: $0) } ?? "" : ""
        let (signals, continuation) = AsyncStream.makeStream(of: BusSignal.self, bufferingPolicy: .bufferingNewest(256))
        self.signals = signals
        receiver = Receiver(functions, continuation)
        executor = ThreadExecutor()
    }

    deinit {
        receiver.signals.finish()
        _ = functions.close(bus)
    }

    /// Receives signals; their ``signals`` have one reader.
    ///
    /// - Parameter rule: as of `AddMatch` of the D-Bus specification.
    func match(_ rule: String) throws(BusFailure) {
        // The receiver lives as long as the connection, whose end removes the match.
        let code = functions.match(
            bus, nil, rule,
            { message, context, _ in
                guard let message, let context else { return 0 }
                Unmanaged<Receiver>.fromOpaque(context).takeUnretainedValue().take(message)
                return 0
            }, Unmanaged.passUnretained(receiver).toOpaque())
        guard code >= 0 else { throw BusFailure("signals cannot be received", code: code) }
    }

    /// Calls a method, and returns the values of its reply.
    func call(_ call: BusCall) throws(BusFailure) -> [BusValue] {
        var message: OpaquePointer?
        var code = functions.new_call(bus, &message, call.destination, call.path, call.interface, call.member)
        guard code >= 0, let message else { throw BusFailure("\(call.member) of \(call.destination)", code: code) }
        defer { _ = functions.release(message) }
        if !call.starts { _ = functions.set_auto_start(message, 0) }
        for value in call.arguments where code >= 0 {
            code = BusMessageCoder(functions: functions, message: message).append(value)
        }
        guard code >= 0 else { throw BusFailure("\(call.member) of \(call.destination)", code: code) }
        return try send(message, call)
    }

    private func send(_ message: OpaquePointer, _ call: BusCall) throws(BusFailure) -> [BusValue] {
        var error = csdbus_error()
        defer { functions.free_error(&error) }
        var reply: OpaquePointer?
        let (seconds, attoseconds) = call.timeout.components
        let microseconds = UInt64(seconds) * 1_000_000 + UInt64(attoseconds / 1_000_000_000_000)
        let code = functions.call(bus, message, microseconds, &error, &reply)
        // Signals that arrived meanwhile are in the library's queue, where poll(2) does not see them.
        _ = process()
        guard code >= 0, let reply else {
            let words = error.message.map { String(cString: $0) } ?? String(cString: strerror(-code))
            throw BusFailure(
                name: error.name.map { String(cString: $0) } ?? "", "\(call.member) of \(call.destination): \(words)")
        }
        defer { _ = functions.release(reply) }
        return BusMessageCoder(functions: functions, message: reply).values()
    }

    /// Whether a program has a name on the bus.
    func hasOwner(_ name: String) throws(BusFailure) -> Bool {
        try call(
            BusCall(
                destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
                member: "NameHasOwner", arguments: [.string(name)])
        ).first?.truth ?? false
    }

    /// Whether a signal comes from the program that has a name.
    func isSent(_ signal: BusSignal, by name: String) -> Bool {
        let call = BusCall(
            destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
            member: "GetNameOwner", arguments: [.string(name)])
        guard let owner = try? self.call(call).first?.text else { return false }
        return signal.sender == owner
    }

    /// The value of a property.
    func property(_ name: String, of interface: String, at path: String, in destination: String) throws(BusFailure)
        -> BusValue?
    {
        try call(
            BusCall(
                destination: destination, path: path, interface: "org.freedesktop.DBus.Properties", member: "Get",
                arguments: [.string(interface), .string(name)])
        ).first?.unwrapped
    }

    /// Receives signals until the connection ends, or the task is cancelled.
    ///
    /// - Throws: ``BusFailure`` where the connection has ended.
    func run() async throws {
        let wakeUp = try WakeUp()
        let poller = ThreadExecutor()
        try await withTaskCancellationHandler {
            while !Task.isCancelled {
                guard process() >= 0 else { throw BusFailure("the connection to the session bus has ended") }
                await Self.wait(for: descriptor, wakeUp, on: poller)
            }
        } onCancel: {
            wakeUp.signal()
        }
    }

    private static func wait(for descriptor: CInt, _ wakeUp: WakeUp, on thread: ThreadExecutor) async {
        await withCheckedContinuation { continuation in
            thread.run {
                var places = [
                    pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                    pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
                ]
                _ = poll(&places, nfds_t(places.count), -1)
                continuation.resume()
            }
        }
    }

    /// Handles what has arrived; a negative code of errno(3) where the connection has ended.
    private func process() -> Int32 {
        var code: Int32 = 0
        repeat { code = functions.process(bus, nil) } while code > 0
        return code
    }
}
