import NFCTypes
import Testing

/// The words and numbers below are fixed: they are CoreNFC's, or are part of nfcd's protocol and configuration.
@Suite struct VocabularyTests {
    @Test func `error codes have CoreNFC's numbers, each with its own name and text`() {
        #expect(
            NFCErrorCode.all.map(\.rawValue) == [
                1, 2, 3, 4, 5, 6, 7, 8, 100, 101, 102, 103, 104, 105, 200, 201, 202, 203, 204, 300, 400, 401, 402, 403,
            ])
        #expect(Set(NFCErrorCode.all.map(\.name)).count == NFCErrorCode.all.count)
        #expect(Set(NFCErrorCode.all.map(\.text)).count == NFCErrorCode.all.count)
    }

    @Test func `an unknown error code has its number for a name`() {
        #expect(NFCErrorCode(rawValue: 999).name == "Code999")
        #expect(NFCErrorCode(rawValue: 999).text == "Error 999")
    }

    @Test func `the words of tags, readers, sessions and grants are stable`() {
        #expect(TagType.allCases.map(\.rawValue) == ["iso7816", "miFare", "feliCa", "iso15693", "unknown"])
        #expect(MIFAREFamily.allCases.map(\.rawValue) == ["unknown", "ultralight", "plus", "desfire"])
        #expect(NDEFStatus.allCases.map(\.rawValue) == ["notSupported", "readWrite", "readOnly"])
        #expect(
            LockState.allCases.map(\.rawValue) == [
                "unlocked", "partlyLocked", "locked", "passwordProtected", "unknown",
            ])
        #expect(TagOriginality.allCases.map(\.rawValue) == ["genuine", "notGenuine", "unknown"])
        #expect(
            TagLayout.allCases.map(\.rawValue) == ["type1", "type2", "type3", "type4", "type5", "mifareClassic"])
        #expect(PollingTechnology.allCases.map(\.rawValue) == ["iso14443", "iso15693", "iso18092", "pace"])
        #expect(ReaderStatus.allCases.map(\.rawValue) == ["empty", "present", "inUse", "failed"])
        #expect(SessionKind.allCases.map(\.rawValue) == ["ndef", "tag"])
        #expect(SessionDetection.allCases.map(\.rawValue) == ["messages", "tags"])
        #expect(SessionState.allCases.map(\.rawValue) == ["queued", "active"])
        #expect(BusyPolicy.allCases.map(\.rawValue) == ["fail", "queue"])
        #expect(SessionFormat.allCases.map(\.rawValue) == ["NDEF", "TAG", "PACE"])
        #expect(
            Capability.allCases.map(\.rawValue) == [
                "read", "write", "lock", "format", "raw", "raw-unscreened", "background", "taps", "monitor", "manage",
                "simulate", "personalise", "personalise-permanently",
            ])
    }

    @Test func `a type name format is found by its name`() {
        for format in TypeNameFormat.allCases { #expect(TypeNameFormat(name: format.description) == format) }
        #expect(TypeNameFormat(name: "nfcwellknown") == nil)
    }
}
