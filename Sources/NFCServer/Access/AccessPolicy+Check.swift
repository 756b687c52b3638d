import NFCProtocol
import NFCSessions
import NFCTags

extension AccessPolicy {
    /// Lets a call pass, or refuses it.
    ///
    /// - Throws: ``RPCError`` 2, naming what is missing and the key that grants it.
    func check(_ requirement: Requirement?, of method: String, for principal: Principal) throws(RPCError) {
        switch requirement {
        case .nothing?, .format?: return
        case .capability(let capability)?:
            guard grants(capability, to: principal) else { throw RPCError(.notGranted(capability)) }
        case nil: throw .internalError("nothing says who may call \(method)")
        }
    }
}
