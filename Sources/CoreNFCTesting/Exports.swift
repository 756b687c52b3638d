// A test that imports CoreNFCTesting has CoreNFC, too, and what it needs to program a card.
@_exported public import CoreNFC
@_exported public import protocol VirtualTags.CardApplication
@_exported public import struct VirtualTags.CardCommand
@_exported public import struct VirtualTags.CardResponse
@_exported public import struct VirtualTags.FunctionApplication
@_exported public import struct VirtualTags.ScriptedApplication
