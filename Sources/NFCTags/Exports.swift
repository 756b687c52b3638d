// Error codes and tag types are part of every interface of NFCTags, so whoever imports it has the vocabulary too.
@_exported public import NFCTypes
