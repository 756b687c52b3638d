import NFCProtocol
import Testing

/// What a tag is and holds, and commands as they are, on the wire.
@Suite struct TagContentTests {
    @Test func `a description is written without what is not known`() throws {
        let result = TagDescribe.Result(
            product: nil, manufacturer: "NXP", memorySize: nil, blockSize: 4, lockState: .partlyLocked,
            fields: [.init(label: "Version", value: "00")])
        let text =
            #"{"blockSize":4,"fields":[{"label":"Version","value":"00"}],"lockState":"partlyLocked","manufacturer":"NXP"}"#
        #expect(try json(result) == text)
        #expect(try value(text) == result)
    }

    @Test func `a dump is written with null for what cannot be read`() throws {
        var facts = TagDumpMemory.Facts()
        (facts.counters, facts.lockedBlocks, facts.dsfid) = ([2: 7], [1], 0)
        let result = TagDumpMemory.Result(
            layout: .type5, product: nil, blockSize: 4,
            sections: [
                .init(
                    name: nil,
                    blocks: [
                        .init(number: 0, bytes: HexBytes([0xE1]), meaning: "container"),
                        .init(number: 1, bytes: nil, meaning: nil),
                    ])
            ], facts: facts)
        let text =
            #"{"blockSize":4,"facts":{"counters":{"2":7},"dsfid":0,"lockedBlocks":[1]},"layout":"type5","sections":"#
            + #"[{"blocks":[{"bytes":"E1","meaning":"container","number":0},{"bytes":null,"number":1}]}]}"#
        #expect(try json(result) == text)
        #expect(try value(text) == result)
    }

    @Test func `the largest file of a Type 4 Tag fits a line`() throws {
        let rows = (0..<4096).map {
            TagDumpMemory.Block(number: $0, bytes: HexBytes([UInt8](repeating: 0xFF, count: 16)), meaning: nil)
        }
        let result = TagDumpMemory.Result(
            layout: .type4, product: "DESFire", blockSize: 16, sections: [.init(name: "E104", blocks: rows)],
            facts: .init())
        #expect(try json(result).utf8.count < JSONLine.maximumLength)
    }

    @Test func `progress names its request`() throws {
        let text = #"{"done":3,"id":"w","total":9}"#
        #expect(try json(RequestProgress(id: .string("w"), done: 3, total: 9)) == text)
        #expect(try value(text) == RequestProgress(id: .string("w"), done: 3, total: 9))
    }

    @Test func `commands are read; what is not known is passed over`() throws {
        let tag = #""session":"s","tag":"t","later":1"#
        #expect(
            try value(#"{\#(tag),"requestFlags":2,"commandCode":43}"#)
                == ISO15693SendRequest.Parameters(session: "s", tag: "t", requestFlags: 2, commandCode: 43))
        #expect(
            try value(#"{\#(tag),"packet":"06"}"#)
                == FeliCaSendCommand.Parameters(session: "s", tag: "t", packet: HexBytes([6])))
        #expect(
            try value(#"{\#(tag),"block":4,"keyType":"b","key":"FF"}"#)
                == MiFareClassicAuthenticate.Parameters(
                    session: "s", tag: "t", block: 4, keyType: .b, key: HexBytes([0xFF])))
        #expect(
            try value(#"{\#(tag),"block":4,"data":"00"}"#)
                == MiFareClassicWriteBlock.Parameters(session: "s", tag: "t", block: 4, data: HexBytes([0])))
        #expect(
            try value(#"{\#(tag),"block":4,"amount":2}"#)
                == MiFareClassicAmount(session: "s", tag: "t", block: 4, amount: 2))
    }

    @Test(arguments: [
        #"{"session":"s","tag":"t","requestFlags":256,"commandCode":1}"#,
        #"{"session":"s","tag":"t","requestFlags":-1,"commandCode":1}"#,
        #"{"session":"s","tag":"t","requestFlags":1,"commandCode":1,"data":"0"}"#,
    ])
    func `a request that cannot be is refused`(text: String) {
        #expect(throws: DecodingError.self) { try value(ISO15693SendRequest.Parameters.self, text) }
    }
}
