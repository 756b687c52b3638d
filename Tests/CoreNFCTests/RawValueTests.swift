import CoreNFC
import Testing

/// A name of the API, what it evaluates to, and what it must be.
struct ValueRow: Sendable {
    let name: String
    let value: Int
    let expected: Int

    init(_ name: String, _ value: some BinaryInteger, _ expected: Int) {
        (self.name, self.value, self.expected) = (name, Int(value), expected)
    }
}

@Suite struct RawValueTests {
    @Test(arguments: ValueRow.tags + ValueRow.feliCa + ValueRow.iso15693 + ValueRow.messages + ValueRow.passes)
    func `every value of the API is what it is on an iPhone`(row: ValueRow) {
        #expect(row.value == row.expected, "\(row.name)")
    }

    @Test func `numbers without a name give nil`() {
        #expect(NFCFeliCaEncryptionId(rawValue: 0x40) == nil)
        #expect(NFCVASResponse.ErrorCode(rawValue: 0x9001) == nil)
        #expect(NFCTypeNameFormat(rawValue: 7) == nil)
        #expect(NFCMiFareFamily(rawValue: 0) == nil)
        #expect(NFCNDEFStatus(rawValue: 0) == nil)
    }
}

extension ValueRow {
    static let tags = [
        ValueRow("NFCTagReaderSession.PollingOption.iso14443", NFCTagReaderSession.PollingOption.iso14443.rawValue, 1),
        ValueRow("NFCTagReaderSession.PollingOption.iso15693", NFCTagReaderSession.PollingOption.iso15693.rawValue, 2),
        ValueRow("NFCTagReaderSession.PollingOption.iso18092", NFCTagReaderSession.PollingOption.iso18092.rawValue, 4),
        ValueRow("NFCTagReaderSession.PollingOption.pace", NFCTagReaderSession.PollingOption.pace.rawValue, 8),
        ValueRow("__NFCTagType.ISO15693", __NFCTagType.ISO15693.rawValue, 1),
        ValueRow("__NFCTagType.feliCa", __NFCTagType.feliCa.rawValue, 2),
        ValueRow("__NFCTagType.iso7816Compatible", __NFCTagType.iso7816Compatible.rawValue, 3),
        ValueRow("__NFCTagType.miFare", __NFCTagType.miFare.rawValue, 4),
        ValueRow("NFCMiFareFamily.unknown", NFCMiFareFamily.unknown.rawValue, 1),
        ValueRow("NFCMiFareFamily.ultralight", NFCMiFareFamily.ultralight.rawValue, 2),
        ValueRow("NFCMiFareFamily.plus", NFCMiFareFamily.plus.rawValue, 3),
        ValueRow("NFCMiFareFamily.desfire", NFCMiFareFamily.desfire.rawValue, 4),
    ]

    static let feliCa = [
        ValueRow("NFCFeliCaPollingRequestCode.noRequest", NFCFeliCaPollingRequestCode.noRequest.rawValue, 0),
        ValueRow(
            "PollingRequestCode.PollingRequestCodeNoRequest", PollingRequestCode.PollingRequestCodeNoRequest.rawValue, 0
        ),
        ValueRow("NFCFeliCaPollingRequestCode.systemCode", NFCFeliCaPollingRequestCode.systemCode.rawValue, 1),
        ValueRow(
            "PollingRequestCode.PollingRequestCodeSystemCode", PollingRequestCode.PollingRequestCodeSystemCode.rawValue,
            1),
        ValueRow(
            "NFCFeliCaPollingRequestCode.communicationPerformance",
            NFCFeliCaPollingRequestCode.communicationPerformance.rawValue, 2),
        ValueRow(
            "PollingRequestCode.PollingRequestCodeCommunicationPerformance",
            PollingRequestCode.PollingRequestCodeCommunicationPerformance.rawValue, 2),
        ValueRow("NFCFeliCaPollingTimeSlot.max1", NFCFeliCaPollingTimeSlot.max1.rawValue, 0),
        ValueRow("PollingTimeSlot.PollingTimeSlotMax1", PollingTimeSlot.PollingTimeSlotMax1.rawValue, 0),
        ValueRow("NFCFeliCaPollingTimeSlot.max2", NFCFeliCaPollingTimeSlot.max2.rawValue, 1),
        ValueRow("PollingTimeSlot.PollingTimeSlotMax2", PollingTimeSlot.PollingTimeSlotMax2.rawValue, 1),
        ValueRow("NFCFeliCaPollingTimeSlot.max4", NFCFeliCaPollingTimeSlot.max4.rawValue, 3),
        ValueRow("PollingTimeSlot.PollingTimeSlotMax4", PollingTimeSlot.PollingTimeSlotMax4.rawValue, 3),
        ValueRow("NFCFeliCaPollingTimeSlot.max8", NFCFeliCaPollingTimeSlot.max8.rawValue, 7),
        ValueRow("PollingTimeSlot.PollingTimeSlotMax8", PollingTimeSlot.PollingTimeSlotMax8.rawValue, 7),
        ValueRow("NFCFeliCaPollingTimeSlot.max16", NFCFeliCaPollingTimeSlot.max16.rawValue, 15),
        ValueRow("PollingTimeSlot.PollingTimeSlotMax16", PollingTimeSlot.PollingTimeSlotMax16.rawValue, 15),
        ValueRow("NFCFeliCaEncryptionId.AES", NFCFeliCaEncryptionId.AES.rawValue, 0x4F),
        ValueRow("NFCFeliCaEncryptionId.AES_DES", NFCFeliCaEncryptionId.AES_DES.rawValue, 0x41),
        ValueRow("EncryptionId.aes", EncryptionId.aes.rawValue, 0x4F),
        ValueRow("EncryptionId.aes_des", EncryptionId.aes_des.rawValue, 0x41),
    ]

