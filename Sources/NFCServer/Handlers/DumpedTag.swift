import NFCProtocol
import VirtualTags

/// The tag that a dump file in the parameters of `simulator.present` describes.
func dumpedTag(_ dump: String, _ parameters: SimulatorPresent.Parameters) throws(RPCError) -> any VirtualTag {
    guard parameters.model == nil else {
        throw .invalidParameters("a dump says itself what tag it is of; leave out model", path: "params.dump")
    }
    guard parameters.identifier == nil else { throw notBesideDump("identifier") }
    guard parameters.ndef == nil else { throw notBesideDump("ndef") }
    do throws(DumpError) {
        // Text is never all hexadecimal digits: it begins with `F` and `i`, or with `{`.
        return try TagImage(dump: HexBytes(dump)?.bytes ?? Array(dump.utf8)).makeTag()
    } catch {
        throw .invalidParameters("\(error)", path: "params.dump")
    }
}

private func notBesideDump(_ name: String) -> RPCError {
    .invalidParameters("a dump has its own \(name); leave this out", path: "params.\(name)")
}
