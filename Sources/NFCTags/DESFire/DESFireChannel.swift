import ISO7816

/// Sends DESFire's native commands wrapped into ISO/IEC 7816-4 ones: `90 ins 00 00 Lc data 00`, answered by data and
/// `91 status` (MIFARE DESFire data sheets, wrapping of native APDUs). NTAG 413 and 424 DNA and DESFire Light take them
/// too.
public struct DESFireChannel: Sendable {
    /// The most command data in one frame, in bytes.
    public static let frameSize = 55
    /// The most answer data that is put together, in bytes.
    public static let responseLimit = 65_536
    /// The most frames for one answer.
    public static let frameLimit = 2_048

    private let channel: any CardChannel

    /// A card behind a channel.
    public init(channel: some CardChannel) { self.channel = channel }

    /// Sends a command in as many frames as its data needs and puts the frames of the answer together.
    ///
    /// - Returns: the whole answer. Its status is never ``DESFireStatus/additionalFrame``, and any other is a response.
    /// - Throws: ``TagError`` 102 for an answer that is no wrapped one or does not end, others when there is none.
    public func send(_ instruction: UInt8, _ data: [UInt8] = []) async throws(TagError) -> DESFireResponse {
        var response = try await exchange(instruction, Array(data.prefix(Self.frameSize)))
        var rest = data.dropFirst(Self.frameSize)
        while response.status == .additionalFrame, !rest.isEmpty {
            response = try await exchange(DESFireStatus.additionalFrame.rawValue, Array(rest.prefix(Self.frameSize)))
            rest = rest.dropFirst(Self.frameSize)
        }
        guard rest.isEmpty || response.status != .operationOK else {
            throw TagError(
                .tagResponseError, "the card took only a part of native command \(Hexadecimal.string(instruction))")
        }
        return try await complete(response)
    }

    /// Sends one frame; ``DESFireStatus/additionalFrame`` comes back as it is, for procedures such as authentication.
    ///
    /// - Throws: as ``send(_:_:)``, and 105 for more than 255 bytes.
    public func exchange(_ instruction: UInt8, _ data: [UInt8] = []) async throws(TagError) -> DESFireResponse {
        let stack = ISO7816Stack(channel: channel)
        let response = try await stack.send(0x90, instruction, 0x00, 0x00, data: data, expectedLength: 256)
        guard response.statusWord.sw1 == 0x91 else {
            throw TagError(
                .tagResponseError,
                "native command \(Hexadecimal.string(instruction)) not understood: \(response.statusWord)",
                response: response)
        }
        return DESFireResponse(status: DESFireStatus(rawValue: response.statusWord.sw2), data: response.data)
    }

    private func complete(_ first: DESFireResponse) async throws(TagError) -> DESFireResponse {
        var response = first
        var data = first.data
        var frames = 1
        while response.status == .additionalFrame {
            guard frames < Self.frameLimit, data.count <= Self.responseLimit else {
                throw TagError(.tagResponseError, "the answer of the card does not end")
            }
            frames += 1
            response = try await exchange(DESFireStatus.additionalFrame.rawValue)
            data += response.data
        }
        return DESFireResponse(status: response.status, data: data)
    }
}

/// The answer to a native command.
public struct DESFireResponse: Sendable, Hashable {
    /// The status byte.
    public let status: DESFireStatus
    /// The data in front of it.
    public let data: [UInt8]

    /// Makes an answer.
    public init(status: DESFireStatus, data: [UInt8]) {
        self.status = status
        self.data = data
    }
}