    static let iso15693 = [
        ValueRow("NFCISO15693RequestFlag.dualSubCarriers", NFCISO15693RequestFlag.dualSubCarriers.rawValue, 1),
        ValueRow("RequestFlag.RequestFlagDualSubCarriers", RequestFlag.RequestFlagDualSubCarriers.rawValue, 1),
        ValueRow("NFCISO15693RequestFlag.highDataRate", NFCISO15693RequestFlag.highDataRate.rawValue, 2),
        ValueRow("RequestFlag.RequestFlagHighDataRate", RequestFlag.RequestFlagHighDataRate.rawValue, 2),
        ValueRow("NFCISO15693RequestFlag.protocolExtension", NFCISO15693RequestFlag.protocolExtension.rawValue, 8),
        ValueRow("RequestFlag.RequestFlagProtocolExtension", RequestFlag.RequestFlagProtocolExtension.rawValue, 8),
        ValueRow("NFCISO15693RequestFlag.select", NFCISO15693RequestFlag.select.rawValue, 0x10),
        ValueRow("RequestFlag.RequestFlagSelect", RequestFlag.RequestFlagSelect.rawValue, 0x10),
        ValueRow("NFCISO15693RequestFlag.address", NFCISO15693RequestFlag.address.rawValue, 0x20),
        ValueRow("RequestFlag.RequestFlagAddress", RequestFlag.RequestFlagAddress.rawValue, 0x20),
        ValueRow("NFCISO15693RequestFlag.option", NFCISO15693RequestFlag.option.rawValue, 0x40),
        ValueRow("RequestFlag.RequestFlagOption", RequestFlag.RequestFlagOption.rawValue, 0x40),
        ValueRow(
            "NFCISO15693RequestFlag.commandSpecificBit8", NFCISO15693RequestFlag.commandSpecificBit8.rawValue, 0x80),
        ValueRow("NFCISO15693ResponseFlag.error", NFCISO15693ResponseFlag.error.rawValue, 1),
        ValueRow(
            "NFCISO15693ResponseFlag.responseBufferValid", NFCISO15693ResponseFlag.responseBufferValid.rawValue, 2),
        ValueRow("NFCISO15693ResponseFlag.finalResponse", NFCISO15693ResponseFlag.finalResponse.rawValue, 4),
        ValueRow("NFCISO15693ResponseFlag.protocolExtension", NFCISO15693ResponseFlag.protocolExtension.rawValue, 8),
        ValueRow(
            "NFCISO15693ResponseFlag.blockSecurityStatusBit5", NFCISO15693ResponseFlag.blockSecurityStatusBit5.rawValue,
            0x10),
        ValueRow(
            "NFCISO15693ResponseFlag.blockSecurityStatusBit6", NFCISO15693ResponseFlag.blockSecurityStatusBit6.rawValue,
            0x20),
        ValueRow("NFCISO15693ResponseFlag.waitTimeExtension", NFCISO15693ResponseFlag.waitTimeExtension.rawValue, 0x40),
    ]

