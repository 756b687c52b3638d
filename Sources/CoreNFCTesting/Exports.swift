// A test that imports CoreNFCTesting has CoreNFC, too.
@_exported public import CoreNFC
