/// Everything that can be asked for on the socket, and everything that nfcd tells: what `rpc.discover` describes. A test
/// compares the methods with those that the daemon has.
package enum Interface {
    /// The methods, in the order to read about them.
    package static let methods: [InterfaceEntry] =
        server + sessions + tags + commands + classic + background + operators + simulator

    /// What nfcd tells without being asked.
    package static let notifications: [InterfaceEntry] = [
        InterfaceEntry(SessionDidBecomeActive.self, "The session's readers are its own now."),
        InterfaceEntry(SessionDidDetectNDEFs<MessageForm>.self, "A tag was found and read, or says why it was not."),
        InterfaceEntry(SessionDidDetectTags.self, "Tags were found and are held for commands."),
        InterfaceEntry(SessionTagFailed.self, "A tag came that could not be connected to."),
        InterfaceEntry(SessionTagRemoved.self, "A tag that was reported has left the field."),
        InterfaceEntry(SessionDidInvalidate.self, "The session is over, and why; nothing more is told of it."),
        InterfaceEntry(RequestProgress.self, "How far a request has come that asked for it with `progress`."),
        InterfaceEntry(BackgroundDidReadTag<MessageForm>.self, "A tap that no session held was read."),
        InterfaceEntry(ReaderAttached.self, "A reader was plugged in."),
        InterfaceEntry(ReaderDetached.self, "A reader was unplugged."),
        InterfaceEntry(ReaderFailed.self, "A reader no longer answers."),
        InterfaceEntry(ReaderRecovered.self, "A failed reader answers again."),
        InterfaceEntry(ReaderTagArrived.self, "A tag came into the field of a reader."),
        InterfaceEntry(ReaderTagLeft.self, "The tag left the field of a reader."),
        InterfaceEntry(SessionBegan.self, "Somebody's session became active."),
        InterfaceEntry(SessionEnded.self, "Somebody's session is over."),
    ]

    private static let server = [
        InterfaceEntry(RPCDiscover.self, "This interface as an OpenRPC document."),
        InterfaceEntry(ServerInfo.self, "Who answers, what bounds there are, and what the caller may do."),
        InterfaceEntry(ReadersList.self, "The readers of the moment, and what each is doing."),
        InterfaceEntry(CancelRequest.self, "Drops a request of the caller's that has not started."),
    ]

    private static let sessions = [
        InterfaceEntry(SessionBegin.self, "Asks for a reader session; notifications tell what becomes of it."),
        InterfaceEntry(SessionConnect.self, "Makes a detected tag the one that takes commands."),
        InterfaceEntry(SessionRestartPolling.self, "Has the tags in the field detected anew."),
        InterfaceEntry(SessionSetAlertMessage.self, "Changes the text that is shown for the session."),
        InterfaceEntry(SessionInvalidate.self, "Ends the session, with 200."),
    ]

    private static let tags = [
        InterfaceEntry(TagQueryNDEFStatus.self, "Whether a tag holds NDEF, and how much."),
        InterfaceEntry(TagReadNDEF<MessageForm>.self, "The message on a tag."),
        InterfaceEntry(TagWriteNDEF<MessageForm>.self, "Puts a message in place of the one on a tag."),
        InterfaceEntry(TagFormat.self, "Makes a tag without NDEF one with an empty message."),
        InterfaceEntry(TagWriteLock.self, "Makes the message on a tag read-only, for ever."),
        InterfaceEntry(TagDescribe.self, "What a tag is, as far as it tells."),
        InterfaceEntry(TagDumpMemory.self, "Everything that can be read of a tag's memory."),
        InterfaceEntry(TagAuthenticate.self, "Gives a tag its password."),
        InterfaceEntry(TagCancelCommands.self, "Drops the commands of a tag that have not started."),
    ]

    private static let commands = [
        InterfaceEntry(ISO7816SendCommand.self, "Sends a command APDU as it is."),
        InterfaceEntry(MiFareSendCommand.self, "Sends a MIFARE command as it is, without its checksum."),
        InterfaceEntry(MiFareSendISO7816Command.self, "Sends a command APDU to a MIFARE tag as it is."),
        InterfaceEntry(FeliCaSendCommand.self, "Sends a FeliCa command as it is, without its length byte."),
        InterfaceEntry(ISO15693SendRequest.self, "Sends a request of ISO/IEC 15693 as it is."),
    ]

    private static let classic = [
        InterfaceEntry(MiFareClassicAuthenticate.self, "Opens the sector of a block with one of its keys."),
        InterfaceEntry(MiFareClassicReadBlock.self, "Reads a block of the open sector."),
        InterfaceEntry(MiFareClassicWriteBlock.self, "Writes a block of the open sector."),
        InterfaceEntry(MiFareClassicIncrement.self, "Adds to a value block of the open sector."),
        InterfaceEntry(MiFareClassicDecrement.self, "Takes from a value block of the open sector."),
        InterfaceEntry(MiFareClassicRestore.self, "Copies a value block of the open sector to another of it."),
    ]

    private static let background = [
        InterfaceEntry(BackgroundSubscribe.self, "Tells of taps that no session holds, as far as a filter matches."),
        InterfaceEntry(BackgroundUnsubscribe.self, "Ends a subscription."),
    ]

    private static let operators = [
        InterfaceEntry(EventsSubscribe.self, "Tells what readers and sessions do from now on."),
        InterfaceEntry(SessionsList.self, "The sessions of everybody, active or waiting."),
        InterfaceEntry(SessionsCancel.self, "Ends anybody's session with 200."),
        InterfaceEntry(ServerMetrics.self, "Counters and durations in the text form of Prometheus."),
    ]

    private static let simulator = [
        InterfaceEntry(SimulatorPresent.self, "Puts a virtual tag on a simulated reader."),
        InterfaceEntry(SimulatorRemove.self, "Takes a virtual tag of the caller's away."),
        InterfaceEntry(SimulatorList.self, "The virtual tags that lie on simulated readers."),
    ]
}

