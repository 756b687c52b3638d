import CoreNFCTesting
import Foundation
import Testing

@Suite struct ChainedPACEReaderTests {
    private static let accessNumber = "123456"
    private static let cardKey: [UInt8] = [0x04, 9, 8, 7, 6, 5, 4]

    @Test func `every command of a chain reaches a card that a test programs`() async throws {
        try await withVirtualTag(.card(applications: [PACECard(accessNumber: Self.accessNumber)])) { card in
            let token = try await ChainedPACEReader(accessNumber: Self.accessNumber).open()
            #expect(token.count == 8)
            #expect(card.application(PACECard.self)?.steps == [0, 1, 2, 3, 4])
        }
    }

    @Test func `a wrong access number is refused by the last command`() async throws {
        try await withVirtualTag(.card(applications: [PACECard(accessNumber: "000000")])) { _ in
            let refusal = await #expect(throws: ChainedPACEReader.Refusal(step: 4, status: 0x6300)) {
                try await ChainedPACEReader(accessNumber: "123456").open()
            }
            #expect(refusal?.step == 4)
        }
    }

    @Test func `a script answers each command of a chain`() async throws {
        try await withVirtualTag(try Self.script()) { _ in
            let token = try await ChainedPACEReader(accessNumber: Self.accessNumber).open()
            #expect(token == [1, 2, 3, 4, 5, 6, 7, 8])
        }
    }

    @Test(arguments: [1, 2, 3, 4]) func `a script that lacks a command fails the test`(_ step: Int) async throws {
        let error = await #expect(throws: TestTagError.self) {
            try await withVirtualTag(try Self.script(without: step)) { _ in
                _ = try await ChainedPACEReader(accessNumber: Self.accessNumber).open()
            }
        }
        #expect(error?.description.contains("\(step < 4 ? "10" : "00")860000") == true)
    }

    /// A recorded session, with a command left out.
    private static func script(without step: Int = 0) throws -> TestTag {
        let nonce: [UInt8] = [0x11, 0x22, 0x33, 0x44, 0x55, 0x66]
        let mapped: [UInt8] = [0x04, 1, 2, 3, 4, 5, 6]
        let key = ChainedPACEReader.key(mapped)
        let commands: [[UInt8]] = [
            [], object(0x81, ChainedPACEReader.mapping(nonce, accessNumber)), object(0x83, key),
            object(0x85, ChainedPACEReader.token(key, cardKey)),
        ]
        let answers = [
            object(0x80, nonce), object(0x82, mapped), object(0x84, cardKey), object(0x86, [1, 2, 3, 4, 5, 6, 7, 8]),
        ]
        let texts = commands.enumerated().map { index, data in
            let apdu = [index < 3 ? 0x10 : 0x00, 0x86, 0x00, 0x00] + [UInt8(data.count + 2)] + object(0x7C, data)
            // A command that is left out is replaced by one that no reader sends.
            return index + 1 == step ? "00FF0000" : hexadecimal(apdu) + "00"
        }
        let mechanism = ChainedPACEReader.mechanism
        return try .card(
            aid: "",
            script: [
                "00A4020C02011C": "9000", "0022C1A40F" + hexadecimal(mechanism): "9000",
                texts[0]: hexadecimal(object(0x7C, answers[0])) + "9000",
                texts[1]: hexadecimal(object(0x7C, answers[1])) + "9000",
                texts[2]: hexadecimal(object(0x7C, answers[2])) + "9000",
                texts[3]: hexadecimal(object(0x7C, answers[3])) + "9000",
            ])
    }

    private static func object(_ tag: UInt8, _ value: [UInt8]) -> [UInt8] { ChainedPACEReader.object(tag, value) }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { String(format: "%02X", $0) }.joined()
    }
}

/// The master file of a card with PACE. It takes every command as it was sent, and checks the form and the order of the data objects.
nonisolated private struct PACECard: VirtualApplication {
    let aid = ""
    let accessNumber: String
    /// The steps that were done.
    private(set) var steps: [Int] = []
    private let nonce: [UInt8] = [0x5A, 0x6B, 0x7C, 0x0D, 0x1E, 0x2F]
    private let ownKey: [UInt8] = [0x04, 7, 7, 7]
    private var readerKey: [UInt8] = []

    init(accessNumber: String) {
        self.accessNumber = accessNumber
    }

    mutating func exchange(_ bytes: [UInt8]) -> [UInt8]? {
        guard let command = VirtualCardCommand(bytes), command.instructionCode == 0x86 else { return nil }
        return authenticate(command).bytes
    }

    mutating func respond(to command: VirtualCardCommand) -> VirtualCardResponse {
        switch (command.instructionCode, command.parameter) {
        case (0xA4, 0x020C): return command.data == [0x01, 0x1C] ? .done : .notFound
        case (0x22, 0xC1A4):
            guard command.data == ChainedPACEReader.mechanism else { return .wrongData }
            steps = [0]
            return .done
        default: return .instructionNotSupported
        }
    }

    private mutating func authenticate(_ command: VirtualCardCommand) -> VirtualCardResponse {
        let step = steps.count
        guard (1...4).contains(step) else { return .conditionsNotSatisfied }
        guard command.isChained == (step < 4), command.expectedLength == 256 else { return .wrongParameters }
        guard let value = Self.value(command.data, tag: [1: nil, 2: 0x81, 3: 0x83, 4: 0x85][step] ?? nil) else {
            return .wrongData
        }
        guard let answer = answer(step, value) else { return .status(0x6300) }
        steps.append(step)
        return VirtualCardResponse(ChainedPACEReader.object(0x7C, answer))
    }

    private mutating func answer(_ step: Int, _ value: [UInt8]) -> [UInt8]? {
        switch step {
        case 1: return ChainedPACEReader.object(0x80, nonce)
        case 2: return ChainedPACEReader.object(0x82, [0x04] + value.dropFirst().map { $0 &+ 1 })
        case 3:
            readerKey = value
            return ChainedPACEReader.object(0x84, ownKey)
        default:
            let mapped = ChainedPACEReader.mapping(nonce, accessNumber).dropFirst().map { $0 &+ 1 }
            guard readerKey == ChainedPACEReader.key([0x04] + mapped),
                value == ChainedPACEReader.token(readerKey, ownKey)
            else { return nil }
            return ChainedPACEReader.object(0x86, ChainedPACEReader.token(ownKey, readerKey))
        }
    }

    /// The value of the only object in a template 7C; empty for an empty template.
    private static func value(_ data: [UInt8], tag: UInt8?) -> [UInt8]? {
        guard data.count >= 2, data[0] == 0x7C, Int(data[1]) == data.count - 2 else { return nil }
        guard let tag else { return data.count == 2 ? [] : nil }
        guard data.count >= 4, data[2] == tag, Int(data[3]) == data.count - 4 else { return nil }
        return Array(data.dropFirst(4))
    }
}
