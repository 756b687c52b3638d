/// A tag with the half-duplex block protocol of ISO/IEC 14443-4. Its ``VirtualTag/exchange(_:)`` takes and answers
/// whole commands, as they come out of the information fields of the blocks; the blocks themselves are not modelled.
public protocol ContactlessCard: VirtualTag {
    /// The historical bytes of its answer to select, 0 to 15.
    var historicalBytes: [UInt8] { get }
}
