import NDEF
import Testing

@testable import NFCProtocol

@Suite struct MessagesTests {
    @Test func `methods and notifications have the documented names`() {
        let names = [
            ServerInfo.name, ReadersList.name, SessionBegin.name, SessionRestartPolling.name,
            SessionSetAlertMessage.name, SessionInvalidate.name, SimulatorPresent.name, SimulatorRemove.name,
            SimulatorList.name, SessionDidBecomeActive.name, SessionDidDetectNDEFs.name,
            SessionTagRemoved.name, SessionDidInvalidate.name,
        ]
        #expect(
            names == [
                "server.info", "readers.list", "session.begin", "session.restartPolling", "session.setAlertMessage",
                "session.invalidate", "simulator.present", "simulator.remove", "simulator.list",
                "session.didBecomeActive", "session.didDetectNDEFs", "session.tagRemoved", "session.didInvalidate",
            ])
        #expect(NFCDVersion.protocolVersion == 1)
    }

    @Test func `the result of server info is encoded with all members`() throws {
        let info = ServerInfo.Result(
            name: "nfcd", version: "1.2.3", protocolVersion: 1, methods: ["server.info"], readingAvailable: true,
            limits: .init(sessionTimeout: 60, lineLength: 1024, sessionsPerClient: 16),
            entitlements: .init(
                formats: ["NDEF"], capabilities: ["read"], iso7816SelectIdentifiers: ["A000000308"],
                feliCaSystemCodes: ["12FC"], readers: ["*"]))
        let text =
            #"{"entitlements":{"capabilities":["read"],"feliCaSystemCodes":["12FC"],"formats":["NDEF"],"#
            + #""iso7816SelectIdentifiers":["A000000308"],"readers":["*"]},"#
            + #""limits":{"lineLength":1024,"listLength":128,"sessionTimeout":60,"sessionsPerClient":16,"textLength":1024},"methods":["server.info"],"name":"nfcd","#
            + #""protocolVersion":1,"readerService":"available","readingAvailable":true,"version":"1.2.3"}"#
        #expect(try json(info) == text)
        #expect(try value(ServerInfo.Result.self, text) == info)
    }

    @Test(arguments: [
        (ReaderStatus.empty, "empty"), (.present, "present"), (.inUse, "inUse"), (.failed, "failed"),
    ])
    func `a reader is encoded without unknown members`(state: ReaderStatus, text: String) throws {
        let reader = ReadersList.Reader(
            reader: "r", name: "R 0", state: state, technologies: ["iso14443"], profile: "pcsc", serial: nil,
            failure: nil)
        let line = #"{"name":"R 0","profile":"pcsc","reader":"r","state":"\#(text)","technologies":["iso14443"]}"#
        #expect(try json(reader) == line)
        #expect(try value(ReadersList.Reader.self, line) == reader)
    }

    @Test func `a tag that was read is encoded with its messages`() throws {
        let event = SessionDidDetectNDEFs(
            session: "session-1", reader: "simulated-0", readerName: "Simulated Reader 0", tag: "tag-1", type: .miFare,
            technology: "Type 2", identifier: HexBytes([0x04, 0xAB]), messages: [NDEFMessage()], error: nil)
        #expect(
            try json(event)
                == #"{"identifier":"04AB","messages":[{"records":[]}],"reader":"simulated-0","readerName":"Simulated Reader 0","#
                + #""session":"session-1","tag":"tag-1","technology":"Type 2","type":"miFare"}"#)
    }

    @Test func `a tag that could not be read is encoded with the reason`() throws {
        let event = SessionDidDetectNDEFs(
            session: "s", reader: "r", readerName: "R", tag: "t", type: .unknown, technology: nil,
            identifier: HexBytes([UInt8]()), messages: [],
            error: .init(code: 100, name: "TagConnectionLost", message: "Tag connection lost", detail: "gone"))
        let text =
            #"{"error":{"code":100,"detail":"gone","message":"Tag connection lost","name":"TagConnectionLost"},"#
            + #""identifier":"","messages":[],"reader":"r","readerName":"R","session":"s","tag":"t","type":"unknown"}"#
        #expect(try json(event) == text)
        #expect(try value(SessionDidDetectNDEFs.self, text).error == event.error)
    }

    @Test func `the end of a session is encoded with code, name, text and cause`() throws {
        let event = SessionDidInvalidate(session: "s", code: 201, name: "SessionTimeout", message: "m", detail: "")
        let text = #"{"code":201,"detail":"","message":"m","name":"SessionTimeout","session":"s"}"#
        #expect(try json(event) == text)
        #expect(try value(SessionDidInvalidate.self, text) == event)
    }
}

