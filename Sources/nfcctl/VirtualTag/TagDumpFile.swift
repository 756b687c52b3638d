import ArgumentParser
import NDEF
import NFCProtocol
import VirtualTags

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A dump file as the source of a virtual tag.
struct TagDumpFile {
    private let input: InputFile

    /// Returns nil if the argument is the name of a product.
    ///
    /// An argument with a slash or a usual extension is always a file; any other argument only if there is such a file but
    /// no such product.
    init?(_ argument: String) {
        let name = argument.lowercased()
        let isPath =
            argument.contains("/") || [".nfc", ".json", ".bin", ".mfd", ".mct"].contains { name.hasSuffix($0) }
        guard isPath || (try? VirtualTagModel.named(argument)) == nil && access(argument, F_OK) == 0 else { return nil }
        input = InputFile(path: argument)
    }

    /// Reads the file and creates a tag from it.
    ///
    /// - Parameter filler: the value of bytes that are missing in the file; nil rejects such files.
    /// - Throws: `ExitCode`, after printing the reason: 66 if the file cannot be read, 65 if no tag can be created from it.
    func makeTag(filler: UInt8?) throws -> any VirtualTag {
        let bytes = try input.read(limit: TagImage.largestFile)
        do throws(DumpError) {
            let file = try TagImage.read(dump: bytes)
            for warning in file.warnings { Terminal.error("nfcctl: warning: \(input.name): \(warning)") }
            return try file.image.makeTag(filler: filler)
        } catch {
            let advice = error.reason == .incomplete ? "; use --fill 00 to set missing bytes to 00" : ""
            Terminal.error("nfcctl: \(input.name): \(error)\(advice)")
            throw ExitCode.badData
        }
    }

    /// The parameters for presenting a tag with exactly this content: a complete dump of the tag.
    ///
    /// - Throws: `ExitCode` 65, after printing the reason, if the dump exceeds the line length of the protocol.
    static func parameters(for tag: any VirtualTag, on reader: String?) throws -> SimulatorPresent.Parameters {
        do throws(DumpError) {
            let parameters = SimulatorPresent.Parameters(reader: reader, dump: try TagImage(of: tag).jsonFile())
            if fits(parameters) { return parameters }
            Terminal.error("nfcctl: cannot send the tag to nfcd: its content is too long; use --vpcd")
        } catch {
            Terminal.error("nfcctl: cannot send the tag to nfcd: \(error)")
        }
        throw ExitCode.badData
    }

    /// Whether a request with the parameters fits in a line.
    static func fits(_ parameters: SimulatorPresent.Parameters) -> Bool {
        ((try? JSONLine.encode(parameters).count) ?? .max) <= JSONLine.maximumLength - 256
    }
}
