import ArgumentParser
import NDEF
import NFCProtocol
import VirtualTags

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A dump file in the place of a product.
struct DumpFile {
    private let input: InputFile

    /// Nil for the name of a product.
    ///
    /// A path and the usual endings are always a file; any other name is one where there is such a file and no such
    /// product.
    init?(_ argument: String) {
        let name = argument.lowercased()
        let isPath = argument.contains("/") || [".nfc", ".json", ".bin", ".mfd"].contains { name.hasSuffix($0) }
        guard isPath || (try? VirtualTagModel.named(argument)) == nil && access(argument, F_OK) == 0 else { return nil }
        input = InputFile(path: argument)
    }

    /// Reads the file and makes a tag of it.
    ///
    /// - Parameter filler: what bytes that the file does not have are filled with; nil refuses them.
    /// - Throws: `ExitCode`, after the reason was said: 66 where the file cannot be read, 65 where it is no dump that a tag
    ///   can be made of.
    func makeTag(filler: UInt8?) throws -> any VirtualTag {
        let bytes = try input.read(limit: TagImage.largestFile)
        do throws(DumpError) {
            return try TagImage(dump: bytes).makeTag(filler: filler)
        } catch {
            let advice = error.reason == .incomplete ? "; --fill 00 fills in what is not known" : ""
            Terminal.error("nfcctl: \(input.name): \(error)\(advice)")
            throw ExitCode.badData
        }
    }

    /// What asks the daemon for a tag with exactly this content: a dump written anew, with nothing left unknown.
    ///
    /// - Throws: `ExitCode` 65, after the reason was said, where the content is more than a line to the daemon can hold.
    static func parameters(for tag: any VirtualTag, on reader: String?) throws -> SimulatorPresent.Parameters {
        do throws(DumpError) {
            let parameters = SimulatorPresent.Parameters(reader: reader, dump: try TagImage(of: tag).jsonFile())
            if fits(parameters) { return parameters }
            Terminal.error("nfcctl: the content is too long for the daemon's socket; hold it to a reader with --vpcd")
        } catch {
            Terminal.error("nfcctl: \(error)")
        }
        throw ExitCode.badData
    }

    /// Whether there is room for it in a line, and for what the request puts around it.
    private static func fits(_ parameters: SimulatorPresent.Parameters) -> Bool {
        ((try? JSONLine.encode(parameters).count) ?? .max) <= JSONLine.maximumLength - 256
    }
}
