/// Verification of ECDSA signatures on the curve secp128r1 (SEC 2, version 1.0, section 2.3.1), over a short message that
/// is not hashed.
///
/// NXP signs the UIDs of its tags on this curve. CryptoKit, swift-crypto and its BoringSSL do not have it, and OpenSSL is
/// not a dependency of the libraries. Only public values are computed with, so nothing here is constant in time; do not
/// use it with secrets.
enum SECP128R1 {
    /// The prime of the field, 2¹²⁸ − 2⁹⁷ − 1.
    private static let field = PrimeModulus(value: 0xFFFF_FFFD_FFFF_FFFF_FFFF_FFFF_FFFF_FFFF)
    /// The order of the base point, a prime. The cofactor is 1.
    private static let order = PrimeModulus(value: 0xFFFF_FFFE_0000_0000_75A3_0D1B_9038_A115)
    /// The coefficient b; a is −3.
    private static let b: UInt128 = 0xE875_79C1_1079_F43D_D824_993C_2CEE_5ED3
    private static let base = Point(
        x: 0x161F_F752_8B89_9B2D_0C28_607C_A52C_5B86, y: 0xCF5A_C839_5BAF_EB13_C02D_A292_DDED_7A83)

    /// A point by its affine coordinates; not necessarily one on the curve.
    struct Point: Sendable, Hashable {
        let x: UInt128
        let y: UInt128

        /// Whether y² = x³ − 3x + b, with both coordinates below the field's prime.
        var isOnCurve: Bool {
            guard x < field.value, y < field.value else { return false }
            let right = field.sum(field.product(field.difference(field.square(x), 3), x), b)
            return field.square(y) == right
        }
    }

    /// Whether a signature is valid.
    ///
    /// - Parameters:
    ///   - signature: r and s, 16 bytes each, most significant byte first.
    ///   - message: at most 16 bytes, taken as a number, most significant byte first.
    ///   - key: the public key; nothing is valid with a point off the curve.
    static func isValid(_ signature: [UInt8], of message: [UInt8], key: Point) -> Bool {
        guard signature.count == 32, message.count <= 16, key.isOnCurve else { return false }
        let (r, s) = (number(signature.prefix(16)), number(signature.suffix(16)))
        guard 1..<order.value ~= r, 1..<order.value ~= s else { return false }
        let inverse = order.inverse(s)
        let ofBase = order.product(order.reduced(number(message[...])), inverse)
        let ofKey = order.product(r, inverse)
        guard let x = multiple(ofBase, base).plus(multiple(ofKey, key)).x(in: field) else { return false }
        return order.reduced(x) == r
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt128 { bytes.reduce(0) { $0 << 8 | UInt128($1) } }

    /// The point added to itself `factor` times, by doubling and adding from the most significant bit on.
    private static func multiple(_ factor: UInt128, _ point: Point) -> JacobianPoint {
        let addend = JacobianPoint(x: point.x, y: point.y, z: 1)
        return (0..<UInt128.bitWidth).reversed().reduce(.infinity) { sum, bit in
            factor >> bit & 1 == 1 ? sum.doubled().plus(addend) : sum.doubled()
        }
    }

    /// The point (x/z², y/z³) of the curve; the point at infinity where z is 0.
    private struct JacobianPoint {
        var x: UInt128
        var y: UInt128
        var z: UInt128

        static let infinity = JacobianPoint(x: 1, y: 1, z: 0)

        /// The affine x coordinate, nil at infinity.
        func x(in field: PrimeModulus) -> UInt128? {
            z == 0 ? nil : field.product(x, field.square(field.inverse(z)))
        }

        /// Twice the point. With a = −3, the slope's numerator 3x² + az⁴ is 3(x − z²)(x + z²).
        func doubled() -> JacobianPoint {
            guard z != 0, y != 0 else { return .infinity }
            let zz = field.square(z)
            let slope = field.times(3, field.product(field.difference(x, zz), field.sum(x, zz)))
            let yy = field.square(y)
            let xyy = field.times(4, field.product(x, yy))
            let newX = field.difference(field.square(slope), field.sum(xyy, xyy))
            let newY = field.difference(
                field.product(slope, field.difference(xyy, newX)), field.times(8, field.square(yy)))
            return JacobianPoint(x: newX, y: newY, z: field.times(2, field.product(y, z)))
        }

        func plus(_ other: JacobianPoint) -> JacobianPoint {
            if z == 0 { return other }
            if other.z == 0 { return self }
            let (zz, otherZZ) = (field.square(z), field.square(other.z))
            let (ownX, otherX) = (field.product(x, otherZZ), field.product(other.x, zz))
            let ownY = field.product(y, field.product(other.z, otherZZ))
            let otherY = field.product(other.y, field.product(z, zz))
            guard ownX != otherX else { return ownY == otherY ? doubled() : .infinity }
            let (width, height) = (field.difference(otherX, ownX), field.difference(otherY, ownY))
            let square = field.square(width)
            let cube = field.product(square, width)
            let middle = field.product(ownX, square)
            let newX = field.difference(field.difference(field.square(height), cube), field.sum(middle, middle))
            let newY = field.difference(
                field.product(height, field.difference(middle, newX)), field.product(ownY, cube))
            return JacobianPoint(x: newX, y: newY, z: field.product(width, field.product(z, other.z)))
        }
    }
}

/// Arithmetic modulo a prime between 2¹²⁷ and 2¹²⁸; operands are below the prime.
///
/// No sum or difference here can overflow. The operators that do not check it are used because the optimizer of Swift 6.2 crashes
/// where it removes such checks of constants with more than 64 bits.
private struct PrimeModulus {
    let value: UInt128

    /// Any number, reduced; one subtraction is enough, as the prime is more than 2¹²⁷.
    func reduced(_ number: UInt128) -> UInt128 { number >= value ? number &- value : number }

    func sum(_ left: UInt128, _ right: UInt128) -> UInt128 {
        left >= value &- right ? left &- (value &- right) : left &+ right
    }

    func difference(_ left: UInt128, _ right: UInt128) -> UInt128 {
        left >= right ? left &- right : value &- (right &- left)
    }

    func product(_ left: UInt128, _ right: UInt128) -> UInt128 {
        value.dividingFullWidth(left.multipliedFullWidth(by: right)).remainder
    }

    func square(_ number: UInt128) -> UInt128 { product(number, number) }

    func times(_ factor: UInt128, _ number: UInt128) -> UInt128 { product(factor, number) }

    /// The inverse of a number that is not 0, by Fermat's little theorem: its power to the prime minus 2.
    func inverse(_ number: UInt128) -> UInt128 {
        let exponent = value &- 2
        return (0..<UInt128.bitWidth).reversed().reduce(1) { power, bit in
            exponent >> bit & 1 == 1 ? product(square(power), number) : square(power)
        }
    }
}
