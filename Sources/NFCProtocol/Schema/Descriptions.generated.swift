// swift-format-ignore-file
// Made by `make generate` from the declarations in NFCProtocol/Methods. Change those, not this file.

public import NDEF
public import NFCTypes

extension ServerInfo { public static var summary: String { "Returns what the daemon is, its limits, its methods and what the caller may do." } }
extension ServerInfo.Result: Described { package static let descriptions = [
    "name": "Always `nfcd`.",
    "version": "The release of the daemon.",
    "protocolVersion": "The version of the protocol: 1.",
    "methods": "The names of all methods of this daemon.",
    "readingAvailable": "Whether there is a working reader.",
    "readerService": "Whether nfcd can access readers: not while the PC/SC service is being started, nor while it is unavailable.",
    "readerServiceDetail": "The reason why nfcd cannot access readers.",
    "limits": "The limits that a client should know.",
    "journal": "The state of the journal of taps. Absent in the answer of an nfcd before 0.2.",
    "entitlements": "What the caller may do.", ] }
extension ServerInfo.Limits: Described { package static let descriptions = [
    "sessionTimeout": "The longest time that a session stays active, in seconds.",
    "lineLength": "The longest line, in bytes.",
    "sessionsPerClient": "The maximum number of sessions of one client.",
    "requestsPerBatch": "The maximum number of requests in a batch.",
    "connectionsPerUser": "The maximum number of connections of one user.",
    "memoryPerUser": "The bytes that the clients of one user may use together, for what they send and again for what they are sent. Each connection has 16 KiB more.",
    "outboundLimit": "The bytes of notifications that may be queued for a client that does not read them.",
    "textLength": "The longest text in parameters, in bytes of UTF-8, unless its description gives another limit.",
    "listLength": "The maximum number of entries of a list in parameters, unless its description gives another limit.", ] }
extension ServerInfo.Entitlements: Described { package static let descriptions = [
    "formats": "The session formats of all grants: `NDEF`, `TAG`, `PACE`.",
    "capabilities": "The capabilities of all grants: `read`, `write`, `lock`, `format`, `raw`, `raw-unscreened`, `background`, `taps`, `monitor`, `manage`, `simulate`, `personalise`, `personalise-permanently`.",
    "iso7816SelectIdentifiers": "The ISO/IEC 7816 applications of all grants, by name, in hexadecimal; `*` alone stands for all.",
    "feliCaSystemCodes": "The FeliCa systems of all grants, four hexadecimal digits each; `*` alone stands for all.",
    "readers": "The readers of all grants, by id or name; `*` alone stands for all.",
    "grants": "The grants. Something is allowed if one of them allows all of it. Absent in the answer of an nfcd before 0.2.", ] }
extension ServerInfo.Grant: Described { package static let descriptions = [
    "formats": "The session formats: `NDEF`, `TAG`, `PACE`.",
    "capabilities": "The capabilities.",
    "iso7816SelectIdentifiers": "The names of the ISO/IEC 7816 applications that may be selected, in hexadecimal; `*` alone stands for all.",
    "feliCaSystemCodes": "The FeliCa systems that may be polled, four hexadecimal digits each; `*` alone stands for all.",
    "readers": "The readers that may be used, by id or name; `*` alone stands for all.",
    "sessionTimeout": "The longest that a session of these formats may request, in seconds; absent: the limit of the daemon.", ] }
extension ReadersList { public static var summary: String { "Lists the readers and what each is doing, in the order in which they were plugged in." } }
extension ReadersList.Reader: Described { package static let descriptions = [
    "reader": "The id of the reader within nfcd.",
    "name": "The name of the reader for people.",
    "state": "What the reader is doing: no tag in its field, a tag in its field, held by a session, or no longer answering.",
    "technologies": "The technologies that the reader supports: `iso14443`, `iso15693`, `iso18092`.",
    "profile": "The reader family that nfcd recognized, which decides how commands are sent to a tag: `generic`, `acr122u` and so on.",
    "serial": "The serial number, if the reader reports one.",
    "failure": "The reason why the reader failed.",
    "blocked": "The reason why no tag can be read although the reader works: another program holds it.", ] }
extension RPCDiscover { public static var summary: String { "Returns this interface as an OpenRPC document." } }
extension RPCDiscover { public static var details: String { "The document is that of OpenRPC 1.3.2, \"Service Discovery Method\"." } }
extension CancelRequest { public static var summary: String { "Cancels a request of the same client that has not started." } }
extension CancelRequest { public static var details: String { "The cancelled request is answered with error -32800. A request that has started continues and is answered as usual. Can be sent as a request or as a notification." } }
extension CancelRequest.Parameters: Described { package static let descriptions = [
    "id": "The id of the request to cancel; the latest one if several have it. A request of a batch cannot be cancelled alone.", ] }
extension RequestProgress { public static var summary: String { "Reports the progress of a request that was sent with `progress`." } }
extension RequestProgress { public static var details: String { "The last report is sent before the answer." } }
extension RequestProgress: Described { package static let descriptions = [
    "id": "The id of the request.",
    "done": "The number of steps that are done.",
    "total": "The total number of steps.", ] }
extension SessionBegin { public static var summary: String { "Requests a reader session." } }
extension SessionBegin { public static var details: String { "Notifications report whether it becomes active, which tags it detects and how it ends." } }
extension SessionBegin.Parameters: Described { package static let descriptions = [
    "kind": "The kind of session: `ndef` reads messages, and its tags accept `tag.*`; `tag` delivers tags of any kind for raw commands.",
    "detection": "What an `ndef` session delivers: the messages of the tags (default), or the tags themselves for commands.",
    "pollingOption": "The technologies to poll for, at least one; the default is all but `pace`. The session ends with 1 if its readers support none of them. `pace` is for sessions of kind `tag` only.",
    "iso7816SelectIdentifiers": "Names of ISO/IEC 7816-4 applications, 5 to 16 bytes each, at most 128; only for kind `tag`. A card is delivered if it has one of them, and the first that it has is selected. Selecting any other application by its name or a part of it is refused with error 2. MIFARE Plus and DESFire cards without any of them are delivered as `miFare`. By default every card is delivered, nothing is selected, and every application may be.",
    "feliCaSystemCodes": "FeliCa system codes, 2 bytes each, none of them FF, at most 128; only for kind `tag`. A card is delivered if one of them answers, and no other system may be polled. By default every card is delivered and every system may be polled.",
    "defaultSelection": "Whether tags are delivered as on an iPhone where a list above is missing; the default is false. MIFARE Plus and DESFire cards are then delivered as `miFare`, of any other ISO/IEC 7816-4 card the NDEF application is selected if it has it, and a FeliCa card is polled for NDEF (12FC), then for its first system.",
    "invalidateAfterFirstRead": "Whether the session ends with 204 after the first message; the default is false.",
    "alertMessage": "A text for programs that show the session to people, at most 1,024 bytes.",
    "readers": "The readers to use, by id or name, at most 64 of at most 256 bytes each; the default is all that the caller may use.",
    "whenBusy": "What happens while another session holds a reader: `fail` (default) ends the session with 203, `queue` waits.",
    "waitForReader": "Whether to wait for a reader, for the recovery of a failed one, or for the PC/SC service, instead of ending with 1 or 6; the default is false. While the service is being started, every session waits.",
    "timeout": "The time limit of the active session in seconds, more than 0. The daemon's limit is the default and the maximum; a grant with `session-timeout` raises the maximum.",
    "queueTimeout": "The time limit for waiting in seconds, more than 0. The session then ends with 203 if another session is in the way, otherwise with 1 or 6. By default it waits without a limit.",
    "yields": "Whether the session yields its readers; the default is false. It ends with 203 as soon as another client's session that does not yield could have them without it, and never ends another session. It is sent `session.tagIgnored`. Between its commands, other PC/SC programs may use the tag.", ] }
extension SessionBegin.Result: Described { package static let descriptions = [
    "session": "The name of the session.", ] }
extension SessionConnect { public static var summary: String { "Connects to a detected tag, which then accepts commands." } }
extension SessionConnect { public static var details: String { "A session is connected to one tag at a time. A tag of type `iso7816` that is the only one in the field is also connected by its first command." } }
extension SessionRestartPolling { public static var summary: String { "Detects the tags in the field again." } }
extension SessionRestartPolling { public static var details: String { "They get new names; commands for the old names are refused. What the parameters change applies to this restart only. A tag that stays in the field is detected at most about twice a second: half a second after its last detection at the earliest." } }
extension SessionRestartPolling.Parameters: Described { package static let descriptions = [
    "session": "The session.",
    "pollingOption": "The technologies to poll for, as in `session.begin`.",
    "iso7816SelectIdentifiers": "Names of ISO/IEC 7816-4 applications, as in `session.begin`.",
    "feliCaSystemCodes": "FeliCa system codes, as in `session.begin`.", ] }
extension SessionSetAlertMessage { public static var summary: String { "Changes the text that is shown for the session." } }
extension SessionSetAlertMessage.Parameters: Described { package static let descriptions = [
    "session": "The session.",
    "message": "The new text, at most 1,024 bytes.", ] }
extension SessionSetYielding { public static var summary: String { "Changes whether the session yields its readers to other clients." } }
extension SessionSetYielding { public static var details: String { "`yields` of `session.begin` explains it. If it yields from now on and another client's session waits for its readers, it ends before the answer is sent." } }
extension SessionSetYielding.Parameters: Described { package static let descriptions = [
    "session": "The session.",
    "yields": "Whether it yields.", ] }
