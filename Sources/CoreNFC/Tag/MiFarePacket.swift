import NFCClient
import NFCProtocol

/// A packet that a program sends to a MIFARE Plus or DESFire card with `sendMiFareCommand`.
///
/// Apple documents the method as one that supports command chaining and passes the full response, composed of its fragments
/// (developer.apple.com, `NFCMiFareTag.sendMiFareCommand(commandPacket:completionHandler:)`, and the header `NFCMiFareTag.h`). It
/// does not say what the fragments are. Here they are the frames that a DESFire card announces with AF: they are fetched and joined
/// behind the last status. A program that fetches them by itself sees an answer that is complete at once.
struct MiFarePacket {
    /// The most frames for one answer: 64 KiB in the smallest ones that there are.
    private static let frameLimit = 2_048
    private static let additionalFrame: UInt8 = 0xAF
    /// The commands that only read, and whose answers may have several frames: GetVersion, GetISOFileIDs, GetApplicationIDs,
    /// GetDFNames, GetFileIDs, ReadData and ReadRecords. To any other, such as an authentication or a write, AF asks for more data.
    private static let readingCommands: Set<UInt8> = [0x60, 0x61, 0x6A, 0x6D, 0x6F, 0xAB, 0xAD, 0xBB, 0xBD]

    private let bytes: [UInt8]

    init(_ bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    /// Sends the packet, and fetches the rest of its answer.
    ///
    /// - Returns: the status byte and the data; of a command APDU the data, SW1 and SW2.
    func send(to tag: RemoteTag) async throws -> [UInt8] {
        if isCommandAPDU {
            let response = try await tag.miFare.sendISO7816Command(bytes)
            return response.data.bytes + [response.sw1, response.sw2]
        }
        let answer = try await tag.miFare.sendCommand(bytes)
        return isRead ? try await complete(answer, from: tag) : answer
    }

    /// Whether the packet is a command APDU: no native command has a code that equals one of these class bytes. A card takes both
    /// over ISO/IEC 14443-4, and programs send wrapped commands in this way, too.
    private var isCommandAPDU: Bool {
        bytes.count >= 4 && (bytes.first == 0x00 || bytes.first == 0x90)
    }

    private var isRead: Bool {
        bytes == [Self.additionalFrame] || bytes.first.map(Self.readingCommands.contains) ?? false
    }

    private func complete(_ first: [UInt8], from tag: RemoteTag) async throws -> [UInt8] {
        var answer = first
        var data = Array(first.dropFirst())
        var frames = 1
        while answer.first == Self.additionalFrame {
            guard frames < Self.frameLimit else {
                throw NFCReaderError(
                    .readerTransceiveErrorTagResponseError,
                    reason: "the answer of the card does not end; restart polling")
            }
            answer = try await tag.miFare.sendCommand([Self.additionalFrame])
            data += answer.dropFirst()
            frames += 1
        }
        return answer.prefix(1) + data
    }
}
