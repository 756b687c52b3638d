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
    /// Ends the thread.
    private let end: WakeUp
    private let isRemoved = Mutex(false)
    private let executor = ThreadExecutor()

    /// Takes a file over through which a device was created.
    ///
    /// - Throws: `SystemError` where the process has no file descriptors left.
    init(_ file: EventFile) throws(SystemError) {
        do throws(WakeUp.Failure) {
            end = try WakeUp()
        } catch {
            throw SystemError(error.code)
        }
        self.file = file
        let (events, continuation) = AsyncStream.makeStream(of: UHIDEvent.self)
        self.events = events
        executor.run { [reports, end] in
            Self.read(file, until: end, into: continuation, reports)
            continuation.finish()
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
        isRemoved.withLock { isRemoved in
            guard !isRemoved else { return }
            file.send(event)
        }
    }

    func remove() {
        isRemoved.withLock { isRemoved in
            guard !isRemoved else { return }
            isRemoved = true
            file.send(UHIDEvent.destroy)
            end.signal()
        }
    }

    /// Reads events until the device is removed or lost.
    private static func read(
        _ file: EventFile, until end: WakeUp, into events: AsyncStream<UHIDEvent>.Continuation,
        _ reports: WaitingReports
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
