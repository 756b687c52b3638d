import Cryptography
import TestSupport

@testable import SecureTags

/// A tag of a template: it writes UID, counter, data and code into the file, as settings say, byte by byte.
///
/// It finds the places in the settings, not in the template.
struct SUNTag {
    let uid: [UInt8]
    let metaKey: SecretBytes
    let fileKey: SecretBytes
    let isLRP: Bool
    let settings: SDMSettings
    /// The content of the file as it was written.
    var file: [UInt8]
    var tamper: [UInt8] = Array("CC".utf8)

    init(_ template: SUNTemplate, uid: [UInt8], metaKey: SecretBytes, fileKey: SecretBytes) {
        self.uid = uid
        self.metaKey = metaKey
        self.fileKey = fileKey
        isLRP = template.isLRP
        settings = template.settings(metaReadKey: 1, fileReadKey: 2)
        file = template.file
    }

    /// The text of the URL after a tap with this counter.
    func url(counter: UInt32) throws -> String {
        var file = file
        let data = PICCData(uid: uid, counter: counter)
        let session = try SDMSession(key: fileKey, data: data, isLRP: isLRP)
        write(&file, settings.uidOffset, hex(uid))
        write(&file, settings.counterOffset, hex([16, 8, 0].map { UInt8(truncatingIfNeeded: counter >> UInt32($0)) }))
        write(&file, settings.piccDataOffset, hex(try piccData(counter)))
        if let offset = settings.tamperOffset { file.replaceSubrange(offset..<offset + 2, with: tamper) }
        if let encryption = settings.encryption {
            let plain = Array(file[encryption.offset..<encryption.offset + encryption.length / 2])
            write(&file, encryption.offset, hex(try encrypt(plain, counter, session)))
        }
        if let input = settings.macInputOffset, let offset = settings.macOffset {
            write(&file, offset, hex(try session.code(Array(file[input..<offset])).everyOtherByte))
        }
        return text(of: file)
    }

    /// The text as a reader takes it from the record.
    func text(of file: [UInt8]) -> String {
        let isShort = file[2] & 0x10 != 0
        let start = isShort ? 6 : 9
        let prefixes = ["", "http://www.", "https://www.", "http://", "https://"]
        return prefixes[Int(file[start])] + String(decoding: file[(start + 1)...], as: UTF8.self)
    }

    private func write(_ file: inout [UInt8], _ offset: Int?, _ text: String) {
        if let offset { file.replaceSubrange(offset..<offset + text.utf8.count, with: Array(text.utf8)) }
    }

    private func piccData(_ counter: UInt32) throws -> [UInt8] {
        let plain = SecretBytes(
            joining: [0xC7], uid, [UInt8](littleEndian: Int(counter), count: 3), SecretBytes(randomCount: 5))
        guard isLRP else {
            return try BlockCipher.aes128(metaKey).encryptCBC(plain, vector: [UInt8](repeating: 0, count: 16))
        }
        let random: [UInt8] = SecretBytes(randomCount: 8).withUnsafeBytes { Array($0) }
        var start = random
        return random + (try LRPKey(metaKey).encrypt(plain, counter: &start))
    }

    private func encrypt(_ plain: [UInt8], _ counter: UInt32, _ session: SDMSession) throws -> [UInt8] {
        let start = [UInt8](littleEndian: Int(counter), count: 3)
        if let keys = session.aesKeys {
            let cipher = try BlockCipher.aes128(keys.encryption)
            let vector: [UInt8] = try cipher.encryptECB(start + [UInt8](repeating: 0, count: 13))
            return try cipher.encryptCBC(plain, vector: vector)
        }
        let master = try SDMSession.lrpMaster(fileKey, PICCData(uid: uid, counter: counter))
        var bytes = start + [0, 0, 0]
        return try LRPKey(master, updatedKey: 1).encrypt(SecretBytes(plain), counter: &bytes)
    }
}