extension SessionInvalidate { public static var summary: String { "Ends the session, with 200." } }
extension SessionInvalidate.Parameters: Described { package static let descriptions = [
    "session": "The session.",
    "errorMessage": "A text that is reported as the reason, at most 1,024 bytes.", ] }
extension SessionDidBecomeActive { public static var summary: String { "The session holds its readers and polls for tags." } }
extension SessionDidBecomeActive: Described { package static let descriptions = [
    "session": "The session.", ] }
extension SessionDidDetectNDEFs { public static var summary: String { "A tag was detected and read." } }
extension SessionDidDetectNDEFs { public static var details: String { "If reading failed, `error` gives the reason." } }
extension SessionDidDetectNDEFs: Described { package static let descriptions = [
    "session": "The session.",
    "reader": "The id of the reader within nfcd.",
    "readerName": "The name of the reader for people.",
    "tag": "The name of the tag in the session.",
    "type": "CoreNFC's type of the tag.",
    "technology": "The technology of the tag, for people; absent if the tag could not be connected to.",
    "identifier": "The UID; empty if the reader does not report it.",
    "messages": "The messages on the tag; empty if there is none, and then `error` gives the reason.",
    "error": "The reason why there is no message.",
    "product": "The manufacturer's name for the product, if reading the message has shown it.",
    "proof": "What the tag has proven; absent if no profile fits it.", ] }
extension SessionDidDetectNDEFs.Failure: Described { package static let descriptions = [
    "code": "CoreNFC's code.",
    "name": "CoreNFC's short name of the code.",
    "message": "CoreNFC's text for the code.",
    "detail": "The cause in words.", ] }
extension SessionDidDetectTags { public static var summary: String { "Tags were detected and are ready for commands." } }
extension SessionDidDetectTags: Described { package static let descriptions = [
    "session": "The session.",
    "tags": "The tags, at least one.", ] }
extension SessionDidDetectTags.Tag: Described { package static let descriptions = [
    "tag": "The name of the tag in the session.",
    "reader": "The id of the reader within nfcd.",
    "readerName": "The name of the reader for people.",
    "type": "CoreNFC's type of the tag.",
    "technology": "The technology of the tag, for people.",
    "identifier": "The UID; empty if the reader does not report it.",
    "historicalBytes": "The historical bytes of a type A card of ISO/IEC 14443-4.",
    "applicationData": "The application data in the ATQB of a type B card.",
    "proprietaryApplicationDataCoding": "Whether the application data of a type B card is coded in a proprietary way; absent of other cards.",
    "initialSelectedAID": "The application that is selected: of `iso7816SelectIdentifiers`, or by `defaultSelection`.",
    "mifareFamily": "The family of a tag of type `miFare`.",
    "currentSystemCode": "The system that answered: of `feliCaSystemCodes`, or by `defaultSelection`.",
    "currentIDm": "The IDm that a FeliCa card answered with last.",
    "supportsPACE": "Whether the card supports PACE; absent unless the session polled for `pace` and the card was asked.",
    "polling": "How many times `session.restartPolling` had taken effect when the tag was detected. If this is less than the client's own count, the tag was detected before the latest restart and no longer belongs to the session.",
    "wasPresent": "True if the tag was in the field already when the session became active; otherwise absent.", ] }
extension SessionTagFailed { public static var summary: String { "A tag arrived, but could not be connected to." } }
extension SessionTagFailed { public static var details: String { "Sent to sessions that deliver tags." } }
extension SessionTagFailed: Described { package static let descriptions = [
    "session": "The session.",
    "reader": "The id of the reader within nfcd.",
    "code": "CoreNFC's code.",
    "name": "CoreNFC's short name of the code.",
    "detail": "The cause in words.", ] }
extension SessionTagIgnored { public static var summary: String { "A tag arrived on a reader of the session that the session does not look for." } }
extension SessionTagIgnored { public static var details: String { "Sent to sessions that began with `yields`, so that they can end at once." } }
extension SessionTagIgnored: Described { package static let descriptions = [
    "session": "The session.",
    "reader": "The id of the reader within nfcd.", ] }
extension SessionTagRemoved { public static var summary: String { "A reported tag has left the field." } }
extension SessionTagRemoved: Described { package static let descriptions = [
    "session": "The session.",
    "tag": "The name of the tag in the session.", ] }
extension SessionDidInvalidate { public static var summary: String { "The session has ended; `code` gives the reason, and nothing more is sent for the session." } }
extension SessionDidInvalidate: Described { package static let descriptions = [
    "session": "The session.",
    "code": "CoreNFC's code, e.g. 201.",
    "name": "CoreNFC's short name of the code, e.g. `SessionTimeout`.",
    "message": "CoreNFC's text for the code.",
    "detail": "The cause in words, or the error message of the client that ended the session; may be empty.", ] }
extension TagQueryNDEFStatus { public static var summary: String { "Returns whether a tag holds NDEF, and how much fits." } }
extension TagQueryNDEFStatus.Arguments: Described { package static let descriptions = [
    "content": "Whether to look for content that is recognized besides a message, which takes further reads; the default is false.", ] }
extension TagQueryNDEFStatus.Result: Described { package static let descriptions = [
    "status": "Whether the tag holds NDEF, and whether it can be written.",
    "capacity": "The size of the largest message that fits, in bytes; 0 without NDEF.",
    "reason": "The reason why there is no NDEF.",
    "formattable": "Whether `tag.format` can be expected to work and overwrites nothing; only if there is no NDEF.",
    "overwrites": "What `tag.format` would overwrite: other data in the tag's memory, described. It does so only if `overwrite` is true.",
    "obstacle": "The reason why `tag.format` cannot work on this tag.",
    "content": "What the memory holds besides a message, in a format that is recognized; only where `content` was true.", ] }
extension TagReadNDEF { public static var summary: String { "Reads the message on a tag." } }
extension TagReadNDEF.Arguments: Described { package static let descriptions = [
    "content": "Whether to look for content that is recognized besides the message, which takes further reads; the default is false.", ] }
extension TagReadNDEF.Result: Described { package static let descriptions = [
    "message": "The message.",
    "status": "Whether the message can be written.",
    "capacity": "The size of the largest message that fits, in bytes.",
    "content": "What the memory holds besides the message, in a format that is recognized; only where `content` was true.", ] }
extension TagWriteNDEF { public static var summary: String { "Writes a message to a tag and replaces the one on it." } }
extension TagWriteNDEF { public static var details: String { "A message without records erases the tag. One that would reach into content of a known format behind the message, such as that of a filament tag, is refused, unless `overwrite` is true." } }
extension TagWriteNDEF.Arguments: Described { package static let descriptions = [
    "message": "The message to write.",
    "verify": "Whether to read the message back and compare it; the default is false.",
    "overwrite": "Whether content behind the message may be overwritten; the default is false.",
    "progress": "Whether to report progress with `$/progress`; the default is false.", ] }
extension TagUpdateRecord { public static var summary: String { "Changes bytes inside the payload of a record, which keeps its length." } }
extension TagUpdateRecord { public static var details: String { "Only the blocks that differ are written; the header of the message is not, and only the locks of those blocks count. If other bytes than `old` are there, nothing is written. Wherever it is interrupted, the bytes in front of the change stay; what the changed bytes may be is in the error." } }
extension TagUpdateRecord.Arguments: Described { package static let descriptions = [
    "record": "The index of the record in the message, from 0.",
    "offset": "Where the first byte is in the record's payload, from 0.",
    "old": "The bytes that have to be there.",
    "new": "The bytes that replace them, as many.",
    "stop": "A byte that hides what is behind it while several blocks are written.",
    "steps": "What the bytes are between `old` and `new`, step by step: each has the same length. Not with `stop`.",
    "verify": "Whether to read the blocks back and compare them; the default is false.",
    "progress": "Whether to report progress with `$/progress`; the default is false.", ] }
extension TagUpdateRecord.Stop: Described { package static let descriptions = [
    "offset": "Where it is in the record's payload, within the change.",
    "byte": "The byte, such as FF, which ends a CBOR map.", ] }
extension TagFormat { public static var summary: String { "Formats a tag without NDEF, so that it holds an empty message." } }
extension TagFormat { public static var details: String { "A tag whose memory holds other data is refused, unless `overwrite` is true." } }
extension TagFormat.Arguments: Described { package static let descriptions = [
    "overwrite": "Whether other data in the tag's memory may be overwritten; the default is false.", ] }
extension TagWriteLock { public static var summary: String { "Makes a tag permanently read-only." } }
extension TagAuthenticate { public static var summary: String { "Authenticates to a tag with its password." } }
extension TagAuthenticate { public static var details: String { "The authentication lasts until the tag leaves the field, or until a raw command is sent to it. An ICODE SLIX2 answers nothing after a wrong password until it is reset, which the command does: then no password is in force." } }
extension TagAuthenticate.Arguments: Described { package static let descriptions = [
    "password": "The password, 4 bytes for Type 2 and ICODE SLIX2; 16 bytes are the AES key (DataProtKey) of MIFARE Ultralight AES.",
    "kind": "Which password of an ICODE SLIX2; the default is `read` where reading needs one, else `write`.", ] }
extension TagAuthenticate.Result: Described { package static let descriptions = [
    "acknowledge": "The proof that the tag knows the password too: PACK of Type 2. Empty for an AES key, which the tag has proved to know, and for ICODE SLIX2.", ] }
extension TagCancelCommands { public static var summary: String { "Cancels the commands to a tag that have not started." } }
extension TagCancelCommands { public static var details: String { "Each of them is answered with error -32800." } }
extension TagCancelCommands.Result: Described { package static let descriptions = [
    "cancelled": "The number of cancelled commands.", ] }
