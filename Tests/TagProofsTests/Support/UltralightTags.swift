import NFCTags
import SecureTags
import Testing
import VirtualTags

/// A MIFARE Ultralight with a key and a message, to be presented.
struct UltralightTag {
    var product = VirtualType2Product.ultralightAES
    var uid = Site.uid
    var uri: String? = "ex.am/door"
    var key: [UInt8]
    /// SEC_MSG_ACT of Ultralight AES.
    var hasCodes = true
    /// Byte 0 of LOCK_KEYS.
    var keyLocks: UInt8 = 0xE0
    /// AUTHLIM.
    var limit = 0
    /// VCTID.
    var version: UInt8 = 0x05
    /// AUTH0.
    var firstProtectedPage: UInt8 = 0x04
    /// PROT, or AUTH1 of Ultralight C.
    var protectsReading = false

    init(key: [UInt8]) { self.key = key }

    init(_ profile: TagProfile, uid: [UInt8] = Site.uid, from master: TagKey = Site.door) {
        self.init(key: Site.key(.tag, profile, of: uid, from: master))
        self.uid = uid
        if profile.product == .ultralightC { product = .ultralightC }
    }

    func with(_ change: (inout UltralightTag) -> Void) -> UltralightTag {
        var tag = self
        change(&tag)
        return tag
    }

    func tag() throws -> VirtualType2Tag {
        var message: [UInt8] = []
        if let uri { message = [0xD1, 0x01, UInt8(uri.utf8.count + 1), 0x55, 0x04] + Array(uri.utf8) }
        var memory = try VirtualType2Tag(product: product, identifier: uid, ndefMessage: message).memory
        func store(_ bytes: [UInt8], page: Int) {
            memory.replaceSubrange(4 * page..<4 * page + bytes.count, with: bytes)
        }
        if product == .ultralightC {
            store([firstProtectedPage, 0, 0, 0, protectsReading ? 0 : 1, 0, 0, 0], page: 42)
            store(Array(key[0..<8].reversed()) + Array(key[8..<16].reversed()), page: 44)
        } else if product == .ultralightAES {
            store([hasCodes ? 2 : 0, 0, 0, firstProtectedPage], page: 41)
            store([protectsReading ? 0x80 : 0, version, UInt8(limit & 0xFF), UInt8(limit >> 8)], page: 42)
            store([keyLocks], page: 45)
            store(key.reversed(), page: 48)
        }
        return try VirtualType2Tag(product: product, memory: memory)
    }
}

/// A reader that passes on the commands of a tag.
struct FrameReader: Sendable, CustomTestStringConvertible {
    let name: String
    let profile: ReaderProfile
    var testDescription: String { name }

    static let acr122u = FrameReader(name: "acr122u", profile: .acr122u)
    static let acr1252u = FrameReader(name: "acr1252u", profile: .acr1252u)
    static let acr1552u = FrameReader(name: "acr1552u", profile: .acr1552u)
    static let all = [acr122u, acr1252u, acr1552u, FrameReader(name: "omnikey-5321", profile: .omnikey5321)]

    func card(_ tag: any VirtualTag) -> any VirtualCard {
        VirtualReaderModel.named(name)?.card(tag) ?? tag.inReader()
    }
}
