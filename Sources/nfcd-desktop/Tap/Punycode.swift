/// Labels of host names in ASCII (RFC 3492).
enum Punycode {
    private static let base: UInt32 = 36
    private static let (tMin, tMax): (UInt32, UInt32) = (1, 26)

    /// The label as `xn--…` where it is not ASCII; nil where it is too long for a host name.
    static func label(_ label: String) -> String? {
        let ascii = label.unicodeScalars.allSatisfy(\.isASCII) ? label : encode(label).map { "xn--\($0)" }
        return ascii.flatMap { (1...63).contains($0.utf8.count) ? $0 : nil }
    }

    /// The encoded form without its prefix; nil where numbers overflow.
    private static func encode(_ label: String) -> String? {
        let scalars = label.unicodeScalars.map(\.value)
        guard scalars.count <= 63 else { return nil }
        let basic = scalars.filter { $0 < 0x80 }
        var output = basic.compactMap { Unicode.Scalar($0) }.map(String.init).joined()
        if !basic.isEmpty { output += "-" }
        var (next, delta, bias) = (UInt32(0x80), UInt32(0), UInt32(72))
        var handled = UInt32(basic.count)
        while handled < UInt32(scalars.count) {
            guard let lowest = scalars.filter({ $0 >= next }).min() else { return nil }
            let (step, overflow) = (lowest - next).multipliedReportingOverflow(by: handled + 1)
            guard !overflow, delta <= UInt32.max - step - UInt32(scalars.count) else { return nil }
            delta += step
            next = lowest
            for scalar in scalars {
                if scalar < next { delta += 1 }
                guard scalar == next else { continue }
                output += digits(of: delta, bias)
                bias = adapted(delta, handled + 1, isFirst: handled == UInt32(basic.count))
                delta = 0
                handled += 1
            }
            delta += 1
            next += 1
        }
        return output
    }

    private static func digits(of delta: UInt32, _ bias: UInt32) -> String {
        var (rest, text, k) = (delta, "", base)
        while true {
            let threshold = k <= bias + tMin ? tMin : k >= bias + tMax ? tMax : k - bias
            guard rest >= threshold else { return text + digit(rest) }
            text += digit(threshold + (rest - threshold) % (base - threshold))
            rest = (rest - threshold) / (base - threshold)
            k += base
        }
    }

    private static func digit(_ value: UInt32) -> String {
        let code = value < 26 ? UInt8(ascii: "a") + UInt8(value) : UInt8(ascii: "0") + UInt8(value - 26)
        return String(Unicode.Scalar(code))
    }

    private static func adapted(_ delta: UInt32, _ count: UInt32, isFirst: Bool) -> UInt32 {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var k: UInt32 = 0
        while delta > (base - tMin) * tMax / 2 {
            delta /= base - tMin
            k += base
        }
        return k + (base - tMin + 1) * delta / (delta + 38)
    }
}