extension TagDescribe { public static var summary: String { "Returns the product, the memory and the lock state of a tag, as far as the tag reports them." } }
extension TagDumpMemory { public static var summary: String { "Reads all readable memory of a tag." } }
extension TagDumpMemory.Arguments: Described { package static let descriptions = [
    "progress": "Whether to report progress with `$/progress`; the default is false.", ] }
extension TagWriteMemory { public static var summary: String { "Replaces blocks of a tag's memory that hold data, and verifies them." } }
extension TagWriteMemory { public static var details: String { "Supported by Type 2 Tags whose product is recognized (the user pages from page 4 on) and by Type 5 Tags (all blocks). Lock bits, one-time bits, configuration and keys are never written. Blocks that have their content already are left. Content of a known format, that of a spool or of an item of a library, is not overwritten unless `overwrite` is true; what changes with the use of a spool, the remaining amount of a TigerTag, always may be. Wherever it is interrupted, the tag holds the old message, none, or the new content." } }
extension TagWriteMemory.Arguments: Described { package static let descriptions = [
    "blocks": "The pages or blocks, each once.",
    "overwrite": "Whether content of a known format may be overwritten: a TigerTag, an OpenPrintTag, the data of a maker of filament or a library; the default is false.",
    "progress": "Whether to report progress with `$/progress`; the default is false.", ] }
extension TagWriteMemory.Block: Described { package static let descriptions = [
    "number": "The number.",
    "bytes": "All its bytes.", ] }
extension TagWriteMemory.Result: Described { package static let descriptions = [
    "written": "How many blocks had another content.", ] }
extension TagSetPassword { public static var summary: String { "Protects a tag with a password, or changes its password." } }
extension TagSetPassword { public static var details: String { "Supported by NTAG21x and MIFARE Ultralight EV1, and by MIFARE Ultralight AES with an AES key instead of the password, on a reader that sends raw commands; and by ICODE SLIX2, whose pages are blocks, on a reader that sends ISO 15693 requests. Where the tag has a password already, give it first with `tag.authenticate`. The tag has to accept the new password before it is in force; wherever the command is interrupted, the tag has the old password, none, or the new one. A tag whose password is lost stays unchanged. An ICODE SLIX2 takes its read and its write password for a change of what they protect; those that were not given are tried as delivered, 00000000, where no page needs them." } }
extension TagRemovePassword { public static var summary: String { "Removes the password of a tag." } }
extension TagRemovePassword { public static var details: String { "Give the password first with `tag.authenticate`. Afterwards the tag has the password FFFFFFFF, or the key of zeros, that it was delivered with, and no page needs it. Those of an ICODE SLIX2 that were given become 00000000." } }
extension TagConfigure { public static var summary: String { "Changes settings of an NTAG21x or an ICODE SLIX2." } }
extension TagConfigure { public static var details: String { "What is not given stays unchanged. An NTAG21x has the NFC counter and the ASCII mirror, an ICODE SLIX2 the counter, AFI, EAS, permanent locks and privacy mode. The NTAG's counter and its mirror are supported by NTAG213, 215 and 216, the mirror of the UID by NTAG210 and 212 too. The tag shows the mirror instead of the stored bytes whenever it is read. Locks cannot be undone. In privacy mode no reader finds the tag: nfcd cannot see it any more, and only a device that sends the privacy password without looking for a tag ends it." } }
extension TagPersonalise { public static var summary: String { "Makes a tag one of a profile, with keys by which it proves itself; changes or undoes that." } }
extension TagPersonalise { public static var details: String { "The profiles and keys are those of nfcd's key file. The tag has to rest on the reader. Before the first change nfcd stores a record, from which `resume` finishes a tag that left early: no interruption loses a key. It is finished with any profile of the same keys. A tag with keys as delivered whose UID is that of one with other keys may be an imitation, and is refused. No key is in a request or in an answer. A permanent setting needs the capability `personalise-permanently` as well. Afterwards, the tag is as newly activated: select again what you need." } }
extension TagPersonalise.Arguments: Described { package static let descriptions = [
    "task": "What is done.",
    "profile": "The name of the profile; the default is the only one for tags of this product.",
    "dryRun": "Whether nothing is changed: the tag is asked, and the steps are returned. The default is false.",
    "permanent": "What the tag gets permanently; the default is nothing.",
    "overwriteMessage": "Whether a message that is on the tag may be lost; the default is false.",
    "requireSignature": "Whether a tag without the right signature of its maker is refused; the default is false.",
    "identifier": "The UID, 7 bytes, of a tag that hides it.",
    "credential": "What the protected file of a MIFARE DESFire says of its holder, at most 23 bytes; the default is what is in it, or its UID.",
    "keepCardKey": "Whether the master key of a MIFARE DESFire card is left alone; that of a card with other applications always is. The default is false.",
    "forgetRecord": "Whether `reset` has nfcd forget which keys it gave to a tag with this UID, although this one has keys as delivered. Whoever holds an imitation of that tag could then have its keys written to it: ask a person who knows that the tag was reset elsewhere. Without it, nfcd refuses such a tag. The default is false.",
    "progress": "Whether to report progress with `$/progress`; the default is false.", ] }
extension TagPersonalise.Result: Described { package static let descriptions = [
    "identifier": "The UID, 7 bytes; in a dry run with a tag that hides it, the one that was given.",
    "profile": "The profile.",
    "steps": "The steps that were taken; of a dry run, those that would be.",
    "signature": "The signature of the maker.",
    "keyVersions": "The versions of the tag's keys, from key 0 on, as they are now.",
    "counter": "The counter of the message that nfcd read to check it: that message is spent. Absent without such a message.",
    "refusedThrough": "The highest counter that nfcd has seen with these keys before the tag was reset, if the tag's own is not above it: nfcd refuses its messages up to there, until `rotate` gives it other keys. Absent otherwise.",
    "credential": "What the protected file of a MIFARE DESFire says of its holder. Absent for other tags.",
    "remarks": "What a person should know besides, such as what cannot be undone.",
    "dryRun": "Whether nothing was changed.", ] }
extension TagQueryPersonalisation { public static var summary: String { "Returns how far a tag is one of a profile, as it claims. Nothing on the tag changes." } }
extension TagQueryPersonalisation { public static var details: String { "No key of the profile is tried. A UID that was given for a tag that hides its own is not compared with the tag's; `tag.personalise` with the task `verify` proves it." } }
extension TagQueryPersonalisation.Arguments: Described { package static let descriptions = [
    "profile": "The name of the profile; the default is the only one for tags of this product.",
    "identifier": "The UID, 7 bytes, of a tag that hides it.", ] }
extension TagQueryPersonalisation.Result: Described { package static let descriptions = [
    "identifier": "The UID, 7 bytes; of a tag that hides it, the one that was given.",
    "identifierGiven": "Whether the identifier is the one that was given, because the tag hides its UID: nothing proves that it is the tag's. Absent otherwise.",
    "profile": "The profile.",
    "state": "How far the tag is one of the profile.",
    "interrupted": "What `resume` would finish; absent unless something was interrupted.",
    "signature": "The signature of the maker.",
    "keyVersions": "The versions of the tag's keys, from key 0 on.",
    "currentKeyVersions": "The versions that a tag gets that is set up now.",
    "remarks": "What a person should know besides.", ] }
extension ISO7816SendCommand { public static var summary: String { "Sends a command APDU." } }
extension ISO7816SendCommand.Arguments: Described { package static let descriptions = [
    "apdu": "The command APDU, 4 to 65,544 bytes.", ] }
extension ISO7816SendCommand.Result: Described { package static let descriptions = [
    "data": "The response data.",
    "sw1": "The first byte of the status word.",
    "sw2": "The second byte of the status word.", ] }
extension MiFareSendCommand { public static var summary: String { "Sends a command of a MIFARE tag's own command set." } }
extension MiFareSendCommand { public static var details: String { "MIFARE Plus and DESFire cards that are delivered as `miFare` take their native commands, one frame at a time; the answer begins with the status byte. A frame to MIFARE Plus is sent unchanged; some readers pass only command APDUs. An ACK of an NTAG or Ultralight is the byte 0A; where the reader hides it, a WRITE is verified by reading the page back." } }
extension MiFareSendCommand.Arguments: Described { package static let descriptions = [
    "command": "The frame, at least one byte. The reader appends the CRC.", ] }
extension MiFareSendISO7816Command { public static var summary: String { "Sends a command APDU to a MIFARE tag." } }
extension MiFareSendISO7816Command { public static var details: String { "CoreNFC has two names for this command; the other one is `iso7816.sendCommand`." } }
extension FeliCaSendCommand { public static var summary: String { "Sends a FeliCa command." } }
extension FeliCaSendCommand.Arguments: Described { package static let descriptions = [
    "packet": "The packet from the command code on, 1 to 254 bytes. As in CoreNFC, the length byte and the CRC are added.", ] }
extension ISO15693SendRequest { public static var summary: String { "Sends a request of ISO/IEC 15693." } }
extension ISO15693SendRequest { public static var details: String { "If the address flag is set, `data` begins with the UID." } }
extension ISO15693SendRequest.Arguments: Described { package static let descriptions = [
    "requestFlags": "The flags byte.",
    "commandCode": "The command code.",
    "data": "The bytes after the command code; by default there are none.", ] }
extension ISO15693SendRequest.Result: Described { package static let descriptions = [
    "responseFlag": "The flags byte. If the error flag (01) is set, `data` holds the error code; that is not an error of the request.",
    "data": "The bytes after the flags byte.", ] }
extension RawAnswer: Described { package static let descriptions = [
    "data": "The bytes of the answer; of a FeliCa card from the response code on.", ] }
