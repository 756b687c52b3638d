/// The elliptic curve secp224r1 (SEC 2, §2.6.1; FIPS 186-4, D.1.2.2), for the signatures of virtual tags: neither fast nor hardened
/// against side channels.
enum VirtualP224 {
    /// The bytes of a coordinate and of a scalar.
    static let size = 28

    /// A number modulo a prime of 224 bits, kept in Montgomery's form.
    struct Number<Modulus: VirtualP224Modulus>: Sendable, Hashable {
        fileprivate var limbs: [UInt64]

        fileprivate init(limbs: [UInt64]) { self.limbs = limbs }

        /// A number of at most 28 bytes, most significant byte first, which may exceed the modulus.
        init(_ bytes: [UInt8]) {
            var limbs = [UInt64](repeating: 0, count: 7)
            for (index, byte) in bytes.suffix(size).reversed().enumerated() {
                limbs[index / 4] |= UInt64(byte) << UInt64(index % 4 * 8)
            }
            self.init(limbs: VirtualP224.reduced(limbs + [0], Modulus.limbs))
            self = self * Self(limbs: Modulus.square)
        }

        /// 28 bytes, most significant byte first.
        var bytes: [UInt8] {
            let plain = self * Self(limbs: [1, 0, 0, 0, 0, 0, 0])
            return plain.limbs.reversed().flatMap { limb in
                [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: limb >> $0) }
            }
        }

        static var zero: Self { Self(limbs: [0, 0, 0, 0, 0, 0, 0]) }
        static var one: Self { Self([1]) }

        static func + (one: Self, other: Self) -> Self {
            var sum: [UInt64] = []
            var carry: UInt64 = 0
            for index in 0..<7 {
                carry += one.limbs[index] + other.limbs[index]
                sum.append(carry & 0xFFFF_FFFF)
                carry >>= 32
            }
            return Self(limbs: VirtualP224.reduced(sum + [carry], Modulus.limbs))
        }

        static func - (one: Self, other: Self) -> Self { one + other.negated }

        private var negated: Self {
            self == .zero ? self : Self(limbs: VirtualP224.difference(Modulus.limbs + [0], limbs + [0]).dropLast())
        }

        /// Montgomery's product.
        static func * (one: Self, other: Self) -> Self {
            var sum = [UInt64](repeating: 0, count: 9)
            for index in 0..<7 {
                VirtualP224.add(other.limbs, times: one.limbs[index], to: &sum)
                VirtualP224.add(Modulus.limbs, times: (sum[0] &* Modulus.factor) & 0xFFFF_FFFF, to: &sum)
                sum.removeFirst()
                sum.append(0)
            }
            return Self(limbs: VirtualP224.reduced(Array(sum.prefix(8)), Modulus.limbs))
        }

        /// By Fermat: the power with the modulus minus two.
        var inverse: Self {
            let exponent = VirtualP224.difference(Modulus.limbs + [0], [2, 0, 0, 0, 0, 0, 0, 0])
            var (result, power) = (Self.one, self)
            for bit in 0..<224 {
                if exponent[bit / 32] >> UInt64(bit % 32) & 1 == 1 { result = result * power }
                power = power * power
            }
            return result
        }
    }

    /// A coordinate.
    typealias Coordinate = Number<Field>
    /// A number of times.
    typealias Scalar = Number<Order>

    /// A point in Jacobian coordinates; z is zero for the point at infinity.
    struct Point: Sendable, Hashable {
        fileprivate(set) var x: Coordinate
        fileprivate(set) var y: Coordinate
        fileprivate var z: Coordinate

        /// A point of the curve, by its coordinates.
        init(x: [UInt8], y: [UInt8]) { (self.x, self.y, z) = (Coordinate(x), Coordinate(y), .one) }

        fileprivate init(_ x: Coordinate, _ y: Coordinate, _ z: Coordinate) { (self.x, self.y, self.z) = (x, y, z) }

        fileprivate static let infinity = Point(.one, .one, .zero)

        fileprivate var doubled: Point {
            let (delta, gamma) = (z * z, y * y)
            let beta = x * gamma
            let product = (x - delta) * (x + delta)
            let alpha = product + product + product
            let four = beta + beta + beta + beta
            let newX = alpha * alpha - four - four
            let sum = y + z
            let square = gamma * gamma + gamma * gamma
            let eight = square + square + square + square
            return Point(newX, alpha * (four - newX) - eight, sum * sum - gamma - delta)
        }

        static func + (one: Point, other: Point) -> Point {
            if one.z == .zero { return other }
            if other.z == .zero { return one }
            let (first, second) = (one.z * one.z, other.z * other.z)
            let (u, v) = (one.x * second, one.y * second * other.z)
            let (h, r) = (other.x * first - u, other.y * first * one.z - v)
            if h == .zero { return r == .zero ? one.doubled : .infinity }
            let square = h * h
            let (cube, product) = (square * h, u * square)
            let newX = r * r - cube - product - product
            return Point(newX, r * (product - newX) - v * cube, h * one.z * other.z)
        }

        /// The same point with z = 1.
        fileprivate var affine: Point {
            let inverse = z.inverse
            let square = inverse * inverse
            return Point(x * square, y * square * inverse, .one)
        }
    }

    /// The generator.
    static let generator = Point(
        x: [
            0xB7, 0x0E, 0x0C, 0xBD, 0x6B, 0xB4, 0xBF, 0x7F, 0x32, 0x13, 0x90, 0xB9, 0x4A, 0x03, 0xC1, 0xD3, 0x56, 0xC2,
            0x11, 0x22, 0x34, 0x32, 0x80, 0xD6, 0x11, 0x5C, 0x1D, 0x21,
        ],
        y: [
            0xBD, 0x37, 0x63, 0x88, 0xB5, 0xF7, 0x23, 0xFB, 0x4C, 0x22, 0xDF, 0xE6, 0xCD, 0x43, 0x75, 0xA0, 0x5A, 0x07,
            0x47, 0x64, 0x44, 0xD5, 0x81, 0x99, 0x85, 0x00, 0x7E, 0x34,
        ])

    /// A point a number of times; not for 0 times.
    static func multiplied(_ count: Scalar, _ point: Point = generator) -> Point {
        var (result, power) = (Point.infinity, point)
        for byte in count.bytes.reversed() {
            for bit in 0..<8 {
                if byte >> bit & 1 == 1 { result = result + power }
                power = power.doubled
            }
        }
        return result.affine
    }
}

