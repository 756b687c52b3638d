import NFCProtocol
import NFCReaders
import NFCTags
import VirtualTags

extension MethodTable {
    /// `simulator.*`; without simulated readers each says so.
    mutating func addSimulatorMethods(_ simulator: SimulatedDriver?) {
        on(SimulatorPresent.self) { parameters, peer in
            let simulator = try required(simulator)
            let tag = try virtualTag(parameters)
            let presentation: SimulatedDriver.Presentation
            do throws(SimulatorError) {
                presentation = try simulator.present(tag, on: parameters.reader)
            } catch {
                throw RPCError.invalidParameters("\(error)", path: error.parameter)
            }
            // A virtual tag lies on its reader for as long as the client that put it there is connected.
            peer.keep(presentation.name) { simulator.remove(presentation) }
            return Reply(
                SimulatorPresent.Result(
                    presentation: presentation.name, reader: presentation.reader.rawValue,
                    identifier: HexBytes(tag.identifier)))
        }
        on(SimulatorRemove.self) { parameters, peer in
            _ = try required(simulator)
            guard peer.undo(parameters.presentation) else {
                throw RPCError.invalidParameters(
                    "you have put no virtual tag of this name on a reader", path: "params.presentation")
            }
            return Reply(Empty())
        }
        on(SimulatorList.self) { _, _ in
            Reply(
                try required(simulator).presentations.map {
                    SimulatorList.Presentation(presentation: $0.name, reader: $0.reader.rawValue)
                })
        }
    }
}

private func required(_ simulator: SimulatedDriver?) throws(RPCError) -> SimulatedDriver {
    guard let simulator else {
        throw RPCError(.unsupportedFeature, detail: "this nfcd has no simulated readers; start one with --simulator 1")
    }
    return simulator
}

private func virtualTag(_ parameters: SimulatorPresent.Parameters) throws(RPCError) -> any VirtualTag {
    if let dump = parameters.dump { return try dumpedTag(dump, parameters) }
    guard let model = parameters.model else {
        throw .invalidParameters("name a product here, or send a dump file as dump", path: "params.model")
    }
    do throws(VirtualTagError) {
        return try VirtualTagModel.named(model).makeTag(
            identifier: parameters.identifier?.bytes, ndefMessage: parameters.ndef?.bytes)
    } catch {
        let parameter =
            switch error {
            case .unknownModel: "model"
            case .wrongIdentifierSize: "identifier"
            default: "ndef"
            }
        throw .invalidParameters("\(error)", path: "params.\(parameter)")
    }
}

extension SimulatedDriver.Presentation {
    /// The name of the presentation on the wire.
    fileprivate var name: String { "presentation-\(number)" }
}

extension SimulatorError {
    /// The parameter that is to blame.
    fileprivate var parameter: String {
        if case .unsupported = self { return "params.model" }
        return "params.reader"
    }
}

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