extension MiFareClassicAuthenticate { public static var summary: String { "Authenticates to the sector of a block with one of its keys." } }
extension MiFareClassicAuthenticate { public static var details: String { "The sector stays authenticated until another one is, or until the card receives a command other than those of `miFareClassic`. A wrong key halts the card." } }
extension MiFareClassicAuthenticate.Arguments: Described { package static let descriptions = [
    "block": "The number of any block of the sector.",
    "keyType": "Which of the two keys of the sector: A or B.",
    "key": "The key, 6 bytes.", ] }
extension MiFareClassicReadBlock { public static var summary: String { "Reads a block of the authenticated sector." } }
extension MiFareClassicReadBlock { public static var details: String { "Key A in a sector trailer reads as zeros." } }
extension MiFareClassicReadBlock.Arguments: Described { package static let descriptions = [
    "block": "The number of the block.", ] }
extension MiFareClassicWriteBlock { public static var summary: String { "Writes a block of the authenticated sector." } }
extension MiFareClassicWriteBlock { public static var details: String { "Block 0 is refused, and a sector trailer unless `allowTrailer` is set." } }
extension MiFareClassicWriteBlock.Arguments: Described { package static let descriptions = [
    "block": "The number of the block.",
    "data": "The new content, 16 bytes.",
    "allowTrailer": "Whether a sector trailer may be written; the default is false. A wrong trailer makes its sector permanently unusable.", ] }
extension MiFareClassicIncrement { public static var summary: String { "Increases the value in a value block of the authenticated sector." } }
extension MiFareClassicIncrement { public static var details: String { "Sends INCREMENT and TRANSFER." } }
extension MiFareClassicDecrement { public static var summary: String { "Decreases the value in a value block of the authenticated sector." } }
extension MiFareClassicDecrement { public static var details: String { "Sends DECREMENT and TRANSFER." } }
extension MiFareClassicAmount: Described { package static let descriptions = [
    "block": "The number of the value block.",
    "amount": "The amount to change the value by, not negative.", ] }
extension MiFareClassicRestore { public static var summary: String { "Copies a value block of the authenticated sector to another block of the sector." } }
extension MiFareClassicRestore { public static var details: String { "Sends RESTORE and TRANSFER, which readers offer as one command only." } }
extension MiFareClassicRestore.Arguments: Described { package static let descriptions = [
    "block": "The number of the block to copy.",
    "destination": "The number of the block to copy it to.", ] }
extension BackgroundSubscribe { public static var summary: String { "Subscribes to taps on readers that no session holds." } }
extension BackgroundSubscribe { public static var details: String { "A tag is reported once when it arrives, to the clients that had subscribed by then; a tag that stays is not reported again. A session that becomes active before the tag was read takes the tap over: the session detects the tag, and subscribers receive nothing. A client receives the taps on the readers on which one grant gives it both capabilities, as the rules are at that moment." } }
extension BackgroundSubscribe.Filter: Described { package static let descriptions = [
    "uriPrefix": "A prefix of the record's URI; case matters.",
    "uriHost": "The host of the record's URI; case does not matter.",
    "uriSchemes": "The schemes of the URIs to accept, such as `tel`, beside http, https and the one that `uriPrefix` spells out; `*` is every scheme. Others match no condition for URIs, and are never in `uri`.",
    "mimeType": "The record's media type; case and parameters do not matter.",
    "externalType": "The record's external type, such as `example.com:door`; case does not matter.",
    "kind": "The kind of record: the `kind` of its decoded form, such as `uri` or `text`.",
    "identifier": "The UID of the tag.",
    "reader": "The reader, by id or name.", ] }
extension BackgroundSubscribe.Parameters: Described { package static let descriptions = [
    "filter": "The conditions for a tap. All that are given have to match, those about a record on the same record. The default is every tap, including those of tags without a message.",
    "removals": "Whether `background.tagRemoved` follows each tap when its tag leaves; default false.",
    "require": "`proven`: only taps whose tag has proven itself; the default is all.", ] }
extension BackgroundSubscribe.Result: Described { package static let descriptions = [
    "subscription": "The name of the subscription.", ] }
extension BackgroundUnsubscribe { public static var summary: String { "Ends a subscription to taps." } }
extension BackgroundUnsubscribe { public static var details: String { "A subscription also ends with its connection." } }
extension BackgroundUnsubscribe.Parameters: Described { package static let descriptions = [
    "subscription": "The name of the subscription.", ] }
extension BackgroundDidReadTag { public static var summary: String { "A tag arrived at a reader that no session holds, and was read." } }
extension BackgroundDidReadTag: Described { package static let descriptions = [
    "subscription": "The subscription whose filter matched.",
    "reader": "The id of the reader within nfcd.",
    "readerName": "The name of the reader for people.",
    "tag": "The tag.",
    "messages": "The messages on the tag; empty if there is none, and then `error` gives the reason.",
    "uri": "The URI of the record that the filter matched; with a filter that is not about records, the first one of the messages. Absent if there is none whose scheme is http, https or one that the filter accepts.",
    "record": "The place of the record that the filter matched, counted from 0 through the messages; absent if the filter is not about records.",
    "text": "The text of their first Text record; absent if there is none.",
    "status": "Whether the tag holds NDEF, and whether it can be written; absent if reading failed.",
    "capacity": "The size of the largest message that fits, in bytes.",
    "error": "The reason why there is no message.",
    "proof": "What the tag has proven; absent if no profile fits it.", ] }
extension BackgroundDidReadTag.Tag: Described { package static let descriptions = [
    "type": "CoreNFC's type of the tag.",
    "technology": "The technology of the tag, for people; absent if the tag could not be connected to.",
    "identifier": "The UID; empty if the reader does not report it.",
    "product": "The manufacturer's name for the product, if reading the message has shown it.", ] }
extension BackgroundTagRemoved { public static var summary: String { "The tag of a tap left the field, or its reader was unplugged or failed." } }
extension BackgroundTagRemoved { public static var details: String { "It follows each tap of a subscription with `removals` once, and immediately where the tag left before it was read. A session that detects the tag again in between changes nothing." } }
extension BackgroundTagRemoved: Described { package static let descriptions = [
    "subscription": "The subscription that received the tap.",
    "reader": "The id of the reader within nfcd.",
    "readerName": "The name of the reader for people.",
    "tag": "The tag, as in its tap.", ] }
extension TapsSubscribe { public static var summary: String { "Subscribes to the taps of the journal, in order." } }
extension TapsSubscribe { public static var details: String { "Each is a `taps.didRecord`. Up to 100 are sent before the client acknowledges them, fewer of those with long messages; then the next wait. A client gets the taps of the readers that its grants allow." } }
extension TapsSubscribe.Parameters: Described { package static let descriptions = [
    "consumer": "The name of a consumer: the journal keeps its taps until it acknowledges them, also while it is not connected. 1 to 128 bytes. Without it, nothing is kept for the subscription.",
    "after": "The sequence number after which to begin; the default is what the consumer acknowledged last, and for a new one, or without one, the newest tap.",
    "require": "`proven`: only taps whose tag has proven itself; the default is all. The consumer acknowledges the others without receiving them.", ] }
extension TapsSubscribe.Result: Described { package static let descriptions = [
    "subscription": "The name of the subscription.",
    "epoch": "The journal that the sequence numbers are of; another one after it was lost.",
    "after": "The sequence number after which the taps begin.",
    "newest": "The sequence number of the newest tap; 0 if there is none.", ] }
extension TapsUnsubscribe { public static var summary: String { "Ends a subscription of `taps.subscribe`. The consumer keeps its place." } }
extension TapsUnsubscribe.Parameters: Described { package static let descriptions = [
    "subscription": "The subscription.", ] }
extension TapsAcknowledge { public static var summary: String { "Acknowledges every tap up to a sequence number." } }
extension TapsAcknowledge { public static var details: String { "It names a subscription of the client, whose next taps are then sent, or a consumer. A consumer that does not exist is added. Its name belongs to the user of the client. A consumer that acknowledges less than before gets the later taps again, as far as the journal still has them." } }
extension TapsAcknowledge.Parameters: Described { package static let descriptions = [
    "subscription": "The subscription. Its consumer, if it has one, acknowledges the taps.",
    "consumer": "The consumer, 1 to 128 bytes; either this or `subscription` is required.",
    "sequence": "The sequence number of the last tap that the client has stored. Without it, a new consumer begins with the next tap, and an old one keeps its place.", ] }
extension TapsAcknowledge.Result: Described { package static let descriptions = [
    "epoch": "The journal that the sequence number is of.",
    "acknowledged": "What is acknowledged now.", ] }
extension TapsList { public static var summary: String { "Lists taps of the journal: those after a sequence number in order, or the newest first." } }
extension TapsList { public static var details: String { "An answer has as many as fit into a line." } }
extension TapsList.Parameters: Described { package static let descriptions = [
    "after": "The sequence number after which to begin; the default is 0, the oldest tap. With `newestFirst`, the number before which to begin, and by default the newest tap.",
    "readers": "The ids of the readers whose taps to list; the default is all.",
    "limit": "The most taps to return, 1 to 1000; the default is 100.",
    "newestFirst": "Whether the newest tap is listed first; the default is false.", ] }
extension TapsList.Result: Described { package static let descriptions = [
    "epoch": "The journal that the sequence numbers are of.",
    "taps": "The taps.",
    "hasMore": "Whether there are more.", ] }
