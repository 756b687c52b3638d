// A test that imports CoreNFCTesting has CoreNFC, too, and what it needs to program a card or a tag.
@_exported public import CoreNFC
@_exported public import struct VirtualTags.CardScriptError
@_exported public import protocol VirtualTags.ContactlessCard
@_exported public import struct VirtualTags.FunctionApplication
@_exported public import struct VirtualTags.ScriptedApplication
@_exported public import protocol VirtualTags.TypeBCard
@_exported public import struct VirtualTags.VirtualAnswerToRequestB
@_exported public import protocol VirtualTags.VirtualApplication
@_exported public import struct VirtualTags.VirtualApplicationCard
@_exported public import struct VirtualTags.VirtualCardCommand
@_exported public import struct VirtualTags.VirtualCardResponse
@_exported public import protocol VirtualTags.VirtualTag
@_exported public import enum VirtualTags.VirtualTagAnswer
@_exported public import enum VirtualTags.VirtualTagTechnology
