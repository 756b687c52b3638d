import CoreNFC

/// Reads a temperature logger of ISO/IEC 15693, whose maker has two custom commands: A1 gives the number of samples, B3 four
/// of them.
nonisolated struct TemperatureLogger {
    struct Log: Equatable {
        let serialNumber: [UInt8]
        /// In degrees Celsius.
        let samples: [Double]
    }

    /// Reads the log of the logger in the field.
    func read() async throws -> Log {
        let found = try await TagFinder().find(NFCTagReaderSession.Configuration(pollingOption: .iso15693))
        defer { found.session.invalidate() }
        guard case .iso15693(let tag) = found.tag else { throw NFCReaderError(.readerErrorUnsupportedFeature) }
        let status = try await tag.customCommand(
            requestFlags: [.highDataRate], customCommandCode: 0xA1, customRequestParameters: Data())
        guard status.count == 2 else { throw NFCReaderError(.readerTransceiveErrorTagResponseError) }
        let count = Int(status[0]) << 8 | Int(status[1])
        var samples: [Double] = []
        while samples.count < count {
            let answer = try await Self.samples(from: samples.count, of: tag)
            guard !answer.isEmpty else { throw NFCReaderError(.readerTransceiveErrorTagResponseError) }
            samples += answer
        }
        return Log(serialNumber: Array(tag.icSerialNumber), samples: samples)
    }

    /// B3: four samples at most, each of two bytes, in tenths of a degree.
    private static func samples(from index: Int, of tag: any NFCISO15693Tag) async throws -> [Double] {
        let parameters = [UInt8(tag.icManufacturerCode), UInt8(index >> 8), UInt8(index & 0xFF)]
        let (flags, data) = try await tag.sendRequest(requestFlags: 0x02, commandCode: 0xB3, data: Data(parameters))
        let bytes = Array(data ?? Data())
        guard !flags.contains(.error), bytes.count.isMultiple(of: 2) else {
            throw NFCReaderError(.readerTransceiveErrorTagResponseError)
        }
        return stride(from: 0, to: bytes.count, by: 2).map { place in
            Double(Int16(truncatingIfNeeded: Int(bytes[place]) << 8 | Int(bytes[place + 1]))) / 10
        }
    }
}