/// Descriptions, dumps and raw commands of tags on the wire.
@Suite struct TagContentTests {
    @Test func `a description is encoded without unknown members`() throws {
        let result = TagDescription(
            product: nil, manufacturer: "NXP", memorySize: nil, blockSize: 4, lockState: .partlyLocked,
            originality: .notGenuine,
            fields: [.init("Version", "00")])
        let text =
            #"{"blockSize":4,"fields":[{"label":"Version","value":"00"}],"lockState":"partlyLocked","manufacturer":"NXP","originality":"notGenuine"}"#
        #expect(try json(result) == text)
        #expect(try value(text) == result)
    }

    @Test func `a block that cannot be read is null in a dump`() throws {
        var facts = TagDump.Facts()
        (facts.counters, facts.lockedBlocks, facts.dsfid) = ([2: 7], [1], 0)
        let result = TagDump(
            layout: .type5, product: nil, blockSize: 4,
            sections: [
                .init(
                    name: nil,
                    blocks: [
                        .init(number: 0, bytes: [0xE1], meaning: "container"),
                        .init(number: 1, bytes: nil, meaning: nil),
                    ])
            ], facts: facts)
        let text =
            #"{"blockSize":4,"facts":{"counters":{"2":7},"dsfid":0,"lockedBlocks":[1]},"layout":"type5","sections":"#
            + #"[{"blocks":[{"bytes":"E1","meaning":"container","number":0},{"bytes":null,"number":1}]}]}"#
        #expect(try json(result) == text)
        #expect(try value(text) == result)
    }

    @Test func `the dump of the largest Type 4 file fits into a line`() throws {
        let rows = (0..<4096).map {
            TagBlock(number: $0, bytes: [UInt8](repeating: 0xFF, count: 16), meaning: nil)
        }
        let result = TagDump(
            layout: .type4, product: "DESFire", blockSize: 16, sections: [.init(name: "E104", blocks: rows)],
            facts: .init())
        #expect(try json(result).utf8.count < JSONLine.maximumLength)
    }

    @Test func `progress has the id of its request`() throws {
        let text = #"{"done":3,"id":"w","total":9}"#
        #expect(try json(RequestProgress(id: .string("w"), done: 3, total: 9)) == text)
        #expect(try value(text) == RequestProgress(id: .string("w"), done: 3, total: 9))
    }

    @Test func `the address and the arguments of a command are one object`() throws {
        let tag = #""session":"s","tag":"t""#
        let address = TagAddress(session: "s", tag: "t")
        #expect(try value(TagAddress.self, "{\(tag)}") == address)
        #expect(
            try value(#"{\#(tag),"requestFlags":2,"commandCode":43}"#)
                == TimedTagCommand(address, ISO15693SendRequest.Arguments(requestFlags: 2, commandCode: 43)))
        #expect(
            try value(#"{\#(tag),"packet":"06","timeout":2}"#)
                == TimedTagCommand(address, FeliCaSendCommand.Arguments(packet: HexBytes([6])), timeout: 2))
        #expect(
            try value(#"{\#(tag),"block":4,"keyType":"b","key":"FF"}"#)
                == TagCommand(
                    address, MiFareClassicAuthenticate.Arguments(block: 4, keyType: .b, key: HexBytes([0xFF]))))
        #expect(
            try value(#"{\#(tag),"block":4,"data":"00"}"#)
                == TagCommand(address, MiFareClassicWriteBlock.Arguments(block: 4, data: HexBytes([0]))))
        #expect(
            try value(#"{\#(tag),"block":4,"amount":2}"#)
                == TagCommand(address, MiFareClassicAmount(block: 4, amount: 2)))
        let command = TimedTagCommand(address, ISO7816SendCommand.Arguments(apdu: HexBytes([0, 1])), timeout: 1.5)
        #expect(try json(command) == #"{"apdu":"0001","session":"s","tag":"t","timeout":1.5}"#)
        #expect(
            try json(TagCommand(address, TagDumpMemory.Arguments(progress: true)))
                == #"{"progress":true,"session":"s","tag":"t"}"#)
    }

    @Test(arguments: [
        #"{"session":"s","tag":"t","requestFlags":256,"commandCode":1}"#,
        #"{"session":"s","tag":"t","requestFlags":-1,"commandCode":1}"#,
        #"{"session":"s","tag":"t","requestFlags":1,"commandCode":1,"data":"0"}"#,
    ])
    func `parameters out of range are refused`(text: String) {
        #expect(throws: DecodingError.self) { try value(ISO15693SendRequest.Parameters.self, text) }
    }
}
