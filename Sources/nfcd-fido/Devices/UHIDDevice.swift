import CTAP
import Synchronization
import Threading

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Makes devices of `/dev/uhid`, or of a Unix socket of type SOCK_SEQPACKET that takes the kernel's place: one connection for each
/// device, one event for each packet.
struct UHIDMaker: HIDDeviceMaker {
    /// A pair of pid.codes that no other device has.
    private static let (vendor, product): (UInt32, UInt32) = (0x1209, 0xF1D0)

    /// The character device, or the socket.
    let path: String

    func makeDevice(name: String, unique: String) throws(HIDDeviceError) -> any HIDDevice {
        do {
            let file = try EventFile(path: path)
            guard
                file.send(
                    UHIDEvent.create(name: name, unique: unique, vendor: Self.vendor, product: Self.product))
            else { throw SystemError(errno) }
            return try UHIDDevice(file)
        } catch let error as SystemError {
            throw failure("create a HID device through", error)
        } catch {
            throw HIDDeviceError(description: "\(error)")
        }
    }

    /// Checks that devices can be made, as far as this is known before one is needed.
    func check() throws(HIDDeviceError) {
        guard access(path, R_OK | W_OK) == 0 else { throw failure("open", SystemError(errno)) }
    }

    private func failure(_ action: String, _ error: SystemError) -> HIDDeviceError {
        let advice =
            switch error.code {
            case ENOENT, ENODEV: "Load the module uhid (modprobe uhid)."
            case EACCES, EPERM: "Run it as the user nfcd-fido, with the udev rule of its package."
            default: "Run nfcctl doctor."
            }
        return HIDDeviceError(description: "cannot \(action) \(path): \(error.text). \(advice)")
    }
}

/// A device of `/dev/uhid`.
///
/// A thread reads: the kernel keeps 31 events and drops more, so they are taken before any of them is handled.
final class UHIDDevice: HIDDevice {
    /// The most reports that wait to be handled: 15 of the longest messages. More are dropped, as the kernel does.
    private static let mostReports = 2_048

    private let file: EventFile
    private let events: AsyncStream<UHIDEvent>
    private let reports = WaitingReports(most: mostReports)
    /// One end of a pair of sockets; closing it ends the thread. Nil: the device is removed.
    private let wakeUp: Mutex<CInt?>
    private let executor = ThreadExecutor()

    /// Takes a file over through which a device was created.
    ///
    /// - Throws: `SystemError` where the process has no file descriptors left.
    init(_ file: EventFile) throws(SystemError) {
        var pair: [CInt] = [-1, -1]
        guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
            throw SystemError(errno)
        }
        self.file = file
        wakeUp = Mutex(pair[1])
        let (events, continuation) = AsyncStream.makeStream(of: UHIDEvent.self)
        self.events = events
        executor.run { [reports, end = pair[0]] in
            Self.read(file, until: end, into: continuation, reports)
            continuation.finish()
            _ = close(end)
        }
    }

    deinit { remove() }

    func next() async -> UHIDEvent? {
        var iterator = events.makeAsyncIterator()
        return await iterator.next()
    }

    func handled(_ event: UHIDEvent) {
        if case .output = event { reports.remove() }
    }

    func write(_ event: [UInt8]) {
        wakeUp.withLock { wakeUp in
            guard wakeUp != nil else { return }
            file.send(event)
        }
    }

    func remove() {
        wakeUp.withLock { wakeUp in
            guard let writing = wakeUp else { return }
            wakeUp = nil
            file.send(UHIDEvent.destroy)
            close(writing)
        }
    }

    /// Reads events until the pair ends, or the device is lost.
    private static func read(
        _ file: EventFile, until end: CInt, into events: AsyncStream<UHIDEvent>.Continuation, _ reports: WaitingReports
    ) {
        var buffer = [UInt8](repeating: 0, count: UHIDEvent.size)
        while let bytes = file.receive(&buffer, until: end) {
            let event = UHIDEvent(Array(bytes))
            if case .output = event, !reports.add() { continue }
            events.yield(event)
        }
    }
}

/// The number of reports that wait to be handled.
private final class WaitingReports: Sendable {
    private let count = Atomic<Int>(0)
    private let most: Int

    init(most: Int) { self.most = most }

    /// Counts one more; false where too many wait. Called by one thread.
    func add() -> Bool {
        guard count.load(ordering: .relaxed) < most else { return false }
        count.add(1, ordering: .relaxed)
        return true
    }

    /// Counts one less.
    func remove() { count.subtract(1, ordering: .relaxed) }
}
