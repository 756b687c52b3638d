import ISO7816
import Testing

@Suite struct `A selection` {
    private static let name: [UInt8] = [0xA0, 0x00, 0x00, 0x05, 0x27, 0x21, 0x01]

    @Test func `of an application by name asks for a response`() {
        #expect("\(CommandAPDU.select(application: Self.name))" == "00A4040007A000000527210100")
        #expect("\(CommandAPDU.select(application: []))" == "00A4040000")
        #expect(CommandAPDU.select(application: [UInt8](repeating: 1, count: 300)).data.count == 255)
    }

    @Test func `of an elementary file asks for none`() {
        #expect("\(CommandAPDU.select(elementaryFile: 0x011C))" == "00A4020C02011C")
    }

    @Test func `that nfcd builds is recognised`() {
        let command = CommandAPDU.select(application: Self.name).bytes
        #expect(ApplicationSelection(command: command) == .application(Self.name))
        let file = CommandAPDU.select(elementaryFile: 0x011C).bytes
        #expect(ApplicationSelection(command: file) == .none)
    }

    @Test(
        arguments: [
            [0x00, 0xA4, 0x04, 0x00, 0x07, 0x00], [0x00, 0xC2, 0x00, 0x00],
            [0x10, 0xA4, 0x04, 0x00], [0x10, 0xA4, 0x00, 0x00], [0xFF, 0x00, 0x00, 0x00], [0xFF, 0xA4, 0x04, 0x00],
        ] as [[UInt8]])
    func `whose name cannot be seen is hidden`(command: [UInt8]) {
        guard case .hidden(let reason) = ApplicationSelection(command: command) else {
            Issue.record("not hidden")
            return
        }
        #expect(!reason.isEmpty)
    }

    @Test func `without a name is one of the default application`() {
        #expect(ApplicationSelection(command: [0x00, 0xA4, 0x04, 0x00]) == .application([]))
        #expect(ApplicationSelection(command: [0x00, 0xA4, 0x04, 0x00, 0x07]) == .application([]))
    }

    @Test(
        arguments: [
            [], [0x00, 0xA4, 0x04], [0x00, 0xB0, 0x00, 0x00, 0x10], [0x00, 0xA4, 0x00, 0x00, 0x02, 0xE1, 0x03],
            [0xFF, 0xCA, 0x00, 0x00, 0x00], [0x90, 0x5A, 0x00, 0x00],
        ] as [[UInt8]])
    func `is not what other commands do`(command: [UInt8]) {
        #expect(ApplicationSelection(command: command) == .none)
    }

    @Test(
        arguments: [
            (0x9000, true), (0x6110, true), (0x6283, true), (0x6300, true), (0x6A82, false), (0x6400, false),
            (0x9100, false),
        ] as [(UInt16, Bool)])
    func `is completed with and without a warning`(status: UInt16, isCompleted: Bool) {
        #expect(StatusWord(rawValue: status).isCompleted == isCompleted)
    }
}
