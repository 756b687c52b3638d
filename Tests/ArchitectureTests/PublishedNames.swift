/// The public names of Apple's module, as they are published for SDK 27: by Apple's documentation of Core NFC, and by the index of the
/// SDK's Swift interface, which counts 62 types (onestack.dev/ios-reference/CoreNFC). It counts 272 callable entries as well; those are
/// neither cases nor requirements of protocols, but overloads and generated initializers. Here every name appears once.
enum PublishedNames {
    /// The types that are about reading, with their members.
    static let reading = types(
        """
        NFCReaderError: _nsError init(_nsError:) errorDomain init(_:userInfo:) readerErrorUnsupportedFeature
            readerErrorSecurityViolation readerErrorInvalidParameter readerErrorInvalidParameterLength
            readerErrorParameterOutOfBound readerErrorRadioDisabled readerErrorIneligible readerErrorAccessNotAccepted
            readerTransceiveErrorTagConnectionLost readerTransceiveErrorRetryExceeded
            readerTransceiveErrorTagResponseError readerTransceiveErrorSessionInvalidated
            readerTransceiveErrorTagNotConnected readerTransceiveErrorPacketTooLong
            readerSessionInvalidationErrorUserCanceled readerSessionInvalidationErrorSessionTimeout
            readerSessionInvalidationErrorSessionTerminatedUnexpectedly readerSessionInvalidationErrorSystemIsBusy
            readerSessionInvalidationErrorFirstNDEFTagRead tagCommandConfigurationErrorInvalidParameters
            ndefReaderSessionErrorTagNotWritable ndefReaderSessionErrorTagUpdateFailure
            ndefReaderSessionErrorTagSizeTooSmall ndefReaderSessionErrorZeroLengthMessage
            paymentTagReaderSessionErrorLocationAuthorizationDenied
            paymentTagReaderSessionErrorLocationServiceRestricted
            paymentTagReaderSessionErrorOnDeviceLocationUnavailable
        NFCReaderError.Code: readerErrorUnsupportedFeature readerErrorSecurityViolation readerErrorInvalidParameter
            readerErrorInvalidParameterLength readerErrorParameterOutOfBound readerErrorRadioDisabled
            readerErrorIneligible readerErrorAccessNotAccepted readerTransceiveErrorTagConnectionLost
            readerTransceiveErrorRetryExceeded readerTransceiveErrorTagResponseError
            readerTransceiveErrorSessionInvalidated readerTransceiveErrorTagNotConnected
            readerTransceiveErrorPacketTooLong readerSessionInvalidationErrorUserCanceled
            readerSessionInvalidationErrorSessionTimeout readerSessionInvalidationErrorSessionTerminatedUnexpectedly
            readerSessionInvalidationErrorSystemIsBusy readerSessionInvalidationErrorFirstNDEFTagRead
            tagCommandConfigurationErrorInvalidParameters ndefReaderSessionErrorTagNotWritable
            ndefReaderSessionErrorTagUpdateFailure ndefReaderSessionErrorTagSizeTooSmall
            ndefReaderSessionErrorZeroLengthMessage paymentTagReaderSessionErrorLocationAuthorizationDenied
            paymentTagReaderSessionErrorLocationServiceRestricted
            paymentTagReaderSessionErrorOnDeviceLocationUnavailable
        NFCReaderSessionProtocol: isReady alertMessage begin() invalidate() invalidate(errorMessage:)
        NFCReaderSession: delegate readingAvailable sessionQueue isReady alertMessage begin() invalidate()
            invalidate(errorMessage:)
        NFCTagReaderSession: init(pollingOption:delegate:queue:) init(configuration:delegate:queue:) connectedTag
            restartPolling() restartPolling(configuration:) connect(to:completionHandler:) connect(to:) __connectedTag
            __connect(to:completionHandler:) __connect(to:) restartPolling(with:)
        NFCTagReaderSession.PollingOption: init(rawValue:) rawValue iso14443 iso15693 iso18092 pace
        NFCTagReaderSession.Configuration: pollingOption iso7816SelectIdentifiers feliCaSystemCodes
            init(pollingOption:iso7816SelectIdentifiers:feliCaSystemCodes:)
        NFCTagReaderSessionDelegate: tagReaderSessionDidBecomeActive(_:) tagReaderSession(_:didInvalidateWithError:)
            tagReaderSession(_:didDetect:)
        NFCTagReaderSessionConfiguration: polling iso7816SelectIdentifiers felicaSystemCodes
            init(pollingOption:iso7816SelectIdentifiers:felicaSystemCodes:)
        NFCNDEFReaderSession: init(delegate:queue:invalidateAfterFirstRead:) restartPolling()
            connect(to:completionHandler:) connect(to:)
        NFCNDEFReaderSessionDelegate: readerSession(_:didInvalidateWithError:) readerSession(_:didDetectNDEFs:)
            readerSession(_:didDetect:) readerSessionDidBecomeActive(_:)
        NFCVASReaderSession: init(vasCommandConfigurations:delegate:queue:)
        NFCVASReaderSessionDelegate: readerSessionDidBecomeActive(_:) readerSession(_:didInvalidateWithError:)
            readerSession(_:didReceive:)
        NFCVASCommandConfiguration: mode passTypeIdentifier url init(vasMode:passTypeIdentifier:url:) copy(with:)
        NFCVASCommandConfiguration.Mode: urlOnly normal VASModeURLOnly VASModeNormal
        NFCVASResponse: status vasData mobileToken copy(with:)
        NFCVASResponse.ErrorCode: success dataNotFound dataNotActivated wrongParameters wrongLCField userIntervention
            incorrectData unsupportedApplicationVersion VASErrorCodeSuccess VASErrorCodeDataNotFound
            VASErrorCodeDataNotActivated VASErrorCodeWrongParameters VASErrorCodeWrongLCField
            VASErrorCodeUserIntervention VASErrorCodeIncorrectData VASErrorCodeUnsupportedApplicationVersion
        NFCPaymentTagReaderSession: init(delegate:queue:)
        NFCTag: feliCa iso7816 iso15693 miFare isAvailable
        NFCTagCommandConfiguration: maximumRetries retryInterval copy(with:)
        NFCNDEFStatus: notSupported readWrite readOnly
        NFCNDEFTag: isAvailable queryNDEFStatus(completionHandler:) readNDEF(completionHandler:)
            writeNDEF(_:completionHandler:) writeLock(completionHandler:) queryNDEFStatus() readNDEF() writeNDEF(_:)
            writeLock()
        NFCISO7816APDU: instructionClass instructionCode p1Parameter p2Parameter data expectedResponseLength
            init(instructionClass:instructionCode:p1Parameter:p2Parameter:data:expectedResponseLength:) init(data:)
            copy(with:)
        NFCISO7816ResponseAPDU: statusWord1 statusWord2 payload init(statusWord1:statusWord2:paylaod:)
        NFCISO7816Tag: initialSelectedAID identifier historicalBytes applicationData proprietaryApplicationDataCoding
            supportsPACE sendCommand(apdu:completionHandler:) sendCommand(apdu:resultHandler:) sendCommand(apdu:)
        NFCMiFareFamily: unknown ultralight plus desfire
        NFCMiFareTag: mifareFamily identifier historicalBytes sendMiFareCommand(commandPacket:completionHandler:)
            sendMiFareISO7816Command(_:completionHandler:) sendMiFareCommand(commandPacket:resultHandler:)
            sendMiFareISO7816Command(_:resultHandler:) sendMiFareCommand(commandPacket:) sendMiFareISO7816Command(_:)
        NFCFeliCaPollingRequestCode: noRequest systemCode communicationPerformance PollingRequestCodeNoRequest
            PollingRequestCodeSystemCode PollingRequestCodeCommunicationPerformance
        NFCFeliCaPollingTimeSlot: max1 max2 max4 max8 max16 PollingTimeSlotMax1 PollingTimeSlotMax2 PollingTimeSlotMax4
            PollingTimeSlotMax8 PollingTimeSlotMax16
        NFCFeliCaEncryptionId: AES AES_DES aes aes_des
        NFCFeliCaTag: currentSystemCode currentIDm polling(systemCode:requestCode:timeSlot:completionHandler:)
            requestService(nodeCodeList:completionHandler:) requestResponse(completionHandler:)
            readWithoutEncryption(serviceCodeList:blockList:completionHandler:)
            writeWithoutEncryption(serviceCodeList:blockList:blockData:completionHandler:)
            requestSystemCode(completionHandler:) requestServiceV2(nodeCodeList:completionHandler:)
            requestSpecificationVersion(completionHandler:) resetMode(completionHandler:)
            sendFeliCaCommand(commandPacket:completionHandler:) polling(systemCode:requestCode:timeSlot:resultHandler:)
            requestService(nodeCodeList:resultHandler:) requestResponse(resultHandler:)
            readWithoutEncryption(serviceCodeList:blockList:resultHandler:)
            writeWithoutEncryption(serviceCodeList:blockList:blockData:resultHandler:) requestSystemCode(resultHandler:)
            requestServiceV2(nodeCodeList:resultHandler:) requestSpecificationVersion(resultHandler:)
            resetMode(resultHandler:) sendFeliCaCommand(commandPacket:resultHandler:)
            polling(systemCode:requestCode:timeSlot:) requestService(nodeCodeList:) requestResponse()
            readWithoutEncryption(serviceCodeList:blockList:)
            writeWithoutEncryption(serviceCodeList:blockList:blockData:) requestSystemCode()
            requestServiceV2(nodeCodeList:) requestSpecificationVersion() resetMode() sendFeliCaCommand(commandPacket:)
        NFCFeliCaPollingResponse: manufactureParameter requestData init(manufactureParameter:requestData:)
        NFCFeliCaStatusFlag: statusFlag1 statusFlag2 init(statusFlag1:statusFlag2:)
        NFCFeliCaRequsetServiceV2Response: statusFlag1 statusFlag2 encryptionIdentifier nodeKeyVersionListAES
            nodeKeyVersionListDES
            init(statusFlag1:statusFlag2:encryptionIdentifier:nodeKeyVersionListAES:nodeKeyVersionListDES:)
        NFCFeliCaRequestSpecificationVersionResponse: statusFlag1 statusFlag2 basicVersion optionVersion
            init(statusFlag1:statusFlag2:basicVersion:optionVersion:)
        NFCISO15693RequestFlag: init(rawValue:) rawValue dualSubCarriers highDataRate protocolExtension select address
            option commandSpecificBit8 RequestFlagDualSubCarriers RequestFlagHighDataRate RequestFlagProtocolExtension
            RequestFlagSelect RequestFlagAddress RequestFlagOption
        NFCISO15693ResponseFlag: init(rawValue:) rawValue error responseBufferValid finalResponse protocolExtension
            blockSecurityStatusBit5 blockSecurityStatusBit6 waitTimeExtension
        NFCISO15693SystemInfo: uniqueIdentifier dataStorageFormatIdentifier applicationFamilyIdentifier blockSize
            totalBlocks icReference
            init(uniqueIdentifier:dataStorageFormatIdentifier:applicationFamilyIdentifier:blockSize:totalBlocks:icReference:)
        NFCISO15693MultipleBlockSecurityStatus: blockSecurityStatus init(blockSecurityStatus:)
        NFCISO15693CustomCommandConfiguration: manufacturerCode customCommandCode requestParameters
            init(manufacturerCode:customCommandCode:requestParameters:)
            init(manufacturerCode:customCommandCode:requestParameters:maximumRetries:retryInterval:)
        NFCISO15693ReadMultipleBlocksConfiguration: range chunkSize init(range:chunkSize:)
            init(range:chunkSize:maximumRetries:retryInterval:)
        NFCISO15693Tag: identifier icManufacturerCode icSerialNumber
            sendCustomCommand(commandConfiguration:completionHandler:)
            readMultipleBlock(readConfiguration:completionHandler:) stayQuiet(completionHandler:)
            readSingleBlock(requestFlags:blockNumber:completionHandler:)
            writeSingleBlock(requestFlags:blockNumber:dataBlock:completionHandler:)
            lockBlock(requestFlags:blockNumber:completionHandler:)
            readMultipleBlocks(requestFlags:blockRange:completionHandler:)
            writeMultipleBlocks(requestFlags:blockRange:dataBlocks:completionHandler:)
            select(requestFlags:completionHandler:) resetToReady(requestFlags:completionHandler:)
            writeAFI(requestFlags:afi:completionHandler:) lockAFI(requestFlags:completionHandler:)
            writeDSFID(requestFlags:dsfid:completionHandler:) lockDFSID(requestFlags:completionHandler:)
            lockDSFID(requestFlags:completionHandler:) getSystemInfo(requestFlags:completionHandler:)
            getMultipleBlockSecurityStatus(requestFlags:blockRange:completionHandler:)
            customCommand(requestFlags:customCommandCode:customRequestParameters:completionHandler:)
            extendedReadSingleBlock(requestFlags:blockNumber:completionHandler:)
            extendedWriteSingleBlock(requestFlags:blockNumber:dataBlock:completionHandler:)
            extendedLockBlock(requestFlags:blockNumber:completionHandler:)
            extendedReadMultipleBlocks(requestFlags:blockRange:completionHandler:)
            __getSystemInfoAndUID(with:completionHandler:) __fastReadMultipleBlocks(with:blockRange:completionHandler:)
            __extendedWriteMultipleBlocks(withRequestFlags:blockRange:dataBlocks:completionHandler:)
            __authenticate(withRequestFlags:cryptoSuiteIdentifier:message:completionHandler:)
            __keyUpdate(withRequestFlags:keyIdentifier:message:completionHandler:)
            __challenge(withRequestFlags:cryptoSuiteIdentifier:message:completionHandler:)
            __readBuffer(withRequestFlags:completionHandler:)
            __extendedGetMultipleBlockSecurityStatus(with:blockRange:completionHandler:)
            __extendedFastReadMultipleBlocks(with:blockRange:completionHandler:)
            __sendRequest(withFlag:commandCode:data:completionHandler:)
            readSingleBlock(requestFlags:blockNumber:resultHandler:)
            readMultipleBlocks(requestFlags:blockRange:resultHandler:) getSystemInfo(requestFlags:resultHandler:)
            fastReadMultipleBlocks(requestFlags:blockRange:resultHandler:)
            customCommand(requestFlags:customCommandCode:customRequestParameters:resultHandler:)
            extendedReadSingleBlock(requestFlags:blockNumber:resultHandler:)
            extendedWriteMultipleBlocks(requestFlags:blockRange:dataBlocks:completionHandler:)
            authenticate(requestFlags:cryptoSuiteIdentifier:message:resultHandler:)
            keyUpdate(requestFlags:keyIdentifier:message:resultHandler:)
            challenge(requestFlags:cryptoSuiteIdentifier:message:completionHandler:)
            readBuffer(requestFlags:resultHandler:)
            extendedGetMultipleBlockSecurityStatus(requestFlags:blockRange:resultHandler:)
            extendedFastReadMultipleBlocks(requestFlags:blockRange:resultHandler:)
            sendRequest(requestFlags:commandCode:data:resultHandler:) sendCustomCommand(commandConfiguration:)
            readMultipleBlock(readConfiguration:) stayQuiet() readSingleBlock(requestFlags:blockNumber:)
            writeSingleBlock(requestFlags:blockNumber:dataBlock:) lockBlock(requestFlags:blockNumber:)
            readMultipleBlocks(requestFlags:blockRange:) writeMultipleBlocks(requestFlags:blockRange:dataBlocks:)
            select(requestFlags:) resetToReady(requestFlags:) writeAFI(requestFlags:afi:) lockAFI(requestFlags:)
            writeDSFID(requestFlags:dsfid:) lockDFSID(requestFlags:) lockDSFID(requestFlags:)
            getSystemInfo(requestFlags:) getMultipleBlockSecurityStatus(requestFlags:blockRange:)
            customCommand(requestFlags:customCommandCode:customRequestParameters:)
            extendedReadSingleBlock(requestFlags:blockNumber:)
            extendedWriteSingleBlock(requestFlags:blockNumber:dataBlock:) extendedLockBlock(requestFlags:blockNumber:)
            extendedReadMultipleBlocks(requestFlags:blockRange:) systemInfo(requestFlags:)
            fastReadMultipleBlocks(requestFlags:blockRange:)
            extendedWriteMultipleBlocks(requestFlags:blockRange:dataBlocks:)
            authenticate(requestFlags:cryptoSuiteIdentifier:message:) keyUpdate(requestFlags:keyIdentifier:message:)
            challenge(requestFlags:cryptoSuiteIdentifier:message:) readBuffer(requestFlags:)
            extendedGetMultipleBlockSecurityStatus(requestFlags:blockRange:)
            extendedFastReadMultipleBlocks(requestFlags:blockRange:) sendRequest(requestFlags:commandCode:data:)
            __systemInfoAndUID(with:) __fastReadMultipleBlocks(with:blockRange:)
            __extendedWriteMultipleBlocks(withRequestFlags:blockRange:dataBlocks:)
            __authenticate(withRequestFlags:cryptoSuiteIdentifier:message:)
            __keyUpdate(withRequestFlags:keyIdentifier:message:)
            __challenge(withRequestFlags:cryptoSuiteIdentifier:message:) __readBuffer(withRequestFlags:)
            __extendedGetMultipleBlockSecurityStatus(with:blockRange:)
            __extendedFastReadMultipleBlocks(with:blockRange:) __sendRequest(withFlag:commandCode:data:)
        NFCTypeNameFormat: empty nfcWellKnown media absoluteURI nfcExternal unknown unchanged
        NFCNDEFPayload: typeNameFormat type identifier payload init(format:type:identifier:payload:)
            init(format:type:identifier:payload:chunkSize:) wellKnownTypeURIPayload(string:)
            wellKnownTypeURIPayload(url:) wellKnownTypeTextPayload(string:locale:)
            wellKnowTypeTextPayload(string:locale:) wellKnownTypeURIPayload() wellKnownTypeTextPayload() init(coder:)
            encode(with:) supportsSecureCoding __wellKnownTypeTextPayload(with:)
        NFCNDEFMessage: records length init(records:) init(data:) init(coder:) encode(with:) supportsSecureCoding
        """)