extension TapsStatus { public static var summary: String { "Returns the state of the journal and its consumers." } }
extension TapsStatus.Consumer: Described { package static let descriptions = [
    "name": "The name.",
    "uid": "The user it belongs to.",
    "acknowledged": "The last tap it acknowledged; 0 for none.",
    "backlog": "How many taps it has not acknowledged.",
    "oldest": "When the oldest tap it has not acknowledged was read: RFC 3339, in UTC; absent if there is none.",
    "lost": "How many taps were deleted although it had not acknowledged them.", ] }
extension TapsStatus.Result: Described { package static let descriptions = [
    "state": "Whether the journal takes taps.",
    "reason": "The reason why it does not, and what to do.",
    "epoch": "The journal that the sequence numbers are of; empty if there is none.",
    "oldest": "The sequence number of the oldest tap; 0 if there is none.",
    "newest": "The sequence number of the newest tap; 0 if there is none.",
    "taps": "The number of taps.",
    "tapLimit": "The limit of `taps`.",
    "bytes": "The size of the taps in bytes.",
    "byteLimit": "The limit of `bytes`.",
    "dropped": "The number of taps that were deleted although a consumer had not acknowledged them.",
    "movedAside": "The number of damaged journals that were moved aside.",
    "identifiers": "The form in which the journal stores the UIDs of tags; absent if there is no journal, or if it could not be opened.",
    "consumers": "The consumers, by name.", ] }
extension TapsRemoveConsumer { public static var summary: String { "Removes a consumer that is gone permanently, so that the journal no longer keeps taps for it." } }
extension TapsRemoveConsumer { public static var details: String { "A consumer of another user needs `manage`." } }
extension TapsRemoveConsumer.Parameters: Described { package static let descriptions = [
    "consumer": "The name.", ] }
extension TapsPrune { public static var summary: String { "Deletes the oldest taps of the journal." } }
extension TapsPrune.Parameters: Described { package static let descriptions = [
    "through": "The sequence number of the last tap to delete.",
    "includeUndelivered": "Whether also taps are deleted that a consumer has not acknowledged; the default is false.", ] }
extension TapsPrune.Result: Described { package static let descriptions = [
    "removed": "The number of taps that were deleted.", ] }
extension TapsDidRecord { public static var summary: String { "A tap was stored in the journal." } }
extension TapsDidRecord: Described { package static let descriptions = [
    "subscription": "The subscription.",
    "tap": "The tap.", ] }
extension EventsSubscribe { public static var summary: String { "Subscribes to events of readers, tags and the sessions of all clients." } }
extension EventsSubscribe { public static var details: String { "`readers.list` and `sessions.list` return what exists already." } }
extension SessionsList { public static var summary: String { "Lists sessions: the active ones first, then the waiting ones in their order." } }
extension SessionsList { public static var details: String { "With `monitor`, those of all clients, otherwise those of the clients of the caller's user. An answer has as many as fit into a line. A client gets the rest with `offset`, until an answer is empty." } }
extension SessionsList.Parameters: Described { package static let descriptions = [
    "offset": "The number of sessions to leave out, from the beginning of the list; the default is 0.", ] }
extension SessionsList.Session: Described { package static let descriptions = [
    "session": "The name of the session.",
    "client": "The process of the client that owns the session.",
    "state": "Whether the session waits for its readers or holds them.",
    "readers": "The ids of the readers that the session holds or waits for.",
    "kind": "The kind of session.",
    "alertMessage": "The text that is shown for the session.",
    "since": "The time when the session entered its state: RFC 3339, in UTC.",
    "remaining": "The time until the session ends with 201, in seconds; absent while it waits.", ] }
extension SessionsCancel { public static var summary: String { "Ends a session of any client, with 200." } }
extension ReadersIdentify { public static var summary: String { "Shows at a reader which one it is, by its light and sound." } }
extension ReadersIdentify { public static var details: String { "A reader that a session holds, that failed, or whose feedback is not configured shows nothing." } }
extension ReadersIdentify.Parameters: Described { package static let descriptions = [
    "reader": "The id of the reader; the default is all readers.", ] }
extension ReadersIdentify.Result: Described { package static let descriptions = [
    "readers": "The ids of the readers that show it.", ] }
extension ServerMetrics { public static var summary: String { "Returns counters and durations since the start of the daemon, in the text format of Prometheus." } }
extension ServerMetrics.Result: Described { package static let descriptions = [
    "text": "The metrics in the text format 0.0.4 of Prometheus.", ] }
extension ClientProcess: Described { package static let descriptions = [
    "uid": "The user id of the process.",
    "pid": "The process id.", ] }
extension SessionBegan { public static var summary: String { "A session of any client became active." } }
extension SessionBegan: Described { package static let descriptions = [
    "session": "The session.",
    "client": "The process of the client that owns the session.",
    "readers": "The ids of the readers that the session holds.",
    "kind": "The kind of session.", ] }
extension SessionEnded { public static var summary: String { "A session of any client ended." } }
extension SessionEnded { public static var details: String { "Also sent for a session that never became active." } }
extension SessionEnded: Described { package static let descriptions = [
    "session": "The session.",
    "code": "CoreNFC's code, e.g. 201.",
    "name": "CoreNFC's short name of the code, e.g. `SessionTimeout`.", ] }
extension ReaderAttached { public static var summary: String { "A reader was plugged in." } }
extension ReaderAttached: Described { package static let descriptions = [
    "reader": "The id of the reader within nfcd.",
    "name": "The name of the reader for people.",
    "technologies": "The technologies that the reader supports: `iso14443`, `iso15693`, `iso18092`.",
    "profile": "The reader family that nfcd recognized, as in `readers.list`.",
    "serial": "The serial number, if the reader reports one.", ] }
extension ReaderDetached { public static var summary: String { "A reader was unplugged, or its PC/SC service stopped." } }
extension ReaderDetached: Described { package static let descriptions = [
    "reader": "The id of the reader within nfcd.", ] }
extension ReaderFailed { public static var summary: String { "A reader no longer answers." } }
extension ReaderFailed: Described { package static let descriptions = [
    "reader": "The id of the reader within nfcd.",
    "failure": "The reason in words.", ] }
extension ReaderRecovered { public static var summary: String { "A failed reader answers again." } }
extension ReaderRecovered: Described { package static let descriptions = [
    "reader": "The id of the reader within nfcd.", ] }
extension ReaderTagArrived { public static var summary: String { "A tag entered the field of a reader." } }
extension ReaderTagArrived: Described { package static let descriptions = [
    "reader": "The id of the reader within nfcd.", ] }
extension ReaderTagLeft { public static var summary: String { "The tag left the field of a reader." } }
extension ReaderTagLeft: Described { package static let descriptions = [
    "reader": "The id of the reader within nfcd.", ] }
extension NoticesShow { public static var summary: String { "Shows a text to people who monitor nfcd, such as a request for a card." } }
extension NoticesShow { public static var details: String { "It is shown until `notices.hide`, or until the client disconnects. A client may show at most 8 at a time; another is refused with error 203." } }
extension NoticesShow.Parameters: Described { package static let descriptions = [
    "text": "The text, at most 1,024 bytes.", ] }
extension NoticesShow.Result: Described { package static let descriptions = [
    "notice": "The name of the notice.", ] }
extension NoticesHide { public static var summary: String { "Hides a notice of the client. Has no effect on one that is not shown." } }
extension NoticesHide.Parameters: Described { package static let descriptions = [
    "notice": "The name of the notice.", ] }
extension NoticeShown { public static var summary: String { "A client shows a text to people." } }
extension NoticeShown { public static var details: String { "A client that subscribes is sent the notices that are shown already." } }
extension NoticeShown: Described { package static let descriptions = [
    "notice": "The name of the notice.",
    "text": "The text.",
    "client": "The process of the client that shows it.", ] }
extension NoticeHidden { public static var summary: String { "A notice is no longer shown." } }
extension NoticeHidden: Described { package static let descriptions = [
    "notice": "The name of the notice.", ] }
extension RecordingStart { public static var summary: String { "Records the exchanges with tags and the events of readers, for a report or a test." } }
extension RecordingStart { public static var details: String { "Each line of the recording comes as `recording.didRecord`, the first ones with the readers and their tags. Secrets are masked before they are sent: keys, passwords, PINs, and whatever nfcd cannot judge. It ends with `recording.stop`, or when the client disconnects; a client that does not read fast enough is disconnected. At most 16 recordings run at a time; another is refused with error 203." } }
extension RecordingStart.Parameters: Described { package static let descriptions = [
    "reader": "The id or name of the reader; the default is all readers.",
    "withContent": "Whether the contents of tags are recorded; needs `read` and `raw` as well. The default is false.", ] }
extension RecordingStart.Result: Described { package static let descriptions = [
    "recording": "The name of the recording.", ] }
extension RecordingStop { public static var summary: String { "Ends a recording of the client." } }
extension RecordingStop { public static var details: String { "The lines that it has so far still come, and then one with the event `end`." } }
extension RecordingStop.Parameters: Described { package static let descriptions = [
    "recording": "The name of the recording.", ] }
extension RecordingDidRecord { public static var summary: String { "A line of a recording." } }
extension RecordingDidRecord: Described { package static let descriptions = [
    "recording": "The name of the recording.",
    "line": "The line: one JSON object without a newline, as it is in the file of a recording.", ] }
