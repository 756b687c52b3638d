extension NDEFMessage {
    /// The record that a carrier reference of a handover message names by its identifier; the first of several.
    ///
    /// - Parameter reference: such as ``AlternativeCarrierRecord/carrierDataReference``.
    /// - Returns: nil where no record has that identifier, or where the reference is empty.
    public func record(for reference: [UInt8]) -> NDEFRecord? {
        reference.isEmpty ? nil : records.first { $0.identifier == reference }
    }
}
