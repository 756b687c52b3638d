import Foundation
import TestSupport
import Testing

@testable import Cryptography

/// Where secrets are, and what is left of them.
@Suite struct SecretMemoryTests {
    private static func address(_ secret: SecretBytes) -> UInt {
        secret.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    }

    /// The flags of the mapping that has an address (proc(5), smaps).
    private static func flags(_ address: UInt) throws -> Set<Substring> {
        // Each read gives a part of it.
        let file = try #require(FileHandle(forReadingAtPath: "/proc/self/smaps"))
        var data = Data()
        while let part = try file.read(upToCount: 4096), !part.isEmpty { data += part }
        let text = String(decoding: data, as: UTF8.self)
        var isInside = false
        for line in text.split(separator: "\n") {
            let range = line.split(separator: " ")[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            if range.count == 2 { isInside = range[0] <= address && address < range[1] }
            if isInside, line.hasPrefix("VmFlags:") { return Set(line.split(separator: " ").dropFirst()) }
        }
        return []
    }

    @Test(arguments: [1, 16, 33, 4096, 5000, 100_000]) func `a secret is in no core dump and no child process`(
        count: Int
    ) throws {
        let secret = SecretBytes(randomCount: count)
        let flags = try Self.flags(Self.address(secret))
        #expect(flags.contains("dd"), "\(flags)")
        #expect(flags.contains("wf"), "\(flags)")
        withExtendedLifetime(secret) {}
    }

    @Test func `a key is locked where the limit allows it`() throws {
        let secret = SecretBytes(randomCount: 16)
        let limits = try String(contentsOfFile: "/proc/self/limits", encoding: .utf8).split(separator: "\n")
        let limit = limits.first { $0.hasPrefix("Max locked memory") }?.split(separator: " ")[3]
        // A program may have locked some of a small limit for something else.
        guard limit == "unlimited" || limit.flatMap({ Int($0) }).map({ $0 >= 1 << 20 }) == true else { return }
        #expect(try Self.flags(Self.address(secret)).contains("lo"))
        withExtendedLifetime(secret) {}
    }

    @Test func `thousands of keys share pages`() {
        let secrets = (0..<5000).map { SecretBytes([UInt8](repeating: UInt8($0 % 256), count: 16)) }
        let pages = Set(secrets.map { Self.address($0) / 4096 })
        #expect(pages.count < 100)
        #expect(Set(secrets.map(Self.address)).count == 5000)
        for (index, secret) in secrets.enumerated() { #expect(secret[15] == UInt8(index % 256)) }
    }

    @Test func `a freed slot is overwritten`() {
        // The slot stays mapped: what is in it can be read after the end of the secret.
        var secret: SecretBytes? = SecretBytes([UInt8](repeating: 0xAB, count: 3000))
        let address = secret.map(Self.address) ?? 0
        secret = nil
        let bytes = UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: 3000)
        #expect(!bytes.contains { $0 == 0xAB } || bytes.prefix(100).contains { $0 != 0xAB })
    }

    @Test func `parts, differences and paddings are those of the bytes`() {
        let secret = SecretBytes([1, 2, 3, 4, 5])
        #expect(secret.slice(1..<3).isEqual([2, 3]))
        #expect(secret.slice(3..<99).isEqual([4, 5]))
        #expect(secret.slice(7..<9).isEqual([UInt8]()))
        #expect(secret[4] == 5)
        #expect(secret[5] == nil && secret[-1] == nil)
        #expect(secret.rotatedLeft.isEqual([2, 3, 4, 5, 1]))
        #expect(SecretBytes([]).rotatedLeft.isEqual([UInt8]()))
        #expect(secret.exclusiveOr([1, 1, 1]).isEqual([0, 3, 2]))
        #expect(SecretBytes(joining: secret, [6], SecretBytes([7])).isEqual([1, 2, 3, 4, 5, 6, 7]))
        for count in 0...33 {
            let bytes = [UInt8](repeating: 0x80, count: count)
            let padded = SecretBytes(padding: bytes, to: 16)
            #expect(padded.count.isMultiple(of: 16) && padded.count > count)
            #expect(padded.unpadded?.isEqual(bytes) == true)
        }
        #expect(SecretBytes([]).unpadded == nil)
        #expect(SecretBytes([0, 0]).unpadded == nil)
        #expect(SecretBytes([0x80, 1]).unpadded == nil)
    }

    @Test func `an initializer that fails leaves nothing behind`() {
        for _ in 0..<1000 {
            #expect(throws: CryptographyError.self) {
                try SecretBytes(count: 16) { (_: UnsafeMutableRawBufferPointer) throws(CryptographyError) in
                    throw CryptographyError("a test")
                }
            }
        }
    }
}
