import Cryptography
import TestSupport
import Testing

@testable import SecureTags

/// SDM and file settings.
enum SUNVectors {
    typealias Results = [String: VectorRow.Value]

    private static func data(_ row: VectorRow) -> PICCData {
        PICCData(uid: row.bytes("uid"), counter: UInt32(row.bytes("ctr_le").littleEndianNumber))
    }

    static func sessionKeys(_ row: VectorRow) throws -> Results {
        let keys = try #require(try SDMSession(key: row.secret("file_read_key"), data: data(row)).aesKeys)
        return [
            "sv1": .hexadecimal(SDMSession.vector([0xC3, 0x3C], data(row))),
            "sv2": .hexadecimal(SDMSession.vector([0x3C, 0xC3], data(row))), "k_enc": .hexadecimal(keys.encryption),
            "k_mac": .hexadecimal(keys.code),
        ]
    }

    static func piccData(_ row: VectorRow) throws -> Results {
        let plain = try PICCData.decrypt(row.bytes("picc_enc"), key: row.secret("meta_read_key"), isLRP: false)
        let data = try #require(PICCData(plain: plain))
        return [
            "plain": .hexadecimal(plain), "tag": .hexadecimal(plain.slice(0..<1)), "uid": .hexadecimal(data.uid),
            "ctr_le": .hexadecimal([UInt8](littleEndian: Int(data.counter ?? 0), count: 3)),
            "ctr": .number(Int(data.counter ?? 0)),
        ]
    }

    static func code(_ row: VectorRow) throws -> Results {
        let session = try SDMSession(key: row.secret("file_read_key"), data: data(row))
        let code = try session.code(Array(row.text("mac_input_ascii").utf8))
        return [
            "sv2": .hexadecimal(SDMSession.vector([0x3C, 0xC3], data(row))),
            "k_mac": .hexadecimal(try #require(session.aesKeys).code), "cmac_full": .hexadecimal(code),
            "sdmmac": .hexadecimal(code.everyOtherByte),
        ]
    }

    static func verify(_ row: VectorRow) throws -> Results {
        let plain = try PICCData.decrypt(row.bytes("picc_enc"), key: row.secret("meta_read_key"), isLRP: false)
        return try verify(row, try #require(PICCData(plain: plain)), isLRP: false)
    }

    static func verifyPlain(_ row: VectorRow) throws -> Results {
        let counter = row.bytes("ctr_msb").reduce(0) { $0 << 8 | UInt32($1) }
        return try verify(row, PICCData(uid: row.bytes("uid"), counter: counter), isLRP: false)
    }

    static func verifyLRP(_ row: VectorRow) throws -> Results {
        let plain = try PICCData.decrypt(row.bytes("picc_data"), key: row.secret("meta_read_key"), isLRP: true)
        let data = try #require(PICCData(plain: plain))
        var results = try verify(row, data, isLRP: true)
        results["picc_plain"] = .hexadecimal(plain)
        results["master"] = .hexadecimal(try SDMSession.lrpMaster(row.secret("file_read_key"), data))
        return results
    }

    private static func verify(_ row: VectorRow, _ data: PICCData, isLRP: Bool) throws -> Results {
        let session = try SDMSession(key: row.secret("file_read_key"), data: data, isLRP: isLRP)
        let isRight = try session.isCode(row.bytes("sdmmac"), of: Array(row.text("mac_input_ascii").utf8))
        var results: Results = [
            "uid": .hexadecimal(data.uid), "ctr": .number(Int(data.counter ?? 0)), "mac_ok": .truth(isRight),
        ]
        if row.has("enc") { results["file_data"] = .hexadecimal(try session.decrypt(row.bytes("enc"))) }
        return results
    }

    static func fileSettings(_ row: VectorRow) throws -> Results {
        let bytes = row.bytes("payload")
        let settings = try FileSettings(parsing: bytes)
        // What is parsed is written back: the option and the rights, without type and size.
        #expect(settings.changeData == Array(bytes[1..<4] + bytes.dropFirst(7)))
        var results: Results = [
            "file_type": .number(0), "sdm": .truth(settings.sdm != nil), "comm_mode": .text("\(settings.mode)"),
            "read": .text("\(settings.rights.read)"), "write": .text("\(settings.rights.write)"),
            "read_write": .text("\(settings.rights.readWrite)"), "change": .text("\(settings.rights.change)"),
            "size": .number(settings.size),
        ]
        guard let sdm = settings.sdm else { return results }
        results["sdm_options"] = .hexadecimal([settings.changeData[3]])
        results["meta_read"] = .text("\(sdm.metaRead)")
        results["file_read"] = .text("\(sdm.fileRead)")
        results["ctr_ret"] = .text("\(sdm.counterRetrieval)")
        let numbers = [
            "picc_offset": sdm.piccDataOffset, "mac_input_offset": sdm.macInputOffset, "mac_offset": sdm.macOffset,
            "enc_offset": sdm.encryption?.offset, "enc_length": sdm.encryption?.length,
        ]
        return results.merging(numbers.compactMapValues { $0.map { .number($0) } }) { one, _ in one }
    }

    static func offsets(_ row: VectorRow) throws -> Results {
        let prefix = row.text("uri_prefix_code") == "04" ? "https://" : ""
        var text = prefix + row.text("uri_rest")
        for (name, placeholder) in row.table("placeholders") {
            text = text.replacing(placeholder, with: "{\(name)}")
        }
        let template = try SUNTemplate(text)
        let settings = template.settings(metaReadKey: 1, fileReadKey: 2)
        return [
            "offsets": .table([
                "picc": .number(settings.piccDataOffset ?? 0), "mac": .number(settings.macOffset ?? 0),
            ])
        ]
    }
}
