import NFCTypes

/// The methods and notifications of the socket, in the order of the documentation. The server's routing, `rpc.discover` and the
/// tables of `Docs/protocol.md` follow these lists; a test compares them with the server's handlers.
package enum Interface {
    /// The methods.
    package static let methods: [any Method.Type] = [
        RPCDiscover.self, ServerInfo.self, ReadersList.self, CancelRequest.self,
        SessionBegin.self, SessionConnect.self, SessionRestartPolling.self, SessionSetAlertMessage.self,
        SessionSetYielding.self, SessionInvalidate.self,
        TagQueryNDEFStatus.self, TagReadNDEF.self, TagWriteNDEF.self, TagFormat.self, TagWriteLock.self,
        TagDescribe.self, TagDumpMemory.self, TagWriteMemory.self, TagAuthenticate.self, TagSetPassword.self,
        TagRemovePassword.self, TagConfigure.self, TagCancelCommands.self,
        ISO7816SendCommand.self, MiFareSendCommand.self, MiFareSendISO7816Command.self, FeliCaSendCommand.self,
        ISO15693SendRequest.self,
        MiFareClassicAuthenticate.self, MiFareClassicReadBlock.self, MiFareClassicWriteBlock.self,
        MiFareClassicIncrement.self, MiFareClassicDecrement.self, MiFareClassicRestore.self,
        BackgroundSubscribe.self, BackgroundUnsubscribe.self,
        TapsSubscribe.self, TapsUnsubscribe.self, TapsAcknowledge.self, TapsList.self, TapsStatus.self,
        TapsRemoveConsumer.self, TapsPrune.self,
        EventsSubscribe.self, SessionsList.self, SessionsCancel.self, ReadersIdentify.self, ServerMetrics.self,
        NoticesShow.self, NoticesHide.self,
        SimulatorPresent.self, SimulatorRemove.self, SimulatorList.self, SimulatorPlug.self,
    ]

    /// The notifications.
    package static let notifications: [any ServerNotification.Type] = [
        SessionDidBecomeActive.self, SessionDidDetectNDEFs.self, SessionDidDetectTags.self, SessionTagFailed.self,
        SessionTagIgnored.self, SessionTagRemoved.self, SessionDidInvalidate.self,
        RequestProgress.self,
        BackgroundDidReadTag.self, BackgroundTagRemoved.self,
        TapsDidRecord.self,
        ReaderAttached.self, ReaderDetached.self, ReaderFailed.self, ReaderRecovered.self, ReaderTagArrived.self,
        ReaderTagLeft.self, SessionBegan.self, SessionEnded.self, NoticeShown.self, NoticeHidden.self,
    ]
}

extension Method {
    /// The Method Object of OpenRPC 1.3.2.
    ///
    /// - Throws: `DecodingError` for a type whose schema cannot be derived.
    package static func methodObject() throws -> JSONValue {
        let parameters = try SchemaDecoder.note(of: Parameters.self).contentDescriptors(isClosed: true)
        var object = Interface.methodObject(name, summary, details, requirement, parameters)
        object["result"] = [
            "name": "result", "required": true, "schema": try SchemaDecoder.note(of: Result.self).schema,
        ]
        return .object(object)
    }
}

extension ServerNotification {
    /// The notification in the form of a Method Object without a result.
    ///
    /// - Throws: `DecodingError` for a type whose schema cannot be derived.
    package static func methodObject() throws -> JSONValue {
        let parameters = try SchemaDecoder.note(of: Self.self).contentDescriptors(isClosed: false)
        return .object(Interface.methodObject(name, summary, details, requirement, parameters))
    }
}

extension Interface {
    fileprivate static func methodObject(
        _ name: String, _ summary: String, _ details: String, _ requirement: Requirement, _ parameters: [JSONValue]
    ) -> [String: JSONValue] {
        var object: [String: JSONValue] = [
            "name": .string(name), "summary": .string(summary), "paramStructure": "by-name",
            "params": .array(parameters),
        ]
        if !details.isEmpty { object["description"] = .string(details) }
        object["x-requires"] = requirement.json
        return object
    }
}

extension Requirement {
    /// The value of `x-requires`: a word, or a list of several; nil for no requirement.
    fileprivate var json: JSONValue? {
        switch self {
        case .nothing: nil
        case .sessionFormat: "the session's format"
        case .capabilities(let capabilities) where capabilities.count == 1: .string(capabilities[0].rawValue)
        case .capabilities(let capabilities): .array(capabilities.map { .string($0.rawValue) })
        }
    }
}

extension SchemaNote {
    /// The members as Content Descriptor Objects: the required ones first, as OpenRPC demands, otherwise as declared.
    ///
    /// - Parameter isClosed: whether nested objects have no other members.
    fileprivate func contentDescriptors(isClosed: Bool) -> [JSONValue] {
        (members.filter { !$0.isOptional } + members.filter(\.isOptional)).map { member in
            var descriptor: [String: JSONValue] = [
                "name": .string(member.name), "required": .bool(!member.isOptional),
                "schema": member.note.schema(isClosed: isClosed),
            ]
            descriptor["description"] = description(of: member.name)
            return .object(descriptor)
        }
    }
}
