// What the daemon receives and sends is described once, by the types of NFCProtocol, NDEF and NFCTypes. This library passes them
// on as they are, so an import of this one makes them available: a second set of types would only repeat about a hundred fields.
@_exported public import NDEF
@_exported public import NFCProtocol
@_exported public import NFCTypes