    static let messages = [
        ValueRow("NFCTypeNameFormat.empty", NFCTypeNameFormat.empty.rawValue, 0),
        ValueRow("NFCTypeNameFormat.nfcWellKnown", NFCTypeNameFormat.nfcWellKnown.rawValue, 1),
        ValueRow("NFCTypeNameFormat.media", NFCTypeNameFormat.media.rawValue, 2),
        ValueRow("NFCTypeNameFormat.absoluteURI", NFCTypeNameFormat.absoluteURI.rawValue, 3),
        ValueRow("NFCTypeNameFormat.nfcExternal", NFCTypeNameFormat.nfcExternal.rawValue, 4),
        ValueRow("NFCTypeNameFormat.unknown", NFCTypeNameFormat.unknown.rawValue, 5),
        ValueRow("NFCTypeNameFormat.unchanged", NFCTypeNameFormat.unchanged.rawValue, 6),
        ValueRow("NFCNDEFStatus.notSupported", NFCNDEFStatus.notSupported.rawValue, 1),
        ValueRow("NFCNDEFStatus.readWrite", NFCNDEFStatus.readWrite.rawValue, 2),
        ValueRow("NFCNDEFStatus.readOnly", NFCNDEFStatus.readOnly.rawValue, 3),
    ]

    static let passes = [
        ValueRow("NFCVASCommandConfiguration.Mode.urlOnly", NFCVASCommandConfiguration.Mode.urlOnly.rawValue, 0),
        ValueRow("NFCVASCommandConfiguration.Mode.normal", NFCVASCommandConfiguration.Mode.normal.rawValue, 1),
        ValueRow("VASMode.VASModeURLOnly", VASMode.VASModeURLOnly.rawValue, 0),
        ValueRow("VASMode.VASModeNormal", VASMode.VASModeNormal.rawValue, 1),
        ValueRow("NFCVASResponse.ErrorCode.success", NFCVASResponse.ErrorCode.success.rawValue, 0x9000),
        ValueRow("VASErrorCode.VASErrorCodeSuccess", VASErrorCode.VASErrorCodeSuccess.rawValue, 0x9000),
        ValueRow("NFCVASResponse.ErrorCode.dataNotFound", NFCVASResponse.ErrorCode.dataNotFound.rawValue, 0x6A83),
        ValueRow("VASErrorCode.VASErrorCodeDataNotFound", VASErrorCode.VASErrorCodeDataNotFound.rawValue, 0x6A83),
        ValueRow(
            "NFCVASResponse.ErrorCode.dataNotActivated", NFCVASResponse.ErrorCode.dataNotActivated.rawValue, 0x6287),
        ValueRow(
            "VASErrorCode.VASErrorCodeDataNotActivated", VASErrorCode.VASErrorCodeDataNotActivated.rawValue, 0x6287),
        ValueRow("NFCVASResponse.ErrorCode.wrongParameters", NFCVASResponse.ErrorCode.wrongParameters.rawValue, 0x6B00),
        ValueRow("VASErrorCode.VASErrorCodeWrongParameters", VASErrorCode.VASErrorCodeWrongParameters.rawValue, 0x6B00),
        ValueRow("NFCVASResponse.ErrorCode.wrongLCField", NFCVASResponse.ErrorCode.wrongLCField.rawValue, 0x6700),
        ValueRow("VASErrorCode.VASErrorCodeWrongLCField", VASErrorCode.VASErrorCodeWrongLCField.rawValue, 0x6700),
        ValueRow(
            "NFCVASResponse.ErrorCode.userIntervention", NFCVASResponse.ErrorCode.userIntervention.rawValue, 0x6984),
        ValueRow(
            "VASErrorCode.VASErrorCodeUserIntervention", VASErrorCode.VASErrorCodeUserIntervention.rawValue, 0x6984),
        ValueRow("NFCVASResponse.ErrorCode.incorrectData", NFCVASResponse.ErrorCode.incorrectData.rawValue, 0x6A80),
        ValueRow("VASErrorCode.VASErrorCodeIncorrectData", VASErrorCode.VASErrorCodeIncorrectData.rawValue, 0x6A80),
        ValueRow(
            "NFCVASResponse.ErrorCode.unsupportedApplicationVersion",
            NFCVASResponse.ErrorCode.unsupportedApplicationVersion.rawValue, 0x6340),
        ValueRow(
            "VASErrorCode.VASErrorCodeUnsupportedApplicationVersion",
            VASErrorCode.VASErrorCodeUnsupportedApplicationVersion.rawValue, 0x6340),
    ]
}
