import Cryptography
import NFCTypes

/// NXP's signature of a UID (Read_Sig, 3C): ECDSA of the curve P-224 over the 7 bytes of the UID, which are not hashed.
///
/// It says that NXP made a tag with this UID. Both can be copied: it is necessary, and never a proof.
public enum UIDSignature {
    /// Bytes of a signature, r ‖ s.
    public static let length = 56

    /// A public key of NXP: 57 bytes, an uncompressed point.
    public struct PublicKey: Sendable, Equatable {
        /// The products with signatures of the key.
        public let products: String
        /// The point.
        public let point: [UInt8]

        /// A key; nil unless it has the length and the form of a point.
        public init?(products: String, point: [UInt8]) {
            guard point.count == 57, point.first == 0x04 else { return nil }
            self.products = products
            self.point = point
        }
    }

    private static func key(_ products: String, _ x: String, _ y: String) -> PublicKey? {
        Hexadecimal.bytes("04" + x + y).flatMap { PublicKey(products: products, point: $0) }
    }

    /// The published keys: AN12196 §8.2, AN12343 §9, and those that NXP's own app verifies with.
    public static let keys: [PublicKey] = [
        key(
            "NTAG 424 DNA, DESFire EV2, DESFire Light", "8A9B380AF2EE1B98DC417FECC263F8449C7625CECE82D9B916C992DA",
            "209D68422B81EC20B65A66B5102A61596AF3379200599316A00A1410"),
        key(
            "NTAG 424 DNA, DESFire EV2", "B304DC4C615F5326FE9383DDEC9AA892DF3A57FA7FFB3276192BC0EA",
            "A252ED45A865E3B093A3D0DCE5BE29E92F1392CE7DE321E3E5C52B3A"),
        key(
            "DESFire Light", "0E98E117AAA36457F43173DC920A8757267F44CE4EC5ADD3C5407557",
            "1AEBBF7B942A9774A1D94AD02572427E5AE0A2DD36591B1FB34FCF3D"),
        key(
            "NTAG 413 DNA, DESFire EV1", "BB5D514F7050025C7D0F397310360EEC91EAF792E96FC7E0F496CB4E",
            "669D414F877B7B27901FE67C2E3B33CD39D1C797715189AC951C2ADD"),
        key(
            "DESFire EV2 XL", "CD5D45E50B1502F0BA4656FF37669597E7E183251150F9574CC8DA56",
            "BF01C7ABE019E29FEA48F9CE22C3EA4029A765E1BC95A89543BAD1BC"),
        key(
            "DESFire EV3", "1DB46C145D0A36539C6544BD6D9B0AA62FF91EC48CBC6ABAE36E0089",
            "A46F0D08C8A715EA40A63313B92E90DDC1730230E0458A33276FB743"),
    ].compactMap(\.self)

    /// The key that a signature is of; nil if it is of none of them.
    public static func signer(of uid: [UInt8], signature: [UInt8], among keys: [PublicKey] = keys) -> PublicKey? {
        guard uid.count == 7 else { return nil }
        return keys.first { P224Signature.isValid(signature, of: uid, point: $0.point) }
    }
}
