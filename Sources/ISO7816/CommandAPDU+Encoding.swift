extension CommandAPDU {
    /// The encoded command: header, Lc and data if there is data, Le if a response is expected (ISO/IEC 7816-4).
    ///
    /// Ne 256 is `00` in the short form and `0100` in the extended one; Ne 65,536 is `0000`.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = [cla, ins, p1, p2]
        bytes.reserveCapacity(data.count + 9)
        switch form {
        case .short: appendShortBody(to: &bytes)
        case .extended: appendExtendedBody(to: &bytes)
        }
        return bytes
    }

    private func appendShortBody(to bytes: inout [UInt8]) {
        if !data.isEmpty {
            bytes.append(UInt8(truncatingIfNeeded: data.count))
            bytes += data
        }
        if let expectedLength { bytes.append(UInt8(truncatingIfNeeded: expectedLength)) }
    }

    private func appendExtendedBody(to bytes: inout [UInt8]) {
        if !data.isEmpty {
            bytes.append(0)
            bytes += bigEndian(data.count)
            bytes += data
        }
        guard let expectedLength else { return }
        // The 00 that announces the extended form stands in front of Lc, or of Le where there is no Lc.
        if data.isEmpty { bytes.append(0) }
        bytes += bigEndian(expectedLength)
    }

    private func bigEndian(_ length: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length)]
    }
}
