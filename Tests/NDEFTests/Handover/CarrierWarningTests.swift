import Testing

@testable import NDEF

@Suite("Warnings of handover and Bluetooth records")
struct CarrierWarningTests {
    @Test(arguments: [
        NDEFWarning.Code.handoverLocalIdentifier, .handoverMisplacedRecord, .handoverCarrierMissing,
        .alternativeCarrierReservedBits, .alternativeCarrierReferenceEmpty, .collisionResolutionTrailingData,
        .handoverErrorTrailingData, .handoverCarrierReservedBits, .handoverCarrierTypeFormat, .bluetoothDataPadding,
        .bluetoothDataAfterEnd, .bluetoothDataMalformed, .bluetoothDataRepeated, .bluetoothLEAddressMissing,
        .bluetoothLERoleMissing,
    ])
    func `every warning has a sentence`(_ code: NDEFWarning.Code) {
        #expect(code.sentence.contains(" "))
    }
}