    /// Former names of types.
    static let formerTypes: Set = [
        "RequestFlag", "PollingRequestCode", "PollingTimeSlot", "EncryptionId", "VASMode", "VASErrorCode",
    ]

    /// What Swift sees with two underscores, and an index leaves out.
    static let underscored = types(
        """
        __NFCReaderSessionDelegate: readerSessionDidBecomeActive(_:) readerSession(_:didInvalidateWithError:)
            readerSession(_:didDetect:)
        __NFCTagReaderSessionDelegate: tagReaderSession(_:didInvalidateWithError:) tagReaderSessionDidBecomeActive(_:)
            tagReaderSession(_:didDetect:)
        __NFCTagType: ISO15693 feliCa iso7816Compatible miFare
        __NFCTag: type session isAvailable asNFCISO15693Tag() asNFCISO7816Tag() asNFCFeliCaTag() asNFCMiFareTag()
        __NFCISO15693ReaderSession: init(delegate:queue:) restartPolling()
        """)

    /// Constants that belong to no type.
    static let globals: Set = [
        "NFCErrorDomain", "NFCISO15693TagResponseErrorKey", "NFCTagResponseUnexpectedLengthErrorKey",
    ]

    /// The types that are left out: a card session makes the device a card, under an agreement with Apple, and no reader of PC/SC can.
    static let cardEmulation: Set = [
        "CardSession", "CardSession.APDU", "CardSession.EmulationUIStatus", "CardSession.Error", "CardSession.Event",
        "CardSession.EventStream", "CardSession.EventStream.AsyncIterator", "CardSession.EventStream.Element",
        "CardSession.EventStream.Iterator", "CardSession.EventStream.Iterator.Element", "NFCPresentmentIntentAssertion",
    ]