/// A method or a notification: its name, what it is for, and what it carries.
package struct InterfaceEntry: Sendable {
    /// The name on the wire.
    package let name: String
    /// What it is for, in a line.
    package let summary: String
    /// What a request or the notification carries.
    let parameters: any (Decodable & SendableMetatype).Type
    /// What the answer carries; nil for a notification.
    let result: (any (Decodable & SendableMetatype).Type)?

    /// A method.
    init<M: Method>(_ method: M.Type, _ summary: String) {
        name = M.name
        self.summary = summary
        parameters = M.Parameters.self
        result = M.Result.self
    }

    /// A notification.
    init<N: ServerNotification>(_ notification: N.Type, _ summary: String) {
        name = N.name
        self.summary = summary
        parameters = N.self
        result = nil
    }
}

extension InterfaceEntry {
    /// The Method Object of OpenRPC 1.3.2; a notification is one without a result.
    ///
    /// - Throws: `DecodingError` for a type whose schema cannot be made.
    func methodObject() throws -> JSONValue {
        var object: [String: JSONValue] = [
            "name": .string(name), "summary": .string(summary), "paramStructure": "by-name",
            "params": .array(try parameterList()),
        ]
        if let result {
            let schema = try SchemaDecoder.note(of: result).schema
            object["result"] = ["name": "result", "required": true, "schema": schema]
        }
        return .object(object)
    }

    /// Those that have to be there first, as OpenRPC wants it; otherwise in the order in which they are declared.
    private func parameterList() throws -> [JSONValue] {
        let members = try SchemaDecoder.note(of: parameters).members
        return (members.filter { !$0.isOptional } + members.filter(\.isOptional)).map { Self.parameter($0) }
    }

    /// A Content Descriptor Object.
    private static func parameter(_ member: SchemaNote.Member) -> JSONValue {
        ["name": .string(member.name), "required": .bool(!member.isOptional), "schema": member.note.schema]
    }
}