extension SimulatorPresent { public static var summary: String { "Puts a virtual tag on a simulated reader." } }
extension SimulatorPresent { public static var details: String { "It stays until `simulator.remove`, or until the client disconnects." } }
extension SimulatorPresent.Parameters: Described { package static let descriptions = [
    "reader": "The simulated reader; the default is the first empty one.",
    "model": "The product, e.g. `ntag215`; required unless `dump`, `recording` or `profile` is given.",
    "identifier": "The UID, in the length that the product has.",
    "ndef": "A raw NDEF message; empty for a formatted tag without a message. By default the tag is as it leaves the factory.",
    "dump": "A dump file instead of a product: the text of a Flipper or JSON file, or the bytes of another in hexadecimal.",
    "recording": "The lines of a recording (`nfcctl record`) instead of a product: its first tag, which answers only what was recorded.",
    "profile": "A profile of nfcd's key file instead of a product: the tag has the keys of the profile, which stay in nfcd.",
    "copy": "Whether the tag of the profile is a copy: with the same UID and message, and without the keys.",
    "removedAtCommand": "The APDU, counted from 1, at which the tag is taken away: it executes the command, and its answer is lost.", ] }
extension SimulatorPresent.Result: Described { package static let descriptions = [
    "presentation": "The name of the presentation, for `simulator.remove`.",
    "reader": "The id of the simulated reader.",
    "identifier": "The UID of the virtual tag.", ] }
extension SimulatorRemove { public static var summary: String { "Takes a virtual tag of the caller off its reader." } }
extension SimulatorRemove.Parameters: Described { package static let descriptions = [
    "presentation": "The name of the presentation, from `simulator.present`.", ] }
extension SimulatorList { public static var summary: String { "Lists the virtual tags on simulated readers, in the order of the readers." } }
extension SimulatorList.Presentation: Described { package static let descriptions = [
    "presentation": "The name of the presentation, from `simulator.present`.",
    "reader": "The id of the simulated reader.", ] }
extension SimulatorPlug { public static var summary: String { "Unplugs a simulated reader, or plugs it in again." } }
extension SimulatorPlug { public static var details: String { "A virtual tag on it is removed. A reader that is unplugged stays so until it is plugged in." } }
extension SimulatorPlug.Parameters: Described { package static let descriptions = [
    "reader": "The id of the simulated reader.",
    "connected": "Whether it is plugged in from now on.", ] }
extension RecordedTap: Described { package static let descriptions = [
    "sequence": "Its place among the taps of all readers: greater than that of every earlier tap.",
    "id": "A UUID of version 7, the same in every delivery of this tap.",
    "time": "When the tag was read: RFC 3339 with milliseconds, in UTC.",
    "reader": "The id of the reader within nfcd.",
    "readerName": "The name of the reader for people.",
    "readerSequence": "Its place among the taps of its reader, counted from 1 without gaps: a gap shows a loss.",
    "tag": "The tag.",
    "message": "The message; null if there is none, and then `error` gives the reason.",
    "uri": "The first URI of the message whose scheme is http or https; absent if there is none. Others are in the message.",
    "text": "The text of its first Text record; absent if there is none.",
    "error": "The reason why there is no message.",
    "status": "Whether the tag holds NDEF, and whether it can be written; absent if reading failed.",
    "capacity": "The size of the largest message that fits, in bytes.",
    "proof": "What the tag has proven; absent if no profile fits it.",
    "session": "The session that the tap belonged to; absent if it was read in the background.",
    "epoch": "The journal that `sequence` is of: a new one begins at 1 again.",
    "bootID": "The boot of the machine.",
    "bootTime": "When the tag was read, in seconds since that boot.",
    "clock": "Whether `time` is right.", ] }
extension RecordedTap.Tag: Described { package static let descriptions = [
    "type": "CoreNFC's type of the tag.",
    "technology": "The technology of the tag, for people; absent if the tag could not be connected to.",
    "identifier": "The UID; empty if the reader does not report it, or if the journal does not store it.",
    "identifierForm": "The form of `identifier`, unless it is the UID itself.", ] }
extension TagAddress: Described { package static let descriptions = [
    "session": "The session that detected the tag.",
    "tag": "The name of the tag in its session, from the notification that reported it.", ] }
extension TimeLimit: Described { package static let descriptions = [
    "timeout": "The time limit for the whole command in seconds, more than 0 and at most 60. The default is the reader's own limit for each exchange. After a timeout (error 102) the tag has to be detected again.", ] }
extension RPCError: Described { package static let descriptions = [
    "code": "The code: JSON-RPC's or CoreNFC's number.",
    "message": "The error in words.",
    "data": "The details, for programs.", ] }
extension RPCError.Details: Described { package static let descriptions = [
    "domain": "`NFCError` for CoreNFC's codes.",
    "name": "CoreNFC's short name, e.g. `SessionInvalidated`.",
    "detail": "The cause in words.",
    "path": "The parameter that is wrong, e.g. `params.readers[0]`.",
    "response": "The answer of the tag, if the answer is the cause.",
    "statusWord": "The status word of that answer, if it has one.", ] }
extension HexBytes: Described { package static let descriptions = [
    "bytes": "The bytes.", ] }
extension TagDescription: Described { package static let descriptions = [
    "product": "The manufacturer's name for the product, if known.",
    "manufacturer": "The manufacturer, if known.",
    "memorySize": "The size of the whole memory in bytes, if known.",
    "blockSize": "The size of a page or block in bytes.",
    "lockState": "Whether the content can be changed.",
    "originality": "Whether the manufacturer signed the UID; absent for products without an originality signature.",
    "fields": "Everything else, in the order for display.", ] }
extension TagDescription.Field: Described { package static let descriptions = [
    "label": "The label, for example `Originality signature`.",
    "value": "The value; bytes are hexadecimal.", ] }
extension TagContent: Described { package static let descriptions = [
    "format": "The word for the format: `tigertag`, `anycubic`, `elegoo`, `qidi`, or `library` for an item of a library.",
    "name": "The content in words, with an article, for example `an Elegoo filament tag`.",
    "block": "The number of the first page or block that it takes.", ] }
extension TagDump: Described { package static let descriptions = [
    "layout": "The layout of the memory.",
    "product": "The manufacturer's name for the product, if known.",
    "blockSize": "The size of a page, block or row in bytes.",
    "sections": "The memory: one section without a name, or the files.",
    "facts": "What is known about the tag besides its memory.", ] }
extension TagDump.Section: Described { package static let descriptions = [
    "name": "The name, for example `E104` for a file; absent if the tag has one memory.",
    "blocks": "The pages, blocks or rows in order. The last row of a file may be shorter.", ] }
extension TagDump.Facts: Described { package static let descriptions = [
    "version": "The answer to GET_VERSION.",
    "signature": "The originality signature.",
    "counters": "The one-way counters by their numbers.",
    "manufactureParameter": "PMm of FeliCa.",
    "dsfid": "DSFID of ISO/IEC 15693.",
    "afi": "AFI of ISO/IEC 15693.",
    "icReference": "IC reference of ISO/IEC 15693.",
    "lockedBlocks": "The numbers of the locked blocks of an ISO/IEC 15693 tag.", ] }
extension TagBlock: Described { package static let descriptions = [
    "number": "The number.",
    "bytes": "The bytes; null if the block cannot be read.",
    "meaning": "The purpose, for example `static lock`; absent for plain data.", ] }
extension TagPassword: Described { package static let descriptions = [
    "password": "The new password, 4 bytes; 16 for the AES key of MIFARE Ultralight AES.",
    "pack": "PACK, the 2 bytes with which the tag answers the right password; the default is 0000. A tag with a key has none.",
    "firstPage": "The first page that needs the password. The default is that of the password on the tag; without one, 4, and 0 for ICODE SLIX2.",
    "protects": "Whether the password is needed to write, or to read as well. The default is as it is on the tag; without a password, to write.",
    "attempts": "How many wrong passwords close the protected pages permanently, 1 to 7, of keys 1 to 1023; 0 for no limit. The default is as it is on the tag.",
    "endPage": "ICODE SLIX2: the first page that does not need the password, with `firstPage` 0. The default is as it is on the tag; without a password, every page needs it.",
    "kind": "ICODE SLIX2: which password. The default is `write`, and `read` where reading needs the password as well.", ] }
extension TagProtection: Described { package static let descriptions = [
    "firstPage": "The first page that needs the password now.",
    "protects": "What the password is needed for now.",
    "attempts": "How many wrong passwords close the protected pages permanently; 0 for no limit.",
    "endPage": "ICODE SLIX2: the first page that does not need the password; the number of pages for data if all behind the first one do, the first page if none does.",
    "kind": "ICODE SLIX2: which password was set.", ] }
extension TagSettingChanges: Described { package static let descriptions = [
    "counter": "Whether the tag counts the times it is read, and who can read the counter.",
    "mirror": "What the tag shows instead of its memory.",
    "mirrorPage": "The page in which the mirror begins; required with a mirror.",
    "mirrorByte": "The byte of that page, 0 to 3; the default is 0.",
    "counterValue": "ICODE SLIX2: the value to which the counter is set, 0 to 65535.",
    "afi": "ICODE SLIX2: the application family identifier, 1 byte.",
    "eas": "ICODE SLIX2: whether gates against theft notice the tag (EAS).",
    "locks": "ICODE SLIX2: what is locked permanently.",
    "privacy": "ICODE SLIX2: true turns privacy mode on, in which the tag shows no UID and readers do not find it; nfcd cannot turn it off. Its password has to be given with `tag.authenticate` first.", ] }
extension TagSettings: Described { package static let descriptions = [
    "counter": "Whether the tag counts now; absent if it cannot.",
    "mirror": "What the tag shows instead of its memory now.",
    "mirrorPage": "The page in which the mirror begins; absent without a mirror.",
    "mirrorByte": "The byte of that page; absent without a mirror.",
    "counterValue": "ICODE SLIX2: the value of the counter now.",
    "afi": "ICODE SLIX2: the application family identifier now.",
    "eas": "ICODE SLIX2: whether gates against theft notice the tag now; absent if that was not to be changed.",
    "locks": "ICODE SLIX2: what was locked permanently.",
    "privacy": "ICODE SLIX2: whether the tag is in privacy mode now; absent if that was not to be changed.", ] }
