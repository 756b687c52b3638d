import CTAP
import ServiceSupport

/// A HID device with its CTAPHID endpoint, from its creation to its removal.
struct KeyDevice {
    /// The most reports that a program receives at once: hidraw keeps 64 for it, and drops more.
    private static let burst = 32
    private static let pause = Duration.milliseconds(1)
    /// The most messages that wait to be sent; more are dropped, as hidraw does for a program that does not read.
    private static let mostMessages = 256

    /// Counts up, so that what an earlier device reports is recognized.
    let number: Int
    var endpoint: HIDEndpoint
    private let device: any HIDDevice
    private let messages: AsyncStream<[[UInt8]]>
    private let outgoing: AsyncStream<[[UInt8]]>.Continuation

    init(_ device: any HIDDevice, number: Int, hasMessages: Bool) {
        self.device = device
        self.number = number
        endpoint = HIDEndpoint(hasMessages: hasMessages, version: (1, 0, 0))
        (messages, outgoing) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.mostMessages))
    }

    /// Sends the reports of a message after those before it.
    func send(_ reports: [[UInt8]]) { outgoing.yield(reports) }

    /// Notes that an event was handled.
    func handled(_ event: UHIDEvent) { device.handled(event) }

    /// Answers an event that has nothing to do with CTAPHID.
    func refuse(_ event: UHIDEvent) {
        switch event {
        case .getReport(let id): device.write(UHIDEvent.refusal(ofGetReport: id))
        case .setReport(let id): device.write(UHIDEvent.refusal(ofSetReport: id))
        default: break
        }
    }

    /// Removes the device once its messages are sent.
    func remove() { outgoing.finish() }

    /// The two tasks of the device: one passes events on until the device is lost, one writes until it is removed.
    func run(_ time: ServiceTime, _ report: @escaping @Sendable (UHIDEvent?) -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [device] in
                while let event = await device.next() { report(event) }
                report(nil)
            }
            for await reports in messages {
                for (index, bytes) in reports.enumerated() {
                    device.write(UHIDEvent.input(bytes))
                    if (index + 1).isMultiple(of: Self.burst) { try? await time.sleep(Self.pause) }
                }
            }
            device.remove()
        }
    }
}