    /// Members that are left out, and why.
    static let leftOut = [
        "NFCNDEFPayload.__wellKnownTypeTextPayload(with:)":
            "its parameter is a pointer for Objective-C, a type that Swift on Linux does not have"
    ]

    /// What the module has in addition, and why: a type with everything in it, or one member.
    static let added = [
        "NFCISO7816ResponseAPDU.init(statusWord1:statusWord2:payload:)": "Apple's has the label `paylaod` only",
        "NFCReaderError._nsErrorDomain": "Foundation on Linux requires it of an error that wraps an NSError",
        "NFCReaderError.description": "Foundation on Linux prints an error without its reason",
        "NFCReaderError.debugDescription": "Foundation on Linux prints an error without its reason",
        "NFCReaderError.hash(into:)": "Foundation's own traps on Linux",
        "NFCReaderError.hashValue": "Foundation's own traps on Linux",
        "NFCReaderError.Code._ErrorType": "Foundation on Linux requires it of an error code",
        "NFCReaderSession.Reader": "a computer may have several readers",
        "NFCReaderSession.readers": "a computer may have several readers",
        "NFCReaderSession.availableReaders()": "a computer may have several readers",
        "NFCReaderSession.waitsForReader": "a reader may be plugged in later",
        "NFCReaderSession.waitsForTurn": "programs share a reader",
        "NFCReaderSession.timeLimit": "a computer needs no limit of 60 seconds",
        "NFCReaderSession.onTagRemoval(_:)": "programs on an iPhone have to ask again and again",
        "NSUserActivity": "Foundation on Linux does not have it",
        "NSUserActivityTypeBrowsingWeb": "Foundation on Linux does not have it",
        "NSObjectProtocol.isKind(of:)": "Foundation on Linux does not have it",
        "NSObjectProtocol.isMember(of:)": "Foundation on Linux does not have it",
        "NFCTagReaderSession.init(__pollingOption:delegate:queue:)": "an index of Apple's leaves it out",
    ]

    /// Types and their members, from a text with one type on a line; a line that begins with a space continues the one before.
    private static func types(_ text: String) -> [String: Set<String>] {
        var types: [String: Set<String>] = [:]
        var current = ""
        for word in text.split(whereSeparator: \.isWhitespace) {
            if word.last == ":", !word.contains("(") {
                current = String(word.dropLast())
                types[current] = []
            } else {
                types[current, default: []].insert(String(word))
            }
        }
        return types
    }
}