extension TapProof: Described { package static let descriptions = [
    "status": "Whether the tag is proven; programs decide by `proven` alone.",
    "method": "How; absent if nothing was tried.",
    "profile": "The profile that fits the tag.",
    "key": "The name of the key in nfcd's key store.",
    "keyVersion": "The version of the key.",
    "identifier": "The UID that the tag has proven, which may differ from the one that the reader saw.",
    "counter": "The counter of the message, for the method `sun`.",
    "previousCounter": "The highest counter before, if there was one.",
    "credential": "The number or text in the tag's own protected file, as the profile describes it.",
    "tamper": "The tamper loop, of a tag that has one.",
    "scope": "How far the proof is known to be new; absent unless proven.",
    "reason": "Why the tag is not proven, in words.", ] }
extension TapProof.Tamper: Described { package static let descriptions = [
    "permanent": "`C` closed so far, `O` opened at least once, `I` not enabled.",
    "current": "`C` closed, `O` open, `I` not enabled.", ] }
extension ServerInfo.Grant { public init(formats: [String], capabilities: [String], iso7816SelectIdentifiers: [String], feliCaSystemCodes: [String], readers: [String], sessionTimeout: Double? = nil, _: Void = ()) { self.formats = formats; self.capabilities = capabilities; self.iso7816SelectIdentifiers = iso7816SelectIdentifiers; self.feliCaSystemCodes = feliCaSystemCodes; self.readers = readers; self.sessionTimeout = sessionTimeout } }
extension ReadersList.Reader { public init(reader: String, name: String, state: ReaderStatus, technologies: [String], profile: String, serial: String? = nil, failure: String? = nil, blocked: String? = nil, _: Void = ()) { self.reader = reader; self.name = name; self.state = state; self.technologies = technologies; self.profile = profile; self.serial = serial; self.failure = failure; self.blocked = blocked } }
extension CancelRequest.Parameters { public init(id: RequestID, _: Void = ()) { self.id = id } }
extension RequestProgress { public init(id: RequestID, done: Int, total: Int, _: Void = ()) { self.id = id; self.done = done; self.total = total } }
extension SessionBegin.Result { public init(session: String, _: Void = ()) { self.session = session } }
extension SessionRestartPolling.Parameters { public init(session: String, pollingOption: [PollingTechnology]? = nil, iso7816SelectIdentifiers: [HexBytes]? = nil, feliCaSystemCodes: [HexBytes]? = nil, _: Void = ()) { self.session = session; self.pollingOption = pollingOption; self.iso7816SelectIdentifiers = iso7816SelectIdentifiers; self.feliCaSystemCodes = feliCaSystemCodes } }
extension SessionSetAlertMessage.Parameters { public init(session: String, message: String, _: Void = ()) { self.session = session; self.message = message } }
extension SessionSetYielding.Parameters { public init(session: String, yields: Bool, _: Void = ()) { self.session = session; self.yields = yields } }
extension SessionInvalidate.Parameters { public init(session: String, errorMessage: String? = nil, _: Void = ()) { self.session = session; self.errorMessage = errorMessage } }
extension SessionDidBecomeActive { public init(session: String, _: Void = ()) { self.session = session } }
extension SessionDidDetectNDEFs.Failure { public init(code: Int, name: String, message: String, detail: String, _: Void = ()) { self.code = code; self.name = name; self.message = message; self.detail = detail } }
extension SessionDidDetectTags { public init(session: String, tags: [SessionDidDetectTags.Tag], _: Void = ()) { self.session = session; self.tags = tags } }
extension SessionTagFailed { public init(session: String, reader: String, code: Int, name: String, detail: String, _: Void = ()) { self.session = session; self.reader = reader; self.code = code; self.name = name; self.detail = detail } }
extension SessionTagIgnored { public init(session: String, reader: String, _: Void = ()) { self.session = session; self.reader = reader } }
extension SessionTagRemoved { public init(session: String, tag: String, _: Void = ()) { self.session = session; self.tag = tag } }
extension SessionDidInvalidate { public init(session: String, code: Int, name: String, message: String, detail: String, _: Void = ()) { self.session = session; self.code = code; self.name = name; self.message = message; self.detail = detail } }
extension TagQueryNDEFStatus.Arguments { public init(content: Bool? = nil, _: Void = ()) { self.content = content } }
extension TagQueryNDEFStatus.Result { public init(status: NDEFStatus, capacity: Int, reason: String? = nil, formattable: Bool? = nil, overwrites: String? = nil, obstacle: String? = nil, content: TagContent? = nil, _: Void = ()) { self.status = status; self.capacity = capacity; self.reason = reason; self.formattable = formattable; self.overwrites = overwrites; self.obstacle = obstacle; self.content = content } }
extension TagReadNDEF.Arguments { public init(content: Bool? = nil, _: Void = ()) { self.content = content } }
extension TagReadNDEF.Result { public init(message: NDEFMessage, status: NDEFStatus, capacity: Int, content: TagContent? = nil, _: Void = ()) { self.message = message; self.status = status; self.capacity = capacity; self.content = content } }
extension TagWriteNDEF.Arguments { public init(message: NDEFMessage, verify: Bool? = nil, overwrite: Bool? = nil, progress: Bool? = nil, _: Void = ()) { self.message = message; self.verify = verify; self.overwrite = overwrite; self.progress = progress } }
extension TagUpdateRecord.Arguments { public init(record: Int, offset: Int, old: HexBytes, new: HexBytes, stop: TagUpdateRecord.Stop? = nil, steps: [HexBytes]? = nil, verify: Bool? = nil, progress: Bool? = nil, _: Void = ()) { self.record = record; self.offset = offset; self.old = old; self.new = new; self.stop = stop; self.steps = steps; self.verify = verify; self.progress = progress } }
extension TagUpdateRecord.Stop { public init(offset: Int, byte: HexBytes, _: Void = ()) { self.offset = offset; self.byte = byte } }
extension TagFormat.Arguments { public init(overwrite: Bool? = nil, _: Void = ()) { self.overwrite = overwrite } }
extension TagAuthenticate.Arguments { public init(password: HexBytes, kind: PasswordKind? = nil, _: Void = ()) { self.password = password; self.kind = kind } }
extension TagAuthenticate.Result { public init(acknowledge: HexBytes, _: Void = ()) { self.acknowledge = acknowledge } }
extension TagCancelCommands.Result { public init(cancelled: Int, _: Void = ()) { self.cancelled = cancelled } }
extension TagDumpMemory.Arguments { public init(progress: Bool? = nil, _: Void = ()) { self.progress = progress } }
extension TagWriteMemory.Arguments { public init(blocks: [TagWriteMemory.Block], overwrite: Bool? = nil, progress: Bool? = nil, _: Void = ()) { self.blocks = blocks; self.overwrite = overwrite; self.progress = progress } }
extension TagWriteMemory.Block { public init(number: Int, bytes: HexBytes, _: Void = ()) { self.number = number; self.bytes = bytes } }
extension TagWriteMemory.Result { public init(written: Int, _: Void = ()) { self.written = written } }
extension TagPersonalise.Arguments { public init(task: PersonalisationTask, profile: String? = nil, dryRun: Bool? = nil, permanent: [PermanentSetting]? = nil, overwriteMessage: Bool? = nil, requireSignature: Bool? = nil, identifier: HexBytes? = nil, credential: HexBytes? = nil, keepCardKey: Bool? = nil, forgetRecord: Bool? = nil, progress: Bool? = nil, _: Void = ()) { self.task = task; self.profile = profile; self.dryRun = dryRun; self.permanent = permanent; self.overwriteMessage = overwriteMessage; self.requireSignature = requireSignature; self.identifier = identifier; self.credential = credential; self.keepCardKey = keepCardKey; self.forgetRecord = forgetRecord; self.progress = progress } }
extension TagPersonalise.Result { public init(identifier: HexBytes, profile: String, steps: [String], signature: MakerSignature, keyVersions: [Int], counter: Int? = nil, refusedThrough: Int? = nil, credential: HexBytes? = nil, remarks: [String], dryRun: Bool, _: Void = ()) { self.identifier = identifier; self.profile = profile; self.steps = steps; self.signature = signature; self.keyVersions = keyVersions; self.counter = counter; self.refusedThrough = refusedThrough; self.credential = credential; self.remarks = remarks; self.dryRun = dryRun } }
extension TagQueryPersonalisation.Arguments { public init(profile: String? = nil, identifier: HexBytes? = nil, _: Void = ()) { self.profile = profile; self.identifier = identifier } }
extension TagQueryPersonalisation.Result { public init(identifier: HexBytes, identifierGiven: Bool? = nil, profile: String, state: PersonalisationState, interrupted: PersonalisationTask? = nil, signature: MakerSignature, keyVersions: [Int], currentKeyVersions: [Int], remarks: [String], _: Void = ()) { self.identifier = identifier; self.identifierGiven = identifierGiven; self.profile = profile; self.state = state; self.interrupted = interrupted; self.signature = signature; self.keyVersions = keyVersions; self.currentKeyVersions = currentKeyVersions; self.remarks = remarks } }
extension ISO7816SendCommand.Arguments { public init(apdu: HexBytes, _: Void = ()) { self.apdu = apdu } }
extension ISO7816SendCommand.Result { public init(data: HexBytes, sw1: UInt8, sw2: UInt8, _: Void = ()) { self.data = data; self.sw1 = sw1; self.sw2 = sw2 } }
extension MiFareSendCommand.Arguments { public init(command: HexBytes, _: Void = ()) { self.command = command } }
extension FeliCaSendCommand.Arguments { public init(packet: HexBytes, _: Void = ()) { self.packet = packet } }
extension ISO15693SendRequest.Arguments { public init(requestFlags: UInt8, commandCode: UInt8, data: HexBytes? = nil, _: Void = ()) { self.requestFlags = requestFlags; self.commandCode = commandCode; self.data = data } }
extension ISO15693SendRequest.Result { public init(responseFlag: UInt8, data: HexBytes, _: Void = ()) { self.responseFlag = responseFlag; self.data = data } }
extension RawAnswer { public init(data: HexBytes, _: Void = ()) { self.data = data } }
extension MiFareClassicAuthenticate.Arguments { public init(block: Int, keyType: MiFareClassicAuthenticate.KeyType, key: HexBytes, _: Void = ()) { self.block = block; self.keyType = keyType; self.key = key } }
extension MiFareClassicReadBlock.Arguments { public init(block: Int, _: Void = ()) { self.block = block } }
extension MiFareClassicWriteBlock.Arguments { public init(block: Int, data: HexBytes, allowTrailer: Bool? = nil, _: Void = ()) { self.block = block; self.data = data; self.allowTrailer = allowTrailer } }
extension MiFareClassicAmount { public init(block: Int, amount: Int32, _: Void = ()) { self.block = block; self.amount = amount } }
extension MiFareClassicRestore.Arguments { public init(block: Int, destination: Int, _: Void = ()) { self.block = block; self.destination = destination } }
extension BackgroundSubscribe.Filter { public init(uriPrefix: String? = nil, uriHost: String? = nil, uriSchemes: [String]? = nil, mimeType: String? = nil, externalType: String? = nil, kind: String? = nil, identifier: HexBytes? = nil, reader: String? = nil, _: Void = ()) { self.uriPrefix = uriPrefix; self.uriHost = uriHost; self.uriSchemes = uriSchemes; self.mimeType = mimeType; self.externalType = externalType; self.kind = kind; self.identifier = identifier; self.reader = reader } }
extension BackgroundSubscribe.Parameters { public init(filter: BackgroundSubscribe.Filter? = nil, removals: Bool? = nil, require: ProofRequirement? = nil, _: Void = ()) { self.filter = filter; self.removals = removals; self.require = require } }
extension BackgroundSubscribe.Result { public init(subscription: String, _: Void = ()) { self.subscription = subscription } }
extension BackgroundUnsubscribe.Parameters { public init(subscription: String, _: Void = ()) { self.subscription = subscription } }
extension BackgroundDidReadTag.Tag { public init(type: TagType, technology: String? = nil, identifier: HexBytes, product: String? = nil, _: Void = ()) { self.type = type; self.technology = technology; self.identifier = identifier; self.product = product } }
extension BackgroundTagRemoved { public init(subscription: String, reader: String, readerName: String, tag: BackgroundDidReadTag.Tag, _: Void = ()) { self.subscription = subscription; self.reader = reader; self.readerName = readerName; self.tag = tag } }
extension TapsSubscribe.Parameters { public init(consumer: String? = nil, after: TapPosition? = nil, require: ProofRequirement? = nil, _: Void = ()) { self.consumer = consumer; self.after = after; self.require = require } }
extension TapsSubscribe.Result { public init(subscription: String, epoch: String, after: Int64, newest: Int64, _: Void = ()) { self.subscription = subscription; self.epoch = epoch; self.after = after; self.newest = newest } }
extension TapsUnsubscribe.Parameters { public init(subscription: String, _: Void = ()) { self.subscription = subscription } }
extension TapsAcknowledge.Parameters { public init(subscription: String? = nil, consumer: String? = nil, sequence: Int64? = nil, _: Void = ()) { self.subscription = subscription; self.consumer = consumer; self.sequence = sequence } }
extension TapsAcknowledge.Result { public init(epoch: String, acknowledged: Int64, _: Void = ()) { self.epoch = epoch; self.acknowledged = acknowledged } }
extension TapsList.Parameters { public init(after: Int64? = nil, readers: [String]? = nil, limit: Int? = nil, newestFirst: Bool? = nil, _: Void = ()) { self.after = after; self.readers = readers; self.limit = limit; self.newestFirst = newestFirst } }
extension TapsList.Result { public init(epoch: String, taps: [RecordedTap], hasMore: Bool, _: Void = ()) { self.epoch = epoch; self.taps = taps; self.hasMore = hasMore } }
extension TapsStatus.Result { public init(state: JournalState, reason: String? = nil, epoch: String, oldest: Int64, newest: Int64, taps: Int, tapLimit: Int, bytes: Int64, byteLimit: Int64, dropped: Int64, movedAside: Int, identifiers: IdentifierForm? = nil, consumers: [TapsStatus.Consumer], _: Void = ()) { self.state = state; self.reason = reason; self.epoch = epoch; self.oldest = oldest; self.newest = newest; self.taps = taps; self.tapLimit = tapLimit; self.bytes = bytes; self.byteLimit = byteLimit; self.dropped = dropped; self.movedAside = movedAside; self.identifiers = identifiers; self.consumers = consumers } }
extension TapsRemoveConsumer.Parameters { public init(consumer: String, _: Void = ()) { self.consumer = consumer } }
extension TapsPrune.Parameters { public init(through: Int64, includeUndelivered: Bool? = nil, _: Void = ()) { self.through = through; self.includeUndelivered = includeUndelivered } }
extension TapsPrune.Result { public init(removed: Int, _: Void = ()) { self.removed = removed } }
extension TapsDidRecord { public init(subscription: String, tap: RecordedTap, _: Void = ()) { self.subscription = subscription; self.tap = tap } }
extension SessionsList.Parameters { public init(offset: Int? = nil, _: Void = ()) { self.offset = offset } }
extension SessionsList.Session { public init(session: String, client: ClientProcess, state: SessionState, readers: [String], kind: SessionKind, alertMessage: String, since: String, remaining: Double? = nil, _: Void = ()) { self.session = session; self.client = client; self.state = state; self.readers = readers; self.kind = kind; self.alertMessage = alertMessage; self.since = since; self.remaining = remaining } }
extension ReadersIdentify.Parameters { public init(reader: String? = nil, _: Void = ()) { self.reader = reader } }
extension ReadersIdentify.Result { public init(readers: [String], _: Void = ()) { self.readers = readers } }
extension ServerMetrics.Result { public init(text: String, _: Void = ()) { self.text = text } }
extension ClientProcess { public init(uid: UInt32, pid: Int32, _: Void = ()) { self.uid = uid; self.pid = pid } }
extension SessionBegan { public init(session: String, client: ClientProcess, readers: [String], kind: SessionKind, _: Void = ()) { self.session = session; self.client = client; self.readers = readers; self.kind = kind } }
extension SessionEnded { public init(session: String, code: Int, name: String, _: Void = ()) { self.session = session; self.code = code; self.name = name } }
extension ReaderAttached { public init(reader: String, name: String, technologies: [String], profile: String, serial: String? = nil, _: Void = ()) { self.reader = reader; self.name = name; self.technologies = technologies; self.profile = profile; self.serial = serial } }
extension ReaderDetached { public init(reader: String, _: Void = ()) { self.reader = reader } }
extension ReaderFailed { public init(reader: String, failure: String, _: Void = ()) { self.reader = reader; self.failure = failure } }
extension ReaderRecovered { public init(reader: String, _: Void = ()) { self.reader = reader } }
extension ReaderTagArrived { public init(reader: String, _: Void = ()) { self.reader = reader } }
extension ReaderTagLeft { public init(reader: String, _: Void = ()) { self.reader = reader } }
extension NoticesShow.Parameters { public init(text: String, _: Void = ()) { self.text = text } }
extension NoticesShow.Result { public init(notice: String, _: Void = ()) { self.notice = notice } }
extension NoticesHide.Parameters { public init(notice: String, _: Void = ()) { self.notice = notice } }
extension NoticeShown { public init(notice: String, text: String, client: ClientProcess, _: Void = ()) { self.notice = notice; self.text = text; self.client = client } }
extension NoticeHidden { public init(notice: String, _: Void = ()) { self.notice = notice } }
extension RecordingStart.Parameters { public init(reader: String? = nil, withContent: Bool? = nil, _: Void = ()) { self.reader = reader; self.withContent = withContent } }
extension RecordingStart.Result { public init(recording: String, _: Void = ()) { self.recording = recording } }
extension RecordingStop.Parameters { public init(recording: String, _: Void = ()) { self.recording = recording } }
extension RecordingDidRecord { public init(recording: String, line: String, _: Void = ()) { self.recording = recording; self.line = line } }
extension SimulatorPresent.Result { public init(presentation: String, reader: String, identifier: HexBytes, _: Void = ()) { self.presentation = presentation; self.reader = reader; self.identifier = identifier } }
extension SimulatorRemove.Parameters { public init(presentation: String, _: Void = ()) { self.presentation = presentation } }
extension SimulatorList.Presentation { public init(presentation: String, reader: String, _: Void = ()) { self.presentation = presentation; self.reader = reader } }
extension SimulatorPlug.Parameters { public init(reader: String, connected: Bool, _: Void = ()) { self.reader = reader; self.connected = connected } }
extension RecordedTap.Tag { public init(type: TagType, technology: String? = nil, identifier: HexBytes, identifierForm: IdentifierForm? = nil, _: Void = ()) { self.type = type; self.technology = technology; self.identifier = identifier; self.identifierForm = identifierForm } }
extension TimeLimit { init(timeout: Double? = nil, _: Void = ()) { self.timeout = timeout } }
