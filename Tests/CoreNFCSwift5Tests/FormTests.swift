import CoreNFC
import Testing

/// Every Result and async form over a tag that has completion handlers alone.
@Suite struct FormTests {
    @Test func `forms of all tags`() async throws {
        try await check(NDEFForms.all, OldTag.init)
        try await check(ISO7816Forms.all, OldSmartCard.init)
        try await check(MiFareForms.all, OldMiFareTag.init)
        try await check(FeliCaForms.all, OldFeliCaTag.init)
        try await check(VicinityForms<OldVicinityTag>.iOS13, OldVicinityTag.init)
        try await check(VicinityForms<NewVicinityTag>.iOS13 + VicinityForms<NewVicinityTag>.iOS14, NewVicinityTag.init)
    }

    @Test func `commands newer than the tag fail with error 1`() async {
        for form in VicinityForms<OldVicinityTag>.iOS14 where !form.call.hasPrefix("2B") {
            await #expect(throws: NFCReaderError.self, "\(form.call)") { try await form.run(OldVicinityTag()) }
        }
    }

    @Test func `without the newer method the UID of the system information is the tag's, least byte first`()
        async throws
    {
        let info = try await OldVicinityTag().systemInfo(requestFlags: .highDataRate)
        #expect(info.uniqueIdentifier == Data([8, 7, 6, 5, 4, 3, 4, 0xE0]))
        #expect(info.totalBlocks == 4)
    }

    @Test func `a tag without a message gives error 403`() async {
        let tag = OldTag()
        tag.message = nil
        await #expect(throws: NFCReaderError.self) { try await tag.readNDEF() }
    }

    @Test func `a smart card of an old test double has no PACE`() {
        #expect(!OldSmartCard().supportsPACE)
    }

    @Test func `NFCTag asks the tag within`() {
        let tag = OldMiFareTag()
        #expect(NFCTag.miFare(tag).isAvailable)
        tag.failure = NFCReaderError(.readerErrorRadioDisabled)
        #expect(!NFCTag.miFare(tag).isAvailable)
        #expect(NFCTag.iso7816(OldSmartCard()).isAvailable)
        #expect(NFCTag.feliCa(OldFeliCaTag()).isAvailable)
        #expect(NFCTag.iso15693(OldVicinityTag()).isAvailable)
        #expect(tag.asNFCMiFareTag() != nil && tag.asNFCISO7816Tag() == nil)
    }

    /// Runs each form twice: with an answer, and with an error.
    private func check<Tag: OldTag>(_ forms: [Form<Tag>], _ make: () -> Tag) async throws {
        #expect(!forms.isEmpty)
        for form in forms {
            let tag = make()
            let answer = try await form.run(tag)
            #expect("\(answer)" == form.answer, "\(form.call)")
            #expect(tag.calls == [form.call])
            tag.failure = NFCReaderError(.readerTransceiveErrorTagConnectionLost)
            await #expect(throws: NFCReaderError(.readerTransceiveErrorTagConnectionLost), "\(form.call)") {
                try await form.run(tag)
            }
        }
    }
}
