import CTAP

/// A HID device with its CTAPHID endpoint, from its creation to its removal.
struct KeyDevice {
    /// Counts up, so that what an earlier device reports is recognized.
    let number: Int
    var endpoint: HIDEndpoint
    private let device: any HIDDevice
    private let writer: ReportWriter

    init(_ device: any HIDDevice, number: Int, hasMessages: Bool) {
        self.device = device
        self.number = number
        endpoint = HIDEndpoint(hasMessages: hasMessages, version: (1, 0, 0))
        writer = ReportWriter(device)
    }

    /// Sends the reports of a message after those before it.
    func send(_ reports: [[UInt8]]) { writer.send(reports) }

    /// Sends a report again and again, instead of the one before; nil: no more.
    func keepAlive(_ report: HIDEndpoint.RepeatedReport?) { writer.keepAlive(report) }

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
    func remove() { writer.finish() }

    /// Passes events on until the device is lost or removed.
    func run(_ report: @escaping @Sendable (UHIDEvent?) -> Void) async {
        while let event = await device.next() { report(event) }
        report(nil)
    }
}