/// A prime of 224 bits, in limbs of 32 bits, least significant one first.
protocol VirtualP224Modulus: Sendable, Hashable {
    static var limbs: [UInt64] { get }
    /// Minus one divided by the modulus, modulo 2^32.
    static var factor: UInt64 { get }
    /// 2^448 modulo the prime.
    static var square: [UInt64] { get }
}

extension VirtualP224 {
    /// The prime of the field, 2^224 − 2^96 + 1.
    enum Field: VirtualP224Modulus {
        static let limbs: [UInt64] = [1, 0, 0, 0xFFFF_FFFF, 0xFFFF_FFFF, 0xFFFF_FFFF, 0xFFFF_FFFF]
        static let factor: UInt64 = 0xFFFF_FFFF
        static let square = VirtualP224.power(of: limbs)
    }

    /// The order of the generator.
    enum Order: VirtualP224Modulus {
        static let limbs: [UInt64] = [
            0x5C5C_2A3D, 0x13DD_2945, 0xE0B8_F03E, 0xFFFF_16A2, 0xFFFF_FFFF, 0xFFFF_FFFF, 0xFFFF_FFFF,
        ]
        static let factor: UInt64 = 0x6A1F_C2EB
        static let square = VirtualP224.power(of: limbs)
    }

    /// Adds a multiple.
    fileprivate static func add(_ limbs: [UInt64], times factor: UInt64, to sum: inout [UInt64]) {
        var carry: UInt64 = 0
        for index in 0..<7 {
            carry += sum[index] + limbs[index] * factor
            sum[index] = carry & 0xFFFF_FFFF
            carry >>= 32
        }
        carry += sum[7]
        sum[7] = carry & 0xFFFF_FFFF
        sum[8] += carry >> 32
    }

    /// Eight limbs modulo a prime, seven limbs. Only a few subtractions are needed, because the value is small.
    fileprivate static func reduced(_ limbs: [UInt64], _ modulus: [UInt64]) -> [UInt64] {
        var limbs = limbs
        while !isLess(limbs, modulus + [0]) { limbs = difference(limbs, modulus + [0]) }
        return Array(limbs.prefix(7))
    }

    private static func isLess(_ one: [UInt64], _ other: [UInt64]) -> Bool {
        one.reversed().lexicographicallyPrecedes(other.reversed())
    }

    fileprivate static func difference(_ one: [UInt64], _ other: [UInt64]) -> [UInt64] {
        var borrow: UInt64 = 0
        return one.indices.map { index in
            let value = one[index] &- other[index] &- borrow
            borrow = value >> 63
            return value & 0xFFFF_FFFF
        }
    }

    /// 2^448 modulo a prime, by doubling.
    fileprivate static func power(of modulus: [UInt64]) -> [UInt64] {
        (0..<448).reduce([1, 0, 0, 0, 0, 0, 0]) { value, _ in
            var carry: UInt64 = 0
            let doubled = value.map { limb in
                carry += limb << 1
                defer { carry >>= 32 }
                return carry & 0xFFFF_FFFF
            }
            return reduced(doubled + [carry], modulus)
        }
    }
}
