// Made from rpc.discover by tools/generate.mjs.

/** Bytes, or their hexadecimal digits. */
export type Bytes = string | Uint8Array;

/** A record; decoded where nfcd knows its type. Bytes are hexadecimal. The kinds are in Docs/ndef.md. */
export interface NDEFRecord {
  typeNameFormat: string;
  type: string;
  identifier: string;
  payload: string;
  decoded?: DecodedPayload;
  decodeError?: { code: string; message: string };
}
export interface NDEFMessage {
  records: NDEFRecord[];
}

/** A record for writing: raw, or by what it says. */
export type WritableRecord = {
  typeNameFormat?: string;
  type?: Bytes;
  identifier?: Bytes;
  payload?: Bytes;
  decoded?: WritableDecodedPayload;
};
/** A message for writing. */
export type WritableMessage = { records: WritableRecord[] } | { encoded: Bytes };

/** The decoded form of a payload, by its `kind`. A later nfcd may have other kinds: a switch needs a default. */
export type DecodedPayload =
  | TextPayload
  | UriPayload
  | HandoverRequestPayload
  | HandoverSelectPayload
  | HandoverMediationPayload
  | HandoverInitiatePayload
  | HandoverCarrierPayload
  | AlternativeCarrierPayload
  | CollisionResolutionPayload
  | HandoverErrorPayload
  | BluetoothEasyPairingPayload
  | BluetoothLowEnergyPayload
  | SmartPosterPayload
  | ActionPayload
  | SizePayload
  | TypePayload
  | DeviceInformationPayload
  | SignaturePayload
  | GenericControlPayload
  | WifiPayload
  | VCardPayload
  | AndroidApplicationPayload
  | OpenPrintTagPayload
  | OpenSpoolPayload
  | OpenTag3DPayload
  | MediaPayload
  | ExternalPayload
  | AbsoluteURIPayload
  | UnknownPayload
  | EmptyPayload;
/** The decoded form of a payload, for writing. */
export type WritableDecodedPayload =
  | WritableTextPayload
  | WritableUriPayload
  | WritableHandoverRequestPayload
  | WritableHandoverSelectPayload
  | WritableHandoverMediationPayload
  | WritableHandoverInitiatePayload
  | WritableHandoverCarrierPayload
  | WritableAlternativeCarrierPayload
  | WritableCollisionResolutionPayload
  | WritableHandoverErrorPayload
  | WritableBluetoothEasyPairingPayload
  | WritableBluetoothLowEnergyPayload
  | WritableSmartPosterPayload
  | WritableActionPayload
  | WritableSizePayload
  | WritableTypePayload
  | WritableDeviceInformationPayload
  | WritableSignaturePayload
  | WritableGenericControlPayload
  | WritableWifiPayload
  | WritableVCardPayload
  | WritableAndroidApplicationPayload
  | WritableOpenPrintTagPayload
  | WritableOpenSpoolPayload
  | WritableOpenTag3DPayload
  | WritableMediaPayload
  | WritableExternalPayload
  | WritableAbsoluteURIPayload
  | WritableUnknownPayload
  | WritableEmptyPayload;

/** A record whose type is a URI. */
export interface AbsoluteURIPayload {
  /** The content. */
  "data"?: string;
  /** The kind. */
  "kind": "absoluteURI";
  /** The URI. */
  "uri": string;
}
/** A record whose type is a URI. For writing. */
export interface WritableAbsoluteURIPayload {
  /** The content. The default is "". */
  "data"?: Bytes | null;
  /** The kind. */
  "kind": "absoluteURI";
  /** The URI. */
  "uri": string;
}
/** What to do with the URI of the Smart Poster around (well-known type `act`). */
export interface ActionPayload {
  /** The action. */
  "action": "execute" | "save" | "edit" | number;
  /** The kind. */
  "kind": "action";
}
/** What to do with the URI of the Smart Poster around (well-known type `act`). For writing. */
export interface WritableActionPayload {
  /** The action. */
  "action": "execute" | "save" | "edit" | number;
  /** The kind. */
  "kind": "action";
}
/** One carrier of a handover message (local type `ac`). */
export interface AlternativeCarrierFields {
  /** The `identifier`s of the records with more about it; at most 255. */
  "auxiliaryDataReferences": Array<string>;
  /** The `identifier` of the record that describes the carrier. */
  "carrierDataReference": string;
  /** The power state of the carrier. */
  "powerState": "inactive" | "active" | "activating" | "unknown" | number;
  /** The bytes after the references. */
  "reserved"?: string;
}
/** One carrier of a handover message (local type `ac`). For writing. */
export interface WritableAlternativeCarrierFields {
  /** The `identifier`s of the records with more about it; at most 255. The default is []. */
  "auxiliaryDataReferences"?: Array<Bytes> | null;
  /** The `identifier` of the record that describes the carrier. */
  "carrierDataReference": Bytes;
  /** The power state of the carrier. The default is "active". */
  "powerState"?: "inactive" | "active" | "activating" | "unknown" | number | null;
  /** The bytes after the references. The default is "". */
  "reserved"?: Bytes | null;
}
/** One carrier of a handover message (local type `ac`). */
export interface AlternativeCarrierPayload {
  /** The `identifier`s of the records with more about it; at most 255. */
  "auxiliaryDataReferences": Array<string>;
  /** The `identifier` of the record that describes the carrier. */
  "carrierDataReference": string;
  /** The kind. */
  "kind": "alternativeCarrier";
  /** The power state of the carrier. */
  "powerState": "inactive" | "active" | "activating" | "unknown" | number;
  /** The bytes after the references. */
  "reserved"?: string;
}
/** One carrier of a handover message (local type `ac`). For writing. */
export interface WritableAlternativeCarrierPayload {
  /** The `identifier`s of the records with more about it; at most 255. The default is []. */
  "auxiliaryDataReferences"?: Array<Bytes> | null;
  /** The `identifier` of the record that describes the carrier. */
  "carrierDataReference": Bytes;
  /** The kind. */
  "kind": "alternativeCarrier";
  /** The power state of the carrier. The default is "active". */
  "powerState"?: "inactive" | "active" | "activating" | "unknown" | number | null;
  /** The bytes after the references. The default is "". */
  "reserved"?: Bytes | null;
}
/** The Android application to start (external type `android.com:pkg`). */
export interface AndroidApplicationPayload {
  /** The kind. */
  "kind": "androidApplication";
  /** The name of the package, not empty. */
  "package": string;
}
/** The Android application to start (external type `android.com:pkg`). For writing. */
export interface WritableAndroidApplicationPayload {
  /** The kind. */
  "kind": "androidApplication";
  /** The name of the package, not empty. */
  "package": string;
}
/** A structure without a field. */
export interface BluetoothDataStructure {
  /** The value. */
  "data": string;
  /** The type. */
  "type": string;
}
/** A structure without a field. For writing. */
export interface WritableBluetoothDataStructure {
  /** The value. The default is "". */
  "data"?: Bytes | null;
  /** The type. */
  "type": Bytes;
}
/** What is needed to pair with a Bluetooth BR/EDR device (media type `application/vnd.bluetooth.ep.oob`). */
export interface BluetoothEasyPairingPayload {
  /** The address of the device, the most significant byte first, such as `01:BF:88:80:07:03`. */
  "address": string;
  /** How the device looks from outside. */
  "appearance"?: number;
  /** What kind of device it is, the most significant byte first. */
  "classOfDevice"?: string;
  /** What the device is capable of: names, and numbers of bits. */
  "flags"?: Array<"leLimitedDiscoverable" | "leGeneralDiscoverable" | "brEDRNotSupported" | "simultaneousController" | "simultaneousHost" | number>;
  /** Some service classes, where the list is not complete. */
  "incompleteServiceClassUUIDs"?: Array<string>;
  /** The kind. */
  "kind": "bluetoothEasyPairing";
  /** The address for Low Energy. */
  "leAddress"?: BluetoothLEAddress;
  /** The roles that the device takes for Low Energy. */
  "leRole"?: "peripheralOnly" | "centralOnly" | "peripheralPreferred" | "centralPreferred" | number;
  /** The confirmation value of LE Secure Connections, the least significant byte first. */
  "leSecureConnectionsConfirmation"?: string;
  /** The random value of LE Secure Connections, the least significant byte first. */
  "leSecureConnectionsRandom"?: string;
  /** The complete name of the device; at most 254 bytes. */
  "name"?: string;
  /** The types of all structures, a byte each; only if they are not in the order in which fields are written. */
  "order"?: string;
  /** The structures without a field. */
  "other"?: Array<BluetoothDataStructure>;
  /** The temporary key of legacy pairing, the least significant byte first. */
  "securityManagerTK"?: string;
  /** All service classes, of 16, 32 or 128 bits, such as `110B`. */
  "serviceClassUUIDs"?: Array<string>;
  /** The name of the device, cut short; at most 254 bytes. */
  "shortenedName"?: string;
  /** The hash C-192 of simple pairing, the least significant byte first. */
  "simplePairingHashC192"?: string;
  /** The hash C-256 of simple pairing, the least significant byte first. */
  "simplePairingHashC256"?: string;
  /** The randomizer R-192 of simple pairing, the least significant byte first. */
  "simplePairingRandomizerR192"?: string;
  /** The randomizer R-256 of simple pairing, the least significant byte first. */
  "simplePairingRandomizerR256"?: string;
  /** The power that it sends with, in dBm. */
  "txPowerLevel"?: number;
}
/** What is needed to pair with a Bluetooth BR/EDR device (media type `application/vnd.bluetooth.ep.oob`). For writing. */
export interface WritableBluetoothEasyPairingPayload {
  /** The address of the device, the most significant byte first, such as `01:BF:88:80:07:03`. */
  "address": string;
  /** How the device looks from outside. */
  "appearance"?: number | null;
  /** What kind of device it is, the most significant byte first. */
  "classOfDevice"?: Bytes | null;
  /** What the device is capable of: names, and numbers of bits. */
  "flags"?: Array<"leLimitedDiscoverable" | "leGeneralDiscoverable" | "brEDRNotSupported" | "simultaneousController" | "simultaneousHost" | number> | null;
  /** Some service classes, where the list is not complete. */
  "incompleteServiceClassUUIDs"?: Array<string> | null;
  /** The kind. */
  "kind": "bluetoothEasyPairing";
  /** The address for Low Energy. */
  "leAddress"?: WritableBluetoothLEAddress | null;
  /** The roles that the device takes for Low Energy. */
  "leRole"?: "peripheralOnly" | "centralOnly" | "peripheralPreferred" | "centralPreferred" | number | null;
  /** The confirmation value of LE Secure Connections, the least significant byte first. */
  "leSecureConnectionsConfirmation"?: Bytes | null;
  /** The random value of LE Secure Connections, the least significant byte first. */
  "leSecureConnectionsRandom"?: Bytes | null;
  /** The complete name of the device; at most 254 bytes. */
  "name"?: string | null;
  /** The types of all structures, a byte each; only if they are not in the order in which fields are written. */
  "order"?: Bytes | null;
  /** The structures without a field. */
  "other"?: Array<WritableBluetoothDataStructure> | null;
  /** The temporary key of legacy pairing, the least significant byte first. */
  "securityManagerTK"?: Bytes | null;
  /** All service classes, of 16, 32 or 128 bits, such as `110B`. */
  "serviceClassUUIDs"?: Array<string> | null;
  /** The name of the device, cut short; at most 254 bytes. */
  "shortenedName"?: string | null;
  /** The hash C-192 of simple pairing, the least significant byte first. */
  "simplePairingHashC192"?: Bytes | null;
  /** The hash C-256 of simple pairing, the least significant byte first. */
  "simplePairingHashC256"?: Bytes | null;
  /** The randomizer R-192 of simple pairing, the least significant byte first. */
  "simplePairingRandomizerR192"?: Bytes | null;
  /** The randomizer R-256 of simple pairing, the least significant byte first. */
  "simplePairingRandomizerR256"?: Bytes | null;
  /** The power that it sends with, in dBm. */
  "txPowerLevel"?: number | null;
}
/** The address of a Bluetooth Low Energy device. */
export interface BluetoothLEAddress {
  /** The address, the most significant byte first, such as `C6:05:04:03:02:01`. */
  "address": string;
  /** Whether the address is a random one, and not a public one. */
  "isRandom": boolean;
}
/** The address of a Bluetooth Low Energy device. For writing. */
export interface WritableBluetoothLEAddress {
  /** The address, the most significant byte first, such as `C6:05:04:03:02:01`. */
  "address": string;
  /** Whether the address is a random one, and not a public one. The default is false. */
  "isRandom"?: boolean | null;
}
/** What is needed to pair with a Bluetooth Low Energy device (media type `application/vnd.bluetooth.le.oob`). */
export interface BluetoothLowEnergyPayload {
  /** How the device looks from outside. */
  "appearance"?: number;
  /** What kind of device it is, the most significant byte first. */
  "classOfDevice"?: string;
  /** What the device is capable of: names, and numbers of bits. */
  "flags"?: Array<"leLimitedDiscoverable" | "leGeneralDiscoverable" | "brEDRNotSupported" | "simultaneousController" | "simultaneousHost" | number>;
  /** Some service classes, where the list is not complete. */
  "incompleteServiceClassUUIDs"?: Array<string>;
  /** The kind. */
  "kind": "bluetoothLowEnergy";
  /** The address for Low Energy. */
  "leAddress"?: BluetoothLEAddress;
  /** The roles that the device takes for Low Energy. */
  "leRole"?: "peripheralOnly" | "centralOnly" | "peripheralPreferred" | "centralPreferred" | number;
  /** The confirmation value of LE Secure Connections, the least significant byte first. */
  "leSecureConnectionsConfirmation"?: string;
  /** The random value of LE Secure Connections, the least significant byte first. */
  "leSecureConnectionsRandom"?: string;
  /** The complete name of the device; at most 254 bytes. */
  "name"?: string;
  /** The types of all structures, a byte each; only if they are not in the order in which fields are written. */
  "order"?: string;
  /** The structures without a field. */
  "other"?: Array<BluetoothDataStructure>;
  /** The temporary key of legacy pairing, the least significant byte first. */
  "securityManagerTK"?: string;
  /** All service classes, of 16, 32 or 128 bits, such as `110B`. */
  "serviceClassUUIDs"?: Array<string>;
  /** The name of the device, cut short; at most 254 bytes. */
  "shortenedName"?: string;
  /** The hash C-192 of simple pairing, the least significant byte first. */
  "simplePairingHashC192"?: string;
  /** The hash C-256 of simple pairing, the least significant byte first. */
  "simplePairingHashC256"?: string;
  /** The randomizer R-192 of simple pairing, the least significant byte first. */
  "simplePairingRandomizerR192"?: string;
  /** The randomizer R-256 of simple pairing, the least significant byte first. */
  "simplePairingRandomizerR256"?: string;
  /** The power that it sends with, in dBm. */
  "txPowerLevel"?: number;
}
/**
 * What is needed to pair with a Bluetooth Low Energy device (media type `application/vnd.bluetooth.le.oob`). For
 * writing.
 */
export interface WritableBluetoothLowEnergyPayload {
  /** How the device looks from outside. */
  "appearance"?: number | null;
  /** What kind of device it is, the most significant byte first. */
  "classOfDevice"?: Bytes | null;
  /** What the device is capable of: names, and numbers of bits. */
  "flags"?: Array<"leLimitedDiscoverable" | "leGeneralDiscoverable" | "brEDRNotSupported" | "simultaneousController" | "simultaneousHost" | number> | null;
  /** Some service classes, where the list is not complete. */
  "incompleteServiceClassUUIDs"?: Array<string> | null;
  /** The kind. */
  "kind": "bluetoothLowEnergy";
  /** The address for Low Energy. */
  "leAddress"?: WritableBluetoothLEAddress | null;
  /** The roles that the device takes for Low Energy. */
  "leRole"?: "peripheralOnly" | "centralOnly" | "peripheralPreferred" | "centralPreferred" | number | null;
  /** The confirmation value of LE Secure Connections, the least significant byte first. */
  "leSecureConnectionsConfirmation"?: Bytes | null;
  /** The random value of LE Secure Connections, the least significant byte first. */
  "leSecureConnectionsRandom"?: Bytes | null;
  /** The complete name of the device; at most 254 bytes. */
  "name"?: string | null;
  /** The types of all structures, a byte each; only if they are not in the order in which fields are written. */
  "order"?: Bytes | null;
  /** The structures without a field. */
  "other"?: Array<WritableBluetoothDataStructure> | null;
  /** The temporary key of legacy pairing, the least significant byte first. */
  "securityManagerTK"?: Bytes | null;
  /** All service classes, of 16, 32 or 128 bits, such as `110B`. */
  "serviceClassUUIDs"?: Array<string> | null;
  /** The name of the device, cut short; at most 254 bytes. */
  "shortenedName"?: string | null;
  /** The hash C-192 of simple pairing, the least significant byte first. */
  "simplePairingHashC192"?: Bytes | null;
  /** The hash C-256 of simple pairing, the least significant byte first. */
  "simplePairingHashC256"?: Bytes | null;
  /** The randomizer R-192 of simple pairing, the least significant byte first. */
  "simplePairingRandomizerR192"?: Bytes | null;
  /** The randomizer R-256 of simple pairing, the least significant byte first. */
  "simplePairingRandomizerR256"?: Bytes | null;
  /** The power that it sends with, in dBm. */
  "txPowerLevel"?: number | null;
}
/** The random number of a handover request (local type `cr`). */
export interface CollisionResolutionFields {
  /** The number. */
  "randomNumber": number;
  /** The bytes after the number. */
  "reserved"?: string;
}
/** The random number of a handover request (local type `cr`). For writing. */
export interface WritableCollisionResolutionFields {
  /** The number. */
  "randomNumber": number;
  /** The bytes after the number. The default is "". */
  "reserved"?: Bytes | null;
}
/** The random number of a handover request (local type `cr`). */
export interface CollisionResolutionPayload {
  /** The kind. */
  "kind": "collisionResolution";
  /** The number. */
  "randomNumber": number;
  /** The bytes after the number. */
  "reserved"?: string;
}
/** The random number of a handover request (local type `cr`). For writing. */
export interface WritableCollisionResolutionPayload {
  /** The kind. */
  "kind": "collisionResolution";
  /** The number. */
  "randomNumber": number;
  /** The bytes after the number. The default is "". */
  "reserved"?: Bytes | null;
}
/** An element of device information. */
export interface DeviceInformationElement {
  /** The value. */
  "data": string;
  /** The type. */
  "type": number;
}
/** An element of device information. For writing. */
export interface WritableDeviceInformationElement {
  /** The value. The default is "". */
  "data"?: Bytes | null;
  /** The type. */
  "type": number;
}
/** What device the message comes from (well-known type `Di`). Texts take at most 255 bytes in UTF-8. */
export interface DeviceInformationPayload {
  /** The version of the firmware. */
  "firmwareVersion"?: string;
  /** The kind. */
  "kind": "deviceInformation";
  /** The name of the model. */
  "modelName": string;
  /** The elements of other types, and repeated ones. */
  "other"?: Array<DeviceInformationElement>;
  /** The name of this one device. */
  "uniqueName"?: string;
  /** The UUID of this one device: 32 hexadecimal digits, written in lower case with hyphens. */
  "uuid"?: string;
  /** Who made the device. */
  "vendorName": string;
}
/** What device the message comes from (well-known type `Di`). Texts take at most 255 bytes in UTF-8. For writing. */
export interface WritableDeviceInformationPayload {
  /** The version of the firmware. */
  "firmwareVersion"?: string | null;
  /** The kind. */
  "kind": "deviceInformation";
  /** The name of the model. */
  "modelName": string;
  /** The elements of other types, and repeated ones. */
  "other"?: Array<WritableDeviceInformationElement> | null;
  /** The name of this one device. */
  "uniqueName"?: string | null;
  /** The UUID of this one device: 32 hexadecimal digits, written in lower case with hyphens. */
  "uuid"?: string | null;
  /** Who made the device. */
  "vendorName": string;
}
/** The empty record. */
export interface EmptyPayload {
  /** The kind. */
  "kind": "empty";
}
/** The empty record. For writing. */
export interface WritableEmptyPayload {
  /** The kind. */
  "kind": "empty";
}
/** Content of an external type without its own form. */
export interface ExternalPayload {
  /** The content. */
  "data": string;
  /** The kind. */
  "kind": "external";
  /** The type: a domain, a colon and a name. */
  "type": string;
}
/** Content of an external type without its own form. For writing. */
export interface WritableExternalPayload {
  /** The content. The default is "". */
  "data"?: Bytes | null;
  /** The kind. */
  "kind": "external";
  /** The type: a domain, a colon and a name. */
  "type": string;
}
/** The product, and its variant, lot and serial number, of a GS1 Digital Link. */
export interface GS1Link {
  /** The batch or lot. */
  "10"?: string;
  /** The serial number. */
  "21"?: string;
  /** The variant. */
  "22"?: string;
  /** The number of the product (GTIN), in 14 digits. */
  "01": string;
}
/** The product, and its variant, lot and serial number, of a GS1 Digital Link. For writing. */
export interface WritableGS1Link {
  /** The batch or lot. */
  "10"?: string | null;
  /** The serial number. */
  "21"?: string | null;
  /** The variant. */
  "22"?: string | null;
  /** The number of the product (GTIN), in 14 digits. */
  "01"?: string | null;
}
/** A request to do something on a device (well-known type `Gc`). */
export interface GenericControlPayload {
  /** The action as a number; 0 to 2 as in `action`. */
  "actionCode"?: number;
  /** The action as raw records, instead of `actionCode`; at least one. */
  "actionRecords"?: Array<NDEFRecord>;
  /** The configuration byte. */
  "configuration": number;
  /** What the action works on, as raw records. */
  "data": Array<NDEFRecord>;
  /** The kind. */
  "kind": "genericControl";
  /** The records of other types, and those that are repeated or cannot be read, raw. */
  "other"?: Array<NDEFRecord>;
  /** What is to act: at least one raw record. */
  "target": Array<NDEFRecord>;
}
/** A request to do something on a device (well-known type `Gc`). For writing. */
export interface WritableGenericControlPayload {
  /** The action as a number; 0 to 2 as in `action`. */
  "actionCode"?: number | null;
  /** The action as raw records, instead of `actionCode`; at least one. */
  "actionRecords"?: Array<WritableRecord> | null;
  /** The configuration byte. The default is 0. */
  "configuration"?: number | null;
  /** What the action works on, as raw records. The default is []. */
  "data"?: Array<WritableRecord> | null;
  /** The kind. */
  "kind": "genericControl";
  /** The records of other types, and those that are repeated or cannot be read, raw. */
  "other"?: Array<WritableRecord> | null;
  /** What is to act: at least one raw record. */
  "target": Array<WritableRecord>;
}
/** A carrier that is asked for without a description (well-known type `Hc`). */
export interface HandoverCarrierPayload {
  /** What else there is to say of it. */
  "carrierData": string;
  /** The type of the carrier. */
  "carrierType": string;
  /** How the type is to be read: a `typeNameFormat`. */
  "carrierTypeFormat": "empty" | "nfcWellKnown" | "media" | "absoluteURI" | "nfcExternal" | "unknown" | "unchanged" | "reserved";
  /** The kind. */
  "kind": "handoverCarrier";
}
/** A carrier that is asked for without a description (well-known type `Hc`). For writing. */
export interface WritableHandoverCarrierPayload {
  /** What else there is to say of it. The default is "". */
  "carrierData"?: Bytes | null;
  /** The type of the carrier. */
  "carrierType": Bytes;
  /** How the type is to be read: a `typeNameFormat`. */
  "carrierTypeFormat": "empty" | "nfcWellKnown" | "media" | "absoluteURI" | "nfcExternal" | "unknown" | "unchanged" | "reserved";
  /** The kind. */
  "kind": "handoverCarrier";
}
/** Why a handover request could not be processed (local type `err`). */
export interface HandoverErrorFields {
  /** For `permanentMemoryConstraints` the largest message accepted, in bytes; otherwise the time to wait, 0 to 255 ms. */
  "data": number;
  /** The reason. */
  "reason": "temporaryMemoryConstraints" | "permanentMemoryConstraints" | "carrierSpecificConstraints" | number;
  /** The bytes after the data. */
  "reserved"?: string;
}
/** Why a handover request could not be processed (local type `err`). For writing. */
export interface WritableHandoverErrorFields {
  /** For `permanentMemoryConstraints` the largest message accepted, in bytes; otherwise the time to wait, 0 to 255 ms. */
  "data": number;
  /** The reason. */
  "reason": "temporaryMemoryConstraints" | "permanentMemoryConstraints" | "carrierSpecificConstraints" | number;
  /** The bytes after the data. The default is "". */
  "reserved"?: Bytes | null;
}
/** Why a handover request could not be processed (local type `err`). */
export interface HandoverErrorPayload {
  /** For `permanentMemoryConstraints` the largest message accepted, in bytes; otherwise the time to wait, 0 to 255 ms. */
  "data": number;
  /** The kind. */
  "kind": "handoverError";
  /** The reason. */
  "reason": "temporaryMemoryConstraints" | "permanentMemoryConstraints" | "carrierSpecificConstraints" | number;
  /** The bytes after the data. */
  "reserved"?: string;
}
/** Why a handover request could not be processed (local type `err`). For writing. */
export interface WritableHandoverErrorPayload {
  /** For `permanentMemoryConstraints` the largest message accepted, in bytes; otherwise the time to wait, 0 to 255 ms. */
  "data": number;
  /** The kind. */
  "kind": "handoverError";
  /** The reason. */
  "reason": "temporaryMemoryConstraints" | "permanentMemoryConstraints" | "carrierSpecificConstraints" | number;
  /** The bytes after the data. The default is "". */
  "reserved"?: Bytes | null;
}
/** The first record of a handover initiate message (well-known type `Hi`). */
export interface HandoverInitiatePayload {
  /** The carriers. */
  "carriers": Array<AlternativeCarrierFields>;
  /** The kind. */
  "kind": "handoverInitiate";
  /** The records of other types, raw. */
  "other"?: Array<NDEFRecord>;
  /** The version of the standard, 1.0 to 1.15. */
  "version": string;
}
/** The first record of a handover initiate message (well-known type `Hi`). For writing. */
export interface WritableHandoverInitiatePayload {
  /** The carriers. The default is []. */
  "carriers"?: Array<WritableAlternativeCarrierFields> | null;
  /** The kind. */
  "kind": "handoverInitiate";
  /** The records of other types, raw. */
  "other"?: Array<WritableRecord> | null;
  /** The version of the standard, 1.0 to 1.15. The default is "1.5". */
  "version"?: string | null;
}
/** The first record of a handover mediation message (well-known type `Hm`). */
export interface HandoverMediationPayload {
  /** The carriers. */
  "carriers": Array<AlternativeCarrierFields>;
  /** The kind. */
  "kind": "handoverMediation";
  /** The records of other types, raw. */
  "other"?: Array<NDEFRecord>;
  /** The version of the standard, 1.0 to 1.15. */
  "version": string;
}
/** The first record of a handover mediation message (well-known type `Hm`). For writing. */
export interface WritableHandoverMediationPayload {
  /** The carriers. The default is []. */
  "carriers"?: Array<WritableAlternativeCarrierFields> | null;
  /** The kind. */
  "kind": "handoverMediation";
  /** The records of other types, raw. */
  "other"?: Array<WritableRecord> | null;
  /** The version of the standard, 1.0 to 1.15. The default is "1.5". */
  "version"?: string | null;
}
/** The first record of a handover request message (well-known type `Hr`). */
export interface HandoverRequestPayload {
  /** The carriers. */
  "carriers": Array<AlternativeCarrierFields>;
  /** The random number; needed from version 1.2 on. */
  "collisionResolution"?: CollisionResolutionFields;
  /** The kind. */
  "kind": "handoverRequest";
  /** The records of other types, raw. */
  "other"?: Array<NDEFRecord>;
  /** The version of the standard, 1.0 to 1.15. */
  "version": string;
}
/** The first record of a handover request message (well-known type `Hr`). For writing. */
export interface WritableHandoverRequestPayload {
  /** The carriers. The default is []. */
  "carriers"?: Array<WritableAlternativeCarrierFields> | null;
  /** The random number; needed from version 1.2 on. */
  "collisionResolution"?: WritableCollisionResolutionFields | null;
  /** The kind. */
  "kind": "handoverRequest";
  /** The records of other types, raw. */
  "other"?: Array<WritableRecord> | null;
  /** The version of the standard, 1.0 to 1.15. The default is "1.5". */
  "version"?: string | null;
}
/** The first record of a handover select message (well-known type `Hs`). */
export interface HandoverSelectPayload {
  /** The carriers. */
  "carriers": Array<AlternativeCarrierFields>;
  /** Why the request could not be processed. */
  "error"?: HandoverErrorFields;
  /** The kind. */
  "kind": "handoverSelect";
  /** The records of other types, raw. */
  "other"?: Array<NDEFRecord>;
  /** The version of the standard, 1.0 to 1.15. */
  "version": string;
}
/** The first record of a handover select message (well-known type `Hs`). For writing. */
export interface WritableHandoverSelectPayload {
  /** The carriers. The default is []. */
  "carriers"?: Array<WritableAlternativeCarrierFields> | null;
  /** Why the request could not be processed. */
  "error"?: WritableHandoverErrorFields | null;
  /** The kind. */
  "kind": "handoverSelect";
  /** The records of other types, raw. */
  "other"?: Array<WritableRecord> | null;
  /** The version of the standard, 1.0 to 1.15. The default is "1.5". */
  "version"?: string | null;
}
/** A place. */
export interface LocationURI {
  /** The altitude in metres. */
  "altitude"?: number;
  /** The coordinate reference system. */
  "crs": string;
  /** The label in the query; ignored in a record to write. */
  "label"?: string;
  /** The latitude in degrees. */
  "latitude": number;
  /** The longitude in degrees. */
  "longitude": number;
  /** The other fields of the query. */
  "otherFields"?: Array<URIField>;
  /** The other parameters. */
  "parameters"?: Array<URIField>;
  /** The query: what to search for. */
  "query"?: string;
  /** The uncertainty in metres. */
  "uncertainty"?: number;
}
/** A place. For writing. */
export interface WritableLocationURI {
  /** The altitude in metres. */
  "altitude"?: number | null;
  /** The coordinate reference system. The default is "wgs84". */
  "crs"?: string | null;
  /** The latitude in degrees. */
  "latitude": number;
  /** The longitude in degrees. */
  "longitude": number;
  /** The other fields of the query. */
  "otherFields"?: Array<WritableURIField> | null;
  /** The other parameters. */
  "parameters"?: Array<WritableURIField> | null;
  /** The query: what to search for. */
  "query"?: string | null;
  /** The uncertainty in metres. */
  "uncertainty"?: number | null;
}
/** A mail. */
export interface MailURI {
  /** The addresses of the recipients of a blind copy. */
  "bcc"?: Array<string>;
  /** The text, with LF at line ends. */
  "body"?: string;
  /** The addresses of the recipients of a copy. */
  "cc"?: Array<string>;
  /** The other header fields. */
  "otherHeaders"?: Array<URIField>;
  /** The subject. */
  "subject"?: string;
  /** The addresses of the recipients. */
  "to": Array<string>;
}
/** A mail. For writing. */
export interface WritableMailURI {
  /** The addresses of the recipients of a blind copy. */
  "bcc"?: Array<string> | null;
  /** The text, with LF at line ends. */
  "body"?: string | null;
  /** The addresses of the recipients of a copy. */
  "cc"?: Array<string> | null;
  /** The other header fields. */
  "otherHeaders"?: Array<WritableURIField> | null;
  /** The subject. */
  "subject"?: string | null;
  /** The addresses of the recipients. The default is []. */
  "to"?: Array<string> | null;
}
/** Content of a media type without its own form. */
export interface MediaFields {
  /** The content, if there is no `text`; empty where both are missing. */
  "data"?: string;
  /** The content, where the type is `text/…`, JSON or XML, and the bytes are UTF-8. */
  "text"?: string;
  /** The media type with its parameters. */
  "type": string;
}
/** Content of a media type without its own form. For writing. */
export interface WritableMediaFields {
  /** The content, if there is no `text`; empty where both are missing. */
  "data"?: Bytes | null;
  /** The content, where the type is `text/…`, JSON or XML, and the bytes are UTF-8. */
  "text"?: string | null;
  /** The media type with its parameters. */
  "type": string;
}
/** Content of a media type without its own form. */
export interface MediaPayload {
  /** The content, if there is no `text`; empty where both are missing. */
  "data"?: string;
  /** The kind. */
  "kind": "media";
  /** The content, where the type is `text/…`, JSON or XML, and the bytes are UTF-8. */
  "text"?: string;
  /** The media type with its parameters. */
  "type": string;
}
/** Content of a media type without its own form. For writing. */
export interface WritableMediaPayload {
  /** The content, if there is no `text`; empty where both are missing. */
  "data"?: Bytes | null;
  /** The kind. */
  "kind": "media";
  /** The content, where the type is `text/…`, JSON or XML, and the bytes are UTF-8. */
  "text"?: string | null;
  /** The media type with its parameters. */
  "type": string;
}
/** A short message. */
export interface MessageURI {
  /** The text. */
  "body"?: string;
  /** The other fields. */
  "otherFields"?: Array<URIField>;
  /** The numbers of the recipients. */
  "recipients": Array<string>;
}
/** A short message. For writing. */
export interface WritableMessageURI {
  /** The text. */
  "body"?: string | null;
  /** The other fields. */
  "otherFields"?: Array<WritableURIField> | null;
  /** The numbers of the recipients. The default is []. */
  "recipients"?: Array<string> | null;
}
/** The fields of the auxiliary section. */
export interface OpenPrintTagAux {
  /** Key 0: a number (g). */
  "consumed_weight"?: number;
  /** Key 2: a text of at most 8 bytes. */
  "general_purpose_range_user"?: string;
  /** Key 3: a time in seconds since 1970-01-01 UTC. */
  "last_stir_time"?: number;
  /** Key 7: a text of at most 3 bytes. */
  "purchase_currency"?: string;
  /** Key 6: a number. */
  "purchase_price"?: number;
  /** Key 5: a time in seconds since 1970-01-01 UTC. */
  "purchase_time"?: number;
  /** Key 4: a text of at most 8 bytes. */
  "storage_location"?: string;
  /** Key 1: a text of at most 8 bytes. */
  "workgroup"?: string;
}
/** The fields of the auxiliary section. For writing. */
export interface WritableOpenPrintTagAux {
  /** Key 0: a number (g). */
  "consumed_weight"?: number | null;
  /** Key 2: a text of at most 8 bytes. */
  "general_purpose_range_user"?: string | null;
  /** Key 3: a time in seconds since 1970-01-01 UTC. */
  "last_stir_time"?: number | null;
  /** Key 7: a text of at most 3 bytes. */
  "purchase_currency"?: string | null;
  /** Key 6: a number. */
  "purchase_price"?: number | null;
  /** Key 5: a time in seconds since 1970-01-01 UTC. */
  "purchase_time"?: number | null;
  /** Key 4: a text of at most 8 bytes. */
  "storage_location"?: string | null;
  /** Key 1: a text of at most 8 bytes. */
  "workgroup"?: string | null;
}
/** The fields of an OpenPrintTag by section, named as in the specification. */
export interface OpenPrintTagData {
  /** What changes with use. */
  "aux"?: OpenPrintTagAux;
  /** The material, its package and its maker. */
  "main"?: OpenPrintTagMain;
  /** Where the other sections are. */
  "meta": OpenPrintTagMeta;
}
/** The fields of an OpenPrintTag by section, named as in the specification. For writing. */
export interface WritableOpenPrintTagData {
  /** What changes with use. */
  "aux"?: WritableOpenPrintTagAux | null;
  /** The material, its package and its maker. */
  "main"?: WritableOpenPrintTagMain | null;
  /** Where the other sections are. */
  "meta"?: WritableOpenPrintTagMeta | null;
}
/** Something in an OpenPrintTag payload that is not as the specification has it. */
export interface OpenPrintTagFault {
  /** What is wrong, such as `wrongType`, `outOfRange`, `corrupt` or `missing`. */
  "fault": string;
  /** The name of the field concerned. */
  "field"?: string;
  /** The bytes concerned. */
  "raw"?: string;
  /** The section. */
  "section": "meta" | "main" | "aux";
}
/** Something in an OpenPrintTag payload that is not as the specification has it. For writing. */
export interface WritableOpenPrintTagFault {
  /** What is wrong, such as `wrongType`, `outOfRange`, `corrupt` or `missing`. */
  "fault"?: string | null;
  /** The name of the field concerned. */
  "field"?: string | null;
  /** The bytes concerned. */
  "raw"?: Bytes | null;
  /** The section. */
  "section"?: "meta" | "main" | "aux" | null;
}
/** The fields of the main section. */
export interface OpenPrintTagMain {
  /** Key 54: a number (mm); recommended. */
  "actual_full_length"?: number;
  /** Key 17: a number (g); recommended. */
  "actual_netto_full_weight"?: number;
  /** Key 11: a text of at most 31 bytes; recommended. */
  "brand_name"?: string;
  /** Key 5: a text of at most 16 bytes. */
  "brand_specific_instance_id"?: string;
  /** Key 7: a text of at most 16 bytes. */
  "brand_specific_material_id"?: string;
  /** Key 6: a text of at most 16 bytes. */
  "brand_specific_package_id"?: string;
  /** Key 3: a UUID. */
  "brand_uuid"?: string;
  /** Key 56: at most 8 items, by number where they have no name. */
  "certifications"?: Array<"ul_2818" | "ul_94_v0" | "ul_2904" | number>;
  /** Key 41: a whole number (°C). */
  "chamber_temperature"?: number;
  /** Key 45: a whole number (mm). */
  "container_hole_diameter"?: number;
  /** Key 44: a whole number (mm). */
  "container_inner_diameter"?: number;
  /** Key 43: a whole number (mm). */
  "container_outer_diameter"?: number;
  /** Key 50: a number (ml). */
  "container_volumetric_capacity"?: number;
  /** Key 42: a whole number (mm). */
  "container_width"?: number;
  /** Key 55: a text of at most 2 bytes. */
  "country_of_origin"?: string;
  /** Key 51: a whole number (nm). */
  "cure_wavelength"?: number;
  /** Key 29: a number (g/cm³); recommended. */
  "density"?: number;
  /** Key 57: a whole number (°C). */
  "drying_temperature"?: number;
  /** Key 58: a whole number (min). */
  "drying_time"?: number;
  /** Key 18: a number (g); recommended. */
  "empty_container_weight"?: number;
  /** Key 15: a time in seconds since 1970-01-01 UTC. */
  "expiration_date"?: number;
  /** Key 30: a number (mm). */
  "filament_diameter"?: number;
  /** Key 4: a number; recommended. */
  "gtin"?: number;
  /** Key 0: a UUID. */
  "instance_uuid"?: string;
  /** Key 14: a time in seconds since 1970-01-01 UTC; recommended. */
  "manufactured_date"?: number;
  /** Key 52: a text of at most 7 bytes. */
  "material_abbreviation"?: string;
  /** Key 8: an item, by number where it has no name; required. */
  "material_class"?: "FFF" | "SLA" | number;
  /** Key 10: a text of at most 63 bytes; recommended. */
  "material_name"?: string;
  /** Key 9: an item, by number where it has no name; recommended. */
  "material_type"?: "PLA" | "PETG" | "TPU" | "ABS" | "ASA" | "PC" | "PCTG" | "PP" | "PA6" | "PA11" | "PA12" | "PA66" | "CPE" | "TPE" | "HIPS" | "PHA" | "PET" | "PEI" | "PBT" | "PVB" | "PVA" | "PEKK" | "PEEK" | "BVOH" | "TPC" | "PPS" | "PPSU" | "PVC" | "PEBA" | "PVDF" | "PPA" | "PCL" | "PES" | "PMMA" | "POM" | "PPE" | "PS" | "PSU" | "TPI" | "SBS" | "OBC" | "EVA" | "PA612" | number;
  /** Key 2: a UUID. */
  "material_uuid"?: string;
  /** Key 38: a whole number (°C); recommended. */
  "max_bed_temperature"?: number;
  /** Key 40: a whole number (°C). */
  "max_chamber_temperature"?: number;
  /** Key 35: a whole number (°C); recommended. */
  "max_print_temperature"?: number;
  /** Key 37: a whole number (°C); recommended. */
  "min_bed_temperature"?: number;
  /** Key 39: a whole number (°C). */
  "min_chamber_temperature"?: number;
  /** Key 33: a number (mm). */
  "min_nozzle_diameter"?: number;
  /** Key 34: a whole number (°C); recommended. */
  "min_print_temperature"?: number;
  /** Key 53: a number (mm); recommended. */
  "nominal_full_length"?: number;
  /** Key 16: a number (g); recommended. */
  "nominal_netto_full_weight"?: number;
  /** Key 1: a UUID. */
  "package_uuid"?: string;
  /** Key 36: a whole number (°C); recommended. */
  "preheat_temperature"?: number;
  /** Key 19: a colour, red, green, blue and alpha; recommended. Null: there is no single colour. */
  "primary_color"?: string | null;
  /** Key 59: L*, a* and b* of a colour. */
  "primary_color_lab"?: Array<number>;
  /** Key 60: a text of at most 16 bytes (RAL code). */
  "primary_color_ral"?: string;
  /** Key 20: a colour, red, green, blue and alpha. Null: there is no single colour. */
  "secondary_color_0"?: string | null;
  /** Key 21: a colour, red, green, blue and alpha. Null: there is no single colour. */
  "secondary_color_1"?: string | null;
  /** Key 22: a colour, red, green, blue and alpha. Null: there is no single colour. */
  "secondary_color_2"?: string | null;
  /** Key 23: a colour, red, green, blue and alpha. Null: there is no single colour. */
  "secondary_color_3"?: string | null;
  /** Key 24: a colour, red, green, blue and alpha. Null: there is no single colour. */
  "secondary_color_4"?: string | null;
  /** Key 31: a whole number. */
  "shore_hardness_a"?: number;
  /** Key 32: a whole number. */
  "shore_hardness_d"?: number;
  /** Key 28: at most 16 items, by number where they have no name; recommended. */
  "tags"?: Array<"filtration_recommended" | "biocompatible" | "antibacterial" | "air_filtering" | "abrasive" | "foaming" | "self_extinguishing" | "paramagnetic" | "radiation_shielding" | "high_temperature" | "esd_safe" | "conductive" | "blend" | "water_soluble" | "ipa_soluble" | "limonene_soluble" | "matte" | "silk" | "translucent" | "transparent" | "iridescent" | "pearlescent" | "glitter" | "glow_in_the_dark" | "neon" | "illuminescent_color_change" | "temperature_color_change" | "gradual_color_change" | "coextruded" | "contains_carbon" | "contains_carbon_fiber" | "contains_carbon_nano_tubes" | "contains_glass" | "contains_glass_fiber" | "contains_kevlar" | "contains_stone" | "contains_magnetite" | "contains_organic_material" | "contains_cork" | "contains_wax" | "contains_wood" | "contains_bamboo" | "contains_pine" | "contains_ceramic" | "contains_boron_carbide" | "contains_metal" | "contains_bronze" | "contains_iron" | "contains_steel" | "contains_silver" | "contains_copper" | "contains_aluminium" | "contains_brass" | "contains_tungsten" | "imitates_wood" | "imitates_metal" | "imitates_marble" | "imitates_stone" | "lithophane" | "recycled" | "home_compostable" | "industrially_compostable" | "bio_based" | "low_outgassing" | "without_pigments" | "contains_algae" | "castable" | "contains_ptfe" | "limited_edition" | "emi_shielding" | "high_speed" | "contains_graphene" | number>;
  /** Key 27: a number (HueForge TD). */
  "transmission_distance"?: number;
  /** Key 46: a number (mPa·s). */
  "viscosity_18c"?: number;
  /** Key 47: a number (mPa·s). */
  "viscosity_25c"?: number;
  /** Key 48: a number (mPa·s). */
  "viscosity_40c"?: number;
  /** Key 49: a number (mPa·s). */
  "viscosity_60c"?: number;
  /** Key 13: an item, by number where it has no name. */
  "write_protection"?: "no" | "irreversible" | "protect_page_unlockable" | number;
}
/** The fields of the main section. For writing. */
export interface WritableOpenPrintTagMain {
  /** Key 54: a number (mm); recommended. */
  "actual_full_length"?: number | null;
  /** Key 17: a number (g); recommended. */
  "actual_netto_full_weight"?: number | null;
  /** Key 11: a text of at most 31 bytes; recommended. */
  "brand_name"?: string | null;
  /** Key 5: a text of at most 16 bytes. */
  "brand_specific_instance_id"?: string | null;
  /** Key 7: a text of at most 16 bytes. */
  "brand_specific_material_id"?: string | null;
  /** Key 6: a text of at most 16 bytes. */
  "brand_specific_package_id"?: string | null;
  /** Key 3: a UUID. */
  "brand_uuid"?: string | null;
  /** Key 56: at most 8 items, by number where they have no name. */
  "certifications"?: Array<"ul_2818" | "ul_94_v0" | "ul_2904" | number> | null;
  /** Key 41: a whole number (°C). */
  "chamber_temperature"?: number | null;
  /** Key 45: a whole number (mm). */
  "container_hole_diameter"?: number | null;
  /** Key 44: a whole number (mm). */
  "container_inner_diameter"?: number | null;
  /** Key 43: a whole number (mm). */
  "container_outer_diameter"?: number | null;
  /** Key 50: a number (ml). */
  "container_volumetric_capacity"?: number | null;
  /** Key 42: a whole number (mm). */
  "container_width"?: number | null;
  /** Key 55: a text of at most 2 bytes. */
  "country_of_origin"?: string | null;
  /** Key 51: a whole number (nm). */
  "cure_wavelength"?: number | null;
  /** Key 29: a number (g/cm³); recommended. */
  "density"?: number | null;
  /** Key 57: a whole number (°C). */
  "drying_temperature"?: number | null;
  /** Key 58: a whole number (min). */
  "drying_time"?: number | null;
  /** Key 18: a number (g); recommended. */
  "empty_container_weight"?: number | null;
  /** Key 15: a time in seconds since 1970-01-01 UTC. */
  "expiration_date"?: number | null;
  /** Key 30: a number (mm). */
  "filament_diameter"?: number | null;
  /** Key 4: a number; recommended. */
  "gtin"?: number | null;
  /** Key 0: a UUID. */
  "instance_uuid"?: string | null;
  /** Key 14: a time in seconds since 1970-01-01 UTC; recommended. */
  "manufactured_date"?: number | null;
  /** Key 52: a text of at most 7 bytes. */
  "material_abbreviation"?: string | null;
  /** Key 8: an item, by number where it has no name; required. */
  "material_class"?: "FFF" | "SLA" | number | null;
  /** Key 10: a text of at most 63 bytes; recommended. */
  "material_name"?: string | null;
  /** Key 9: an item, by number where it has no name; recommended. */
  "material_type"?: "PLA" | "PETG" | "TPU" | "ABS" | "ASA" | "PC" | "PCTG" | "PP" | "PA6" | "PA11" | "PA12" | "PA66" | "CPE" | "TPE" | "HIPS" | "PHA" | "PET" | "PEI" | "PBT" | "PVB" | "PVA" | "PEKK" | "PEEK" | "BVOH" | "TPC" | "PPS" | "PPSU" | "PVC" | "PEBA" | "PVDF" | "PPA" | "PCL" | "PES" | "PMMA" | "POM" | "PPE" | "PS" | "PSU" | "TPI" | "SBS" | "OBC" | "EVA" | "PA612" | number | null;
  /** Key 2: a UUID. */
  "material_uuid"?: string | null;
  /** Key 38: a whole number (°C); recommended. */
  "max_bed_temperature"?: number | null;
  /** Key 40: a whole number (°C). */
  "max_chamber_temperature"?: number | null;
  /** Key 35: a whole number (°C); recommended. */
  "max_print_temperature"?: number | null;
  /** Key 37: a whole number (°C); recommended. */
  "min_bed_temperature"?: number | null;
  /** Key 39: a whole number (°C). */
  "min_chamber_temperature"?: number | null;
  /** Key 33: a number (mm). */
  "min_nozzle_diameter"?: number | null;
  /** Key 34: a whole number (°C); recommended. */
  "min_print_temperature"?: number | null;
  /** Key 53: a number (mm); recommended. */
  "nominal_full_length"?: number | null;
  /** Key 16: a number (g); recommended. */
  "nominal_netto_full_weight"?: number | null;
  /** Key 1: a UUID. */
  "package_uuid"?: string | null;
  /** Key 36: a whole number (°C); recommended. */
  "preheat_temperature"?: number | null;
  /** Key 19: a colour, red, green, blue and alpha; recommended. Null: there is no single colour. */
  "primary_color"?: string | null;
  /** Key 59: L*, a* and b* of a colour. */
  "primary_color_lab"?: Array<number> | null;
  /** Key 60: a text of at most 16 bytes (RAL code). */
  "primary_color_ral"?: string | null;
  /** Key 20: a colour, red, green, blue and alpha. Null: there is no single colour. */
  "secondary_color_0"?: string | null;
  /** Key 21: a colour, red, green, blue and alpha. Null: there is no single colour. */
  "secondary_color_1"?: string | null;
  /** Key 22: a colour, red, green, blue and alpha. Null: there is no single colour. */
  "secondary_color_2"?: string | null;
  /** Key 23: a colour, red, green, blue and alpha. Null: there is no single colour. */
  "secondary_color_3"?: string | null;
  /** Key 24: a colour, red, green, blue and alpha. Null: there is no single colour. */
  "secondary_color_4"?: string | null;
  /** Key 31: a whole number. */
  "shore_hardness_a"?: number | null;
  /** Key 32: a whole number. */
  "shore_hardness_d"?: number | null;
  /** Key 28: at most 16 items, by number where they have no name; recommended. */
  "tags"?: Array<"filtration_recommended" | "biocompatible" | "antibacterial" | "air_filtering" | "abrasive" | "foaming" | "self_extinguishing" | "paramagnetic" | "radiation_shielding" | "high_temperature" | "esd_safe" | "conductive" | "blend" | "water_soluble" | "ipa_soluble" | "limonene_soluble" | "matte" | "silk" | "translucent" | "transparent" | "iridescent" | "pearlescent" | "glitter" | "glow_in_the_dark" | "neon" | "illuminescent_color_change" | "temperature_color_change" | "gradual_color_change" | "coextruded" | "contains_carbon" | "contains_carbon_fiber" | "contains_carbon_nano_tubes" | "contains_glass" | "contains_glass_fiber" | "contains_kevlar" | "contains_stone" | "contains_magnetite" | "contains_organic_material" | "contains_cork" | "contains_wax" | "contains_wood" | "contains_bamboo" | "contains_pine" | "contains_ceramic" | "contains_boron_carbide" | "contains_metal" | "contains_bronze" | "contains_iron" | "contains_steel" | "contains_silver" | "contains_copper" | "contains_aluminium" | "contains_brass" | "contains_tungsten" | "imitates_wood" | "imitates_metal" | "imitates_marble" | "imitates_stone" | "lithophane" | "recycled" | "home_compostable" | "industrially_compostable" | "bio_based" | "low_outgassing" | "without_pigments" | "contains_algae" | "castable" | "contains_ptfe" | "limited_edition" | "emi_shielding" | "high_speed" | "contains_graphene" | number> | null;
  /** Key 27: a number (HueForge TD). */
  "transmission_distance"?: number | null;
  /** Key 46: a number (mPa·s). */
  "viscosity_18c"?: number | null;
  /** Key 47: a number (mPa·s). */
  "viscosity_25c"?: number | null;
  /** Key 48: a number (mPa·s). */
  "viscosity_40c"?: number | null;
  /** Key 49: a number (mPa·s). */
  "viscosity_60c"?: number | null;
  /** Key 13: an item, by number where it has no name. */
  "write_protection"?: "no" | "irreversible" | "protect_page_unlockable" | number | null;
}
/** The fields of the meta section. */
export interface OpenPrintTagMeta {
  /** Key 2: a whole number (bytes). */
  "aux_region_offset"?: number;
  /** Key 3: a whole number (bytes). */
  "aux_region_size"?: number;
  /** Key 0: a whole number (bytes). */
  "main_region_offset"?: number;
  /** Key 1: a whole number (bytes). */
  "main_region_size"?: number;
}
/** The fields of the meta section. For writing. */
export interface WritableOpenPrintTagMeta {
  /** Key 2: a whole number (bytes). */
  "aux_region_offset"?: number | null;
  /** Key 3: a whole number (bytes). */
  "aux_region_size"?: number | null;
  /** Key 0: a whole number (bytes). */
  "main_region_offset"?: number | null;
  /** Key 1: a whole number (bytes). */
  "main_region_size"?: number | null;
}
/** A spool or bottle of material for 3D printers (media type `application/vnd.openprinttag`). */
export interface OpenPrintTagPayload {
  /** The fields that are as the specification has them. */
  "data": OpenPrintTagData;
  /** What is not as the specification has it. */
  "faults"?: Array<OpenPrintTagFault>;
  /** The kind. */
  "kind": "openPrintTag";
  /** The whole payload; it starts with a map of CBOR. */
  "payload": string;
  /** Where the sections are. */
  "regions": OpenPrintTagRegions;
  /** The grams of material left: full weight less consumed weight, not below 0. */
  "remaining_weight"?: number;
  /** The fields that the specification does not have. */
  "unknown_fields"?: OpenPrintTagUnknown;
}
/** A spool or bottle of material for 3D printers (media type `application/vnd.openprinttag`). For writing. */
export interface WritableOpenPrintTagPayload {
  /** The kind. */
  "kind": "openPrintTag";
  /** The whole payload; it starts with a map of CBOR. */
  "payload": Bytes;
}
/** A region of an OpenPrintTag payload. */
export interface OpenPrintTagRegion {
  /** Where the region starts, in bytes from the start of the payload. */
  "payload_offset": number;
  /** The bytes of the region. */
  "size": number;
  /** The bytes of the section in it, if it can be read. */
  "used_size"?: number;
}
/** A region of an OpenPrintTag payload. For writing. */
export interface WritableOpenPrintTagRegion {
  /** Where the region starts, in bytes from the start of the payload. */
  "payload_offset"?: number | null;
  /** The bytes of the region. */
  "size"?: number | null;
  /** The bytes of the section in it, if it can be read. */
  "used_size"?: number | null;
}
/** The regions of an OpenPrintTag payload. */
export interface OpenPrintTagRegions {
  /** The region of the aux section. */
  "aux"?: OpenPrintTagRegion;
  /** The region of the main section. */
  "main"?: OpenPrintTagRegion;
  /** The region of the meta section. */
  "meta": OpenPrintTagRegion;
}
/** The regions of an OpenPrintTag payload. For writing. */
export interface WritableOpenPrintTagRegions {
  /** The region of the aux section. */
  "aux"?: WritableOpenPrintTagRegion | null;
  /** The region of the main section. */
  "main"?: WritableOpenPrintTagRegion | null;
  /** The region of the meta section. */
  "meta"?: WritableOpenPrintTagRegion | null;
}
/** Fields of an OpenPrintTag that the specification does not have, by section. */
export interface OpenPrintTagUnknown {
  /** Those of the aux section: the bytes of each value by the bytes of its key. */
  "aux"?: Record<string, string>;
  /** Those of the main section: the bytes of each value by the bytes of its key. */
  "main"?: Record<string, string>;
  /** Those of the meta section: the bytes of each value by the bytes of its key. */
  "meta"?: Record<string, string>;
}
/** Fields of an OpenPrintTag that the specification does not have, by section. For writing. */
export interface WritableOpenPrintTagUnknown {
  /** Those of the aux section: the bytes of each value by the bytes of its key. */
  "aux"?: Record<string, Bytes> | null;
  /** Those of the main section: the bytes of each value by the bytes of its key. */
  "main"?: Record<string, Bytes> | null;
  /** Those of the meta section: the bytes of each value by the bytes of its key. */
  "meta"?: Record<string, Bytes> | null;
}
/** A spool of filament in the format OpenSpool (media type `application/json` with the protocol `openspool`). */
export interface OpenSpoolPayload {
  /** The maker. */
  "brand"?: string;
  /** The colour: red, green, blue, and alpha. */
  "color_hex"?: string;
  /** The diameter in mm. */
  "diameter"?: number;
  /** The kind. */
  "kind": "openSpool";
  /** The highest temperature of the nozzle in °C. */
  "max_temp"?: number;
  /** The least temperature of the nozzle in °C. */
  "min_temp"?: number;
  /** The number of the spool in a program's list. */
  "spool_id"?: string;
  /** The material more closely. */
  "subtype"?: string;
  /** The whole JSON. */
  "text": string;
  /** The material, such as `PLA`. */
  "type"?: string;
  /** The version of the format. */
  "version"?: string;
  /** The grams of filament. */
  "weight"?: number;
}
/**
 * A spool of filament in the format OpenSpool (media type `application/json` with the protocol `openspool`). For
 * writing.
 */
export interface WritableOpenSpoolPayload {
  /** The kind. */
  "kind": "openSpool";
  /** The whole JSON. */
  "text": string;
}
/** A spool of filament in the format OpenTag3D (media type `application/opentag3d`). */
export interface OpenTag3DPayload {
  /** The temperature of the bed in °C. */
  "bed_temp"?: number;
  /** The colour: red, green, blue and alpha. */
  "color_1"?: string;
  /** The second colour. */
  "color_2"?: string;
  /** The third colour. */
  "color_3"?: string;
  /** The fourth colour. */
  "color_4"?: string;
  /** The name of the colour. */
  "color_name"?: string;
  /** The density in g/cm³. */
  "density"?: number;
  /** The hours of drying. */
  "dry_time"?: number;
  /** The grams of the empty spool. */
  "empty_spool_weight"?: number;
  /** The kind. */
  "kind": "openTag3D";
  /** The maker. */
  "manufacturer"?: string;
  /** The material, such as `PLA`. */
  "material_base"?: string;
  /** What the material has beside its base, such as `CF`. */
  "material_mod"?: string;
  /** The highest temperature of the bed in °C. */
  "max_bed_temp"?: number;
  /** The highest temperature for drying in °C. */
  "max_dry_temp"?: number;
  /** The highest temperature of the nozzle in °C. */
  "max_print_temp"?: number;
  /** The highest volumetric speed in mm³/s. */
  "max_vso"?: number;
  /** The measured length in m. */
  "measured_filament_length"?: number;
  /** The measured grams of filament. */
  "measured_filament_weight"?: number;
  /** The measured tolerance of the diameter in µm. */
  "measured_tolerance"?: number;
  /** The date of manufacture, such as `2024-01-23`. */
  "mfg_date"?: string;
  /** The time of manufacture in UTC, such as `10:30:45`. */
  "mfg_time"?: string;
  /** The least temperature of the bed in °C. */
  "min_bed_temp"?: number;
  /** The least temperature of the nozzle in °C. */
  "min_print_temp"?: number;
  /** The least volumetric speed in mm³/s. */
  "min_vso"?: number;
  /** Where more data is, without `https://`. */
  "online_data_url"?: string;
  /** The whole payload, 102 bytes or more. */
  "payload": string;
  /** The temperature of the nozzle in °C. */
  "print_temp"?: number;
  /** The number of the spool or batch. */
  "serial"?: string;
  /** The diameter of the spool's core in mm. */
  "spool_core_diameter"?: number;
  /** The version of the format in thousandths. */
  "tag_version": number;
  /** The diameter of the filament in mm. */
  "target_diameter"?: number;
  /** The usual volumetric speed in mm³/s. */
  "target_vso"?: number;
  /** The grams of filament on a full spool. */
  "target_weight"?: number;
  /** The transmission distance in mm. */
  "td"?: number;
}
/** A spool of filament in the format OpenTag3D (media type `application/opentag3d`). For writing. */
export interface WritableOpenTag3DPayload {
  /** The kind. */
  "kind": "openTag3D";
  /** The whole payload, 102 bytes or more. */
  "payload": Bytes;
}
/** A signature of the records before it, which is not verified (well-known type `Sig`). */
export interface SignaturePayload {
  /** The form of the certificates. Version 1.0 has `X9.68` instead of `M2M`. */
  "certificateFormat": "X.509" | "M2M" | "X9.68" | number;
  /** The certificates, the signer's first; at most 15. */
  "certificates": Array<string>;
  /** The hash that was signed; in version 2.0 only, where a missing one is `SHA-256`. */
  "hashType"?: "SHA-256" | number;
  /** The kind. */
  "kind": "signature";
  /** Where the certificate is that follows the last one. */
  "nextCertificateURI"?: string;
  /** The signature; no bytes if it is missing and there is no `signatureURI`. */
  "signature"?: string;
  /**
   * How the signature was made. Version 1.0 has `none`, `RSASSA-PSS-SHA-1`, `RSASSA-PKCS1-v1_5-SHA-1`, `DSA` and
   * `ECDSA`, version 2.0 the others.
   */
  "signatureType": "none" | "RSASSA-PSS-1024" | "RSASSA-PKCS1-v1_5-1024" | "DSA-1024" | "ECDSA-P192" | "RSASSA-PSS-2048" | "RSASSA-PKCS1-v1_5-2048" | "DSA-2048" | "ECDSA-P224" | "ECDSA-K233" | "ECDSA-B233" | "ECDSA-P256" | "RSASSA-PSS-SHA-1" | "RSASSA-PKCS1-v1_5-SHA-1" | "DSA" | "ECDSA" | number;
  /** Where the signature can be fetched, instead of `signature`. */
  "signatureURI"?: string;
  /** The edition of the standard. */
  "version": "1.0" | "2.0" | number;
}
/** A signature of the records before it, which is not verified (well-known type `Sig`). For writing. */
export interface WritableSignaturePayload {
  /** The form of the certificates. Version 1.0 has `X9.68` instead of `M2M`. The default is "X.509". */
  "certificateFormat"?: "X.509" | "M2M" | "X9.68" | number | null;
  /** The certificates, the signer's first; at most 15. The default is []. */
  "certificates"?: Array<Bytes> | null;
  /** The hash that was signed; in version 2.0 only, where a missing one is `SHA-256`. */
  "hashType"?: "SHA-256" | number | null;
  /** The kind. */
  "kind": "signature";
  /** Where the certificate is that follows the last one. */
  "nextCertificateURI"?: string | null;
  /** The signature; no bytes if it is missing and there is no `signatureURI`. */
  "signature"?: Bytes | null;
  /**
   * How the signature was made. Version 1.0 has `none`, `RSASSA-PSS-SHA-1`, `RSASSA-PKCS1-v1_5-SHA-1`, `DSA` and
   * `ECDSA`, version 2.0 the others.
   */
  "signatureType": "none" | "RSASSA-PSS-1024" | "RSASSA-PKCS1-v1_5-1024" | "DSA-1024" | "ECDSA-P192" | "RSASSA-PSS-2048" | "RSASSA-PKCS1-v1_5-2048" | "DSA-2048" | "ECDSA-P224" | "ECDSA-K233" | "ECDSA-B233" | "ECDSA-P256" | "RSASSA-PSS-SHA-1" | "RSASSA-PKCS1-v1_5-SHA-1" | "DSA" | "ECDSA" | number;
  /** Where the signature can be fetched, instead of `signature`. */
  "signatureURI"?: string | null;
  /** The edition of the standard. The default is "2.0". */
  "version"?: "1.0" | "2.0" | number | null;
}
/** How large the object is that the URI of the Smart Poster around leads to (well-known type `s`). */
export interface SizePayload {
  /** The kind. */
  "kind": "size";
  /** The size in bytes. */
  "size": number;
}
/** How large the object is that the URI of the Smart Poster around leads to (well-known type `s`). For writing. */
export interface WritableSizePayload {
  /** The kind. */
  "kind": "size";
  /** The size in bytes. */
  "size": number;
}
/** A URI with titles and what to do with it (well-known type `Sp`). */
export interface SmartPosterPayload {
  /** What to do with the URI. */
  "action"?: "execute" | "save" | "edit" | number;
  /** The icons, of types `image/…` and `video/…` only. */
  "icons"?: Array<MediaFields>;
  /** The kind. */
  "kind": "smartPoster";
  /** The records of other types, and those that are repeated or cannot be read, raw. */
  "other"?: Array<NDEFRecord>;
  /** The size in bytes of what the URI leads to. */
  "size"?: number;
  /** The titles, one for each language. */
  "titles": Array<TextFields>;
  /** The media type of what the URI leads to, of the form `type/subtype`. */
  "type"?: string;
  /** The URI that the Smart Poster leads to. */
  "uri": string;
}
/** A URI with titles and what to do with it (well-known type `Sp`). For writing. */
export interface WritableSmartPosterPayload {
  /** What to do with the URI. */
  "action"?: "execute" | "save" | "edit" | number | null;
  /** The icons, of types `image/…` and `video/…` only. */
  "icons"?: Array<WritableMediaFields> | null;
  /** The kind. */
  "kind": "smartPoster";
  /** The records of other types, and those that are repeated or cannot be read, raw. */
  "other"?: Array<WritableRecord> | null;
  /** The size in bytes of what the URI leads to. */
  "size"?: number | null;
  /** The titles, one for each language. The default is []. */
  "titles"?: Array<WritableTextFields> | null;
  /** The media type of what the URI leads to, of the form `type/subtype`. */
  "type"?: string | null;
  /** The URI that the Smart Poster leads to. */
  "uri": string;
}
/** Numbers in Spoolman, which a text names. */
export interface SpoolmanNumbers {
  /** The number of the filament. */
  "filament"?: number;
  /** The number of the spool. */
  "spool"?: number;
}
/** Numbers in Spoolman, which a text names. For writing. */
export interface WritableSpoolmanNumbers {
  /** The number of the filament. */
  "filament"?: number | null;
  /** The number of the spool. */
  "spool"?: number | null;
}
/** A telephone number. */
export interface TelephoneURI {
  /** The number without separators; ignored in a record to write. */
  "dialable": string;
  /** The extension. */
  "extension"?: string;
  /** The number. */
  "number": string;
  /** The other parameters. */
  "parameters"?: Array<URIField>;
  /** The context of a local number. */
  "phoneContext"?: string;
}
/** A telephone number. For writing. */
export interface WritableTelephoneURI {
  /** The extension. */
  "extension"?: string | null;
  /** The number. */
  "number": string;
  /** The other parameters. */
  "parameters"?: Array<WritableURIField> | null;
  /** The context of a local number. */
  "phoneContext"?: string | null;
}
/** A text with its language (well-known type `T`). */
export interface TextFields {
  /** The encoding on the tag; `utf-16` is big-endian. */
  "encoding": "utf-8" | "utf-16";
  /** The language tag (BCP 47): ASCII, at most 63 bytes; may be empty. */
  "language": string;
  /** The numbers that lines such as `SPOOL:3` and `FILAMENT:2` name, as nfc2klipper writes them. */
  "spoolman"?: SpoolmanNumbers;
  /** The text. */
  "text": string;
}
/** A text with its language (well-known type `T`). For writing. */
export interface WritableTextFields {
  /** The encoding on the tag; `utf-16` is big-endian. The default is "utf-8". */
  "encoding"?: "utf-8" | "utf-16" | null;
  /** The language tag (BCP 47): ASCII, at most 63 bytes; may be empty. The default is "en". */
  "language"?: string | null;
  /** The text. */
  "text": string;
}
/** A text with its language (well-known type `T`). */
export interface TextPayload {
  /** The encoding on the tag; `utf-16` is big-endian. */
  "encoding": "utf-8" | "utf-16";
  /** The kind. */
  "kind": "text";
  /** The language tag (BCP 47): ASCII, at most 63 bytes; may be empty. */
  "language": string;
  /** The numbers that lines such as `SPOOL:3` and `FILAMENT:2` name, as nfc2klipper writes them. */
  "spoolman"?: SpoolmanNumbers;
  /** The text. */
  "text": string;
}
/** A text with its language (well-known type `T`). For writing. */
export interface WritableTextPayload {
  /** The encoding on the tag; `utf-16` is big-endian. The default is "utf-8". */
  "encoding"?: "utf-8" | "utf-16" | null;
  /** The kind. */
  "kind": "text";
  /** The language tag (BCP 47): ASCII, at most 63 bytes; may be empty. The default is "en". */
  "language"?: string | null;
  /** The text. */
  "text": string;
}
/** Of what media type the object is that the URI of the Smart Poster around leads to (well-known type `t`). */
export interface TypePayload {
  /** The kind. */
  "kind": "type";
  /** The media type, of the form `type/subtype`. */
  "type": string;
}
/**
 * Of what media type the object is that the URI of the Smart Poster around leads to (well-known type `t`). For
 * writing.
 */
export interface WritableTypePayload {
  /** The kind. */
  "kind": "type";
  /** The media type, of the form `type/subtype`. */
  "type": string;
}
/** A field of a URI. */
export interface URIField {
  /** The name. */
  "name": string;
  /** The value; absent if there is none. */
  "value"?: string;
}
/** A field of a URI. For writing. */
export interface WritableURIField {
  /** The name. */
  "name": string;
  /** The value; absent if there is none. */
  "value"?: string | null;
}
/** Content of unknown type; also the records of reserved type name format. */
export interface UnknownPayload {
  /** The content. */
  "data": string;
  /** The kind. */
  "kind": "unknown";
}
/** Content of unknown type; also the records of reserved type name format. For writing. */
export interface WritableUnknownPayload {
  /** The content. The default is "". */
  "data"?: Bytes | null;
  /** The kind. */
  "kind": "unknown";
}
/** A URI (well-known type `U`). */
export interface UriPayload {
  /** The parts of a `geo` URI. */
  "geo"?: LocationURI;
  /** What a GS1 Digital Link says. */
  "gs1"?: GS1Link;
  /** The kind. */
  "kind": "uri";
  /** The parts of a `mailto` URI. */
  "mailto"?: MailURI;
  /** The parts of an `sms` or `smsto` URI. */
  "sms"?: MessageURI;
  /** The parts of a `tel` URI. */
  "tel"?: TelephoneURI;
  /** The whole URI. In a record to write it takes precedence; without it, one of the other fields makes the URI. */
  "uri": string;
}
/** A URI (well-known type `U`). For writing. */
export interface WritableUriPayload {
  /** The parts of a `geo` URI. */
  "geo"?: WritableLocationURI | null;
  /** The kind. */
  "kind": "uri";
  /** The parts of a `mailto` URI. */
  "mailto"?: WritableMailURI | null;
  /** The parts of an `sms` or `smsto` URI. */
  "sms"?: WritableMessageURI | null;
  /** The parts of a `tel` URI. */
  "tel"?: WritableTelephoneURI | null;
  /** The whole URI. In a record to write it takes precedence; without it, one of the other fields makes the URI. */
  "uri"?: string | null;
}
/** A postal address. */
export interface VCardAddress {
  /** The country. */
  "country"?: string;
  /** The apartment, the floor and the like. */
  "extended"?: string;
  /** The town. */
  "locality"?: string;
  /** The post office box. */
  "postOfficeBox"?: string;
  /** The postal code. */
  "postalCode"?: string;
  /** The region. */
  "region"?: string;
  /** The street and the number. */
  "street"?: string;
  /** The types, such as `work`, in lower case; `pref` for the preferred one. */
  "types": Array<string>;
}
/** A postal address. For writing. */
export interface WritableVCardAddress {
  /** The country. The default is "". */
  "country"?: string | null;
  /** The apartment, the floor and the like. The default is "". */
  "extended"?: string | null;
  /** The town. The default is "". */
  "locality"?: string | null;
  /** The post office box. The default is "". */
  "postOfficeBox"?: string | null;
  /** The postal code. The default is "". */
  "postalCode"?: string | null;
  /** The region. The default is "". */
  "region"?: string | null;
  /** The street and the number. The default is "". */
  "street"?: string | null;
  /** The types, such as `work`, in lower case; `pref` for the preferred one. The default is []. */
  "types"?: Array<string> | null;
}
/** A name in its parts. */
export interface VCardName {
  /** Further given names. */
  "additional"?: string;
  /** The family name. */
  "family"?: string;
  /** The given name. */
  "given"?: string;
  /** What is before the name, such as `Dr.` */
  "prefixes"?: string;
  /** What is after the name, such as `Jr.` */
  "suffixes"?: string;
}
/** A name in its parts. For writing. */
export interface WritableVCardName {
  /** Further given names. The default is "". */
  "additional"?: string | null;
  /** The family name. The default is "". */
  "family"?: string | null;
  /** The given name. The default is "". */
  "given"?: string | null;
  /** What is before the name, such as `Dr.` The default is "". */
  "prefixes"?: string | null;
  /** What is after the name, such as `Jr.` The default is "". */
  "suffixes"?: string | null;
}
/** A business card (media type `text/vcard`). The fields are those of the first card in the text. */
export interface VCardPayload {
  /** The postal addresses (`ADR`). */
  "addresses"?: Array<VCardAddress>;
  /** The date of birth in its original notation (`BDAY`). */
  "birthday"?: string;
  /** The encoding of the text; written unless it is UTF-8. */
  "encoding"?: "utf-8" | "iso-8859-1";
  /** The name for display (`FN`). */
  "formattedName"?: string;
  /** The kind. */
  "kind": "vCard";
  /** The mail addresses (`EMAIL`). */
  "mails": Array<VCardValue>;
  /** The name in its parts (`N`). */
  "name"?: VCardName;
  /** A remark (`NOTE`). */
  "note"?: string;
  /** The name of the organisation, then its units (`ORG`). */
  "organisation"?: Array<string>;
  /** The telephone numbers (`TEL`). */
  "phones": Array<VCardValue>;
  /** The picture (`PHOTO`). One that is made needs a `uri`. */
  "photo"?: VCardPhoto;
  /** The function (`ROLE`). */
  "role"?: string;
  /** The whole text, unchanged. In a record to write it takes precedence; without it, the other fields make a card. */
  "text": string;
  /** The position (`TITLE`). */
  "title"?: string;
  /** The identifier of the card (`UID`). */
  "uid"?: string;
  /** The web addresses (`URL`). */
  "urls"?: Array<string>;
  /** The version that the card names; one that is made is of version `3.0`, unless this is `4.0`. */
  "version"?: string;
}
/** A business card (media type `text/vcard`). The fields are those of the first card in the text. For writing. */
export interface WritableVCardPayload {
  /** The postal addresses (`ADR`). */
  "addresses"?: Array<WritableVCardAddress> | null;
  /** The date of birth in its original notation (`BDAY`). */
  "birthday"?: string | null;
  /** The encoding of the text; written unless it is UTF-8. The default is "utf-8". */
  "encoding"?: "utf-8" | "iso-8859-1" | null;
  /** The name for display (`FN`). */
  "formattedName"?: string | null;
  /** The kind. */
  "kind": "vCard";
  /** The mail addresses (`EMAIL`). The default is []. */
  "mails"?: Array<WritableVCardValue> | null;
  /** The name in its parts (`N`). */
  "name"?: WritableVCardName | null;
  /** A remark (`NOTE`). */
  "note"?: string | null;
  /** The name of the organisation, then its units (`ORG`). */
  "organisation"?: Array<string> | null;
  /** The telephone numbers (`TEL`). The default is []. */
  "phones"?: Array<WritableVCardValue> | null;
  /** The picture (`PHOTO`). One that is made needs a `uri`. */
  "photo"?: WritableVCardPhoto | null;
  /** The function (`ROLE`). */
  "role"?: string | null;
  /** The whole text, unchanged. In a record to write it takes precedence; without it, the other fields make a card. */
  "text"?: string | null;
  /** The position (`TITLE`). */
  "title"?: string | null;
  /** The identifier of the card (`UID`). */
  "uid"?: string | null;
  /** The web addresses (`URL`). */
  "urls"?: Array<string> | null;
  /** The version that the card names; one that is made is of version `3.0`, unless this is `4.0`. */
  "version"?: string | null;
}
/** What is known of a picture. */
export interface VCardPhoto {
  /** The media type. */
  "mediaType"?: string;
  /** The size in bytes, if the picture is in the card. */
  "size"?: number;
  /** Where the picture is, if it is not in the card. */
  "uri"?: string;
}
/** What is known of a picture. For writing. */
export interface WritableVCardPhoto {
  /** The media type. */
  "mediaType"?: string | null;
  /** The size in bytes, if the picture is in the card. */
  "size"?: number | null;
  /** Where the picture is, if it is not in the card. */
  "uri"?: string | null;
}
/** A telephone number or a mail address. */
export interface VCardValue {
  /** The types, such as `work`, in lower case; `pref` for the preferred one. */
  "types": Array<string>;
  /** The number or the address. */
  "value": string;
}
/** A telephone number or a mail address. For writing. */
export interface WritableVCardValue {
  /** The types, such as `work`, in lower case; `pref` for the preferred one. The default is []. */
  "types"?: Array<string> | null;
  /** The number or the address. */
  "value": string;
}
/** An attribute without a field. */
export interface WiFiAttribute {
  /** The value. */
  "data": string;
  /** The type. */
  "type": string;
}
/** An attribute without a field. For writing. */
export interface WritableWiFiAttribute {
  /** The value. The default is "". */
  "data"?: Bytes | null;
  /** The type. */
  "type": Bytes;
}
/** A Wi-Fi network. */
export interface WiFiCredential {
  /**
   * How the network knows its members. A missing one is `wpa2Personal` with a key, and `open` without. Null: the tag
   * does not say.
   */
  "authentication": "open" | "wpaPersonal" | "shared" | "wpaEnterprise" | "wpa2Enterprise" | "wpaWPA2Enterprise" | "wpa2Personal" | "wpaWPA2Personal" | "wpa3Personal" | "wpa2WPA3Personal" | number | null;
  /** How the network encrypts. A missing one is `aes` with a key, and `none` without. Null: the tag does not say. */
  "encryption": "none" | "wep" | "tkip" | "aes" | "aesTKIP" | number | null;
  /** The key or passphrase, if it is UTF-8; at most 64 bytes, empty for none. */
  "key"?: string;
  /** The key, if it is not UTF-8. */
  "keyBytes"?: string;
  /** Whether the network gives the key by itself. */
  "keyProvidedAutomatically"?: boolean;
  /** The address of the device; all `FF` for any device. Null: the tag does not say. */
  "macAddress": string | null;
  /** The index; always 1 today. Null: the tag does not say. */
  "networkIndex": number | null;
  /** The attributes without a field. */
  "otherAttributes"?: Array<WiFiAttribute>;
  /** The name of the network, if it is UTF-8; at most 32 bytes. */
  "ssid"?: string;
  /** The name of the network, if it is not UTF-8. */
  "ssidBytes"?: string;
}
/** A Wi-Fi network. For writing. */
export interface WritableWiFiCredential {
  /**
   * How the network knows its members. A missing one is `wpa2Personal` with a key, and `open` without. Null: the tag
   * does not say.
   */
  "authentication"?: "open" | "wpaPersonal" | "shared" | "wpaEnterprise" | "wpa2Enterprise" | "wpaWPA2Enterprise" | "wpa2Personal" | "wpaWPA2Personal" | "wpa3Personal" | "wpa2WPA3Personal" | number | null;
  /** How the network encrypts. A missing one is `aes` with a key, and `none` without. Null: the tag does not say. */
  "encryption"?: "none" | "wep" | "tkip" | "aes" | "aesTKIP" | number | null;
  /** The key or passphrase, if it is UTF-8; at most 64 bytes, empty for none. */
  "key"?: string | null;
  /** The key, if it is not UTF-8. */
  "keyBytes"?: Bytes | null;
  /** Whether the network gives the key by itself. */
  "keyProvidedAutomatically"?: boolean | null;
  /** The address of the device; all `FF` for any device. The default is "FFFFFFFFFFFF". Null: the tag does not say. */
  "macAddress"?: Bytes | null;
  /** The index; always 1 today. The default is 1. Null: the tag does not say. */
  "networkIndex"?: number | null;
  /** The attributes without a field. */
  "otherAttributes"?: Array<WritableWiFiAttribute> | null;
  /** The name of the network, if it is UTF-8; at most 32 bytes. */
  "ssid"?: string | null;
  /** The name of the network, if it is not UTF-8. */
  "ssidBytes"?: Bytes | null;
}
/** The password of a device. */
export interface WiFiDevicePassword {
  /** The password. */
  "password": string;
  /** Which password it is; 7 stands for a handover, which needs none. */
  "passwordID": number;
  /** The beginning of the hash of its public key. */
  "publicKeyHash": string;
}
/** The password of a device. For writing. */
export interface WritableWiFiDevicePassword {
  /** The password. The default is "". */
  "password"?: Bytes | null;
  /** Which password it is; 7 stands for a handover, which needs none. */
  "passwordID": number;
  /** The beginning of the hash of its public key. */
  "publicKeyHash": Bytes;
}
/** Wi-Fi networks to join, or the password of a device (media type `application/vnd.wfa.wsc`). */
export interface WifiPayload {
  /** The networks; none in a password token. */
  "credentials": Array<WiFiCredential>;
  /** The kind. */
  "kind": "wifi";
  /** The password of the device, in a password token only. */
  "oobDevicePassword"?: WiFiDevicePassword;
  /** The attributes without a field. */
  "otherAttributes"?: Array<WiFiAttribute>;
  /** The first version field, such as `1.0`. */
  "version"?: string;
  /** The version, such as `2.0`. Null: the tag does not say. */
  "version2": string | null;
}
/** Wi-Fi networks to join, or the password of a device (media type `application/vnd.wfa.wsc`). For writing. */
export interface WritableWifiPayload {
  /** The networks; none in a password token. The default is []. */
  "credentials"?: Array<WritableWiFiCredential> | null;
  /** The kind. */
  "kind": "wifi";
  /** The password of the device, in a password token only. */
  "oobDevicePassword"?: WritableWiFiDevicePassword | null;
  /** The attributes without a field. */
  "otherAttributes"?: Array<WritableWiFiAttribute> | null;
  /** The first version field, such as `1.0`. */
  "version"?: string | null;
  /** The version, such as `2.0`. The default is "2.0". Null: the tag does not say. */
  "version2"?: string | null;
}

/** The methods of nfcd: what each takes and returns. Bytes in results are hexadecimal. */
export interface Methods {
  /** Returns what the daemon is, its limits, its methods and what the caller may do. */
  "server.info": { params: Record<string, unknown>; result: { "entitlements": { "capabilities": Array<string>; "feliCaSystemCodes": Array<string>; "formats": Array<string>; "grants"?: Array<{ "capabilities": Array<string>; "feliCaSystemCodes": Array<string>; "formats": Array<string>; "iso7816SelectIdentifiers": Array<string>; "readers": Array<string>; "sessionTimeout"?: number | null }> | null; "iso7816SelectIdentifiers": Array<string>; "readers": Array<string> }; "journal"?: "disabled" | "ready" | "full" | "failed" | null; "limits": { "connectionsPerUser"?: number | null; "lineLength": number; "listLength"?: number | null; "memoryPerUser"?: number | null; "outboundLimit"?: number | null; "requestsPerBatch"?: number | null; "sessionTimeout": number; "sessionsPerClient": number; "textLength"?: number | null }; "methods": Array<string>; "name": string; "protocolVersion": number; "readerService"?: "starting" | "available" | "unavailable" | null; "readerServiceDetail"?: string | null; "readingAvailable": boolean; "version": string } };
  /** Lists the readers and what each is doing, in the order in which they were plugged in. */
  "readers.list": { params: Record<string, unknown>; result: Array<{ "blocked"?: string | null; "failure"?: string | null; "name": string; "profile": string; "reader": string; "serial"?: string | null; "state": "empty" | "present" | "inUse" | "failed"; "technologies": Array<string> }> };
  /** Returns this interface as an OpenRPC document. */
  "rpc.discover": { params: Record<string, unknown>; result: { "info": Record<string, unknown>; "methods": Array<unknown>; "openrpc": string } };
  /** Requests a reader session. */
  "session.begin": { params: { "kind": "ndef" | "tag"; "detection"?: "messages" | "tags" | null; "pollingOption"?: Array<"iso14443" | "iso15693" | "iso18092" | "pace"> | null; "iso7816SelectIdentifiers"?: Array<Bytes> | null; "feliCaSystemCodes"?: Array<Bytes> | null; "defaultSelection"?: boolean | null; "invalidateAfterFirstRead"?: boolean | null; "alertMessage"?: string | null; "readers"?: Array<string> | null; "whenBusy"?: "fail" | "queue" | null; "waitForReader"?: boolean | null; "timeout"?: number | null; "queueTimeout"?: number | null; "yields"?: boolean | null }; result: { "session": string } };
  /** Connects to a detected tag, which then accepts commands. */
  "session.connect": { params: { "session": string; "tag": string }; result: Record<string, unknown> };
  /** Detects the tags in the field again. */
  "session.restartPolling": { params: { "session": string; "pollingOption"?: Array<"iso14443" | "iso15693" | "iso18092" | "pace"> | null; "iso7816SelectIdentifiers"?: Array<Bytes> | null; "feliCaSystemCodes"?: Array<Bytes> | null }; result: Record<string, unknown> };
  /** Changes the text that is shown for the session. */
  "session.setAlertMessage": { params: { "session": string; "message": string }; result: Record<string, unknown> };
  /** Changes whether the session yields its readers to other clients. */
  "session.setYielding": { params: { "session": string; "yields": boolean }; result: Record<string, unknown> };
  /** Ends the session, with 200. */
  "session.invalidate": { params: { "session": string; "errorMessage"?: string | null }; result: Record<string, unknown> };
  /** Returns whether a tag holds NDEF, and how much fits. */
  "tag.queryNDEFStatus": { params: { "session": string; "tag": string; "content"?: boolean | null }; result: { "capacity": number; "content"?: { "block": number; "format": string; "name": string } | null; "formattable"?: boolean | null; "obstacle"?: string | null; "overwrites"?: string | null; "reason"?: string | null; "status": "notSupported" | "readWrite" | "readOnly" } };
  /** Reads the message on a tag. */
  "tag.readNDEF": { params: { "session": string; "tag": string; "content"?: boolean | null }; result: { "capacity": number; "content"?: { "block": number; "format": string; "name": string } | null; "message": NDEFMessage; "status": "notSupported" | "readWrite" | "readOnly" } };
  /** Writes a message to a tag and replaces the one on it. */
  "tag.writeNDEF": { params: { "session": string; "tag": string; "message": WritableMessage; "verify"?: boolean | null; "overwrite"?: boolean | null; "progress"?: boolean | null }; result: Record<string, unknown> };
  /** Changes bytes inside the payload of a record, which keeps its length. */
  "tag.updateRecord": { params: { "session": string; "tag": string; "record": number; "offset": number; "old": Bytes; "new": Bytes; "stop"?: { "byte": Bytes; "offset": number } | null; "steps"?: Array<Bytes> | null; "verify"?: boolean | null; "progress"?: boolean | null }; result: Record<string, unknown> };
  /** Formats a tag without NDEF, so that it holds an empty message. */
  "tag.format": { params: { "session": string; "tag": string; "overwrite"?: boolean | null }; result: Record<string, unknown> };
  /** Makes a tag permanently read-only. */
  "tag.writeLock": { params: { "session": string; "tag": string }; result: Record<string, unknown> };
  /** Authenticates to a tag with its password. */
  "tag.authenticate": { params: { "session": string; "tag": string; "password": Bytes; "kind"?: "read" | "write" | "privacy" | "destroy" | "easAFI" | null }; result: { "acknowledge": string } };
  /** Cancels the commands to a tag that have not started. */
  "tag.cancelCommands": { params: { "session": string; "tag": string }; result: { "cancelled": number } };
  /** Returns the product, the memory and the lock state of a tag, as far as the tag reports them. */
  "tag.describe": { params: { "session": string; "tag": string }; result: { "blockSize": number; "fields": Array<{ "label": string; "value": string }>; "lockState": "unlocked" | "partlyLocked" | "locked" | "passwordProtected" | "unknown"; "manufacturer"?: string | null; "memorySize"?: number | null; "originality"?: "genuine" | "notGenuine" | "unknown" | null; "product"?: string | null } };
  /** Reads all readable memory of a tag. */
  "tag.dump": { params: { "session": string; "tag": string; "progress"?: boolean | null }; result: { "blockSize": number; "facts": { "afi"?: number | null; "counters"?: Record<string, number> | null; "dsfid"?: number | null; "icReference"?: number | null; "lockedBlocks"?: Array<number> | null; "manufactureParameter"?: string | null; "signature"?: string | null; "version"?: string | null }; "layout": "type1" | "type2" | "type3" | "type4" | "type5" | "mifareClassic"; "product"?: string | null; "sections": Array<{ "blocks": Array<{ "bytes"?: string | null; "meaning"?: string | null; "number": number }>; "name"?: string | null }> } };
  /** Replaces blocks of a tag's memory that hold data, and verifies them. */
  "tag.writeMemory": { params: { "session": string; "tag": string; "blocks": Array<{ "bytes": Bytes; "number": number }>; "overwrite"?: boolean | null; "progress"?: boolean | null }; result: { "written": number } };
  /** Protects a tag with a password, or changes its password. */
  "tag.setPassword": { params: { "session": string; "tag": string; "password": Bytes; "pack"?: Bytes | null; "firstPage"?: number | null; "protects"?: "write" | "readWrite" | null; "attempts"?: number | null; "endPage"?: number | null; "kind"?: "read" | "write" | "privacy" | "destroy" | "easAFI" | null }; result: { "attempts": number; "endPage"?: number | null; "firstPage": number; "kind"?: "read" | "write" | "privacy" | "destroy" | "easAFI" | null; "protects": "write" | "readWrite" } };
  /** Removes the password of a tag. */
  "tag.removePassword": { params: { "session": string; "tag": string }; result: Record<string, unknown> };
  /** Changes settings of an NTAG21x or an ICODE SLIX2. */
  "tag.configure": { params: { "session": string; "tag": string; "counter"?: "off" | "on" | "password" | null; "mirror"?: "none" | "uid" | "counter" | "uidAndCounter" | null; "mirrorPage"?: number | null; "mirrorByte"?: number | null; "counterValue"?: number | null; "afi"?: Bytes | null; "eas"?: boolean | null; "locks"?: Array<"afi" | "eas" | "afiPassword" | "easPassword" | "protection" | "bothPasswords" | "readPassword" | "writePassword"> | null; "privacy"?: boolean | null }; result: { "afi"?: string | null; "counter"?: "off" | "on" | "password" | null; "counterValue"?: number | null; "eas"?: boolean | null; "locks"?: Array<"afi" | "eas" | "afiPassword" | "easPassword" | "protection" | "bothPasswords" | "readPassword" | "writePassword"> | null; "mirror": "none" | "uid" | "counter" | "uidAndCounter"; "mirrorByte"?: number | null; "mirrorPage"?: number | null; "privacy"?: boolean | null } };
  /** Makes a tag one of a profile, with keys by which it proves itself; changes or undoes that. */
  "tag.personalise": { params: { "session": string; "tag": string; "task": "setUp" | "rotate" | "reset" | "resume" | "verify"; "profile"?: string | null; "dryRun"?: boolean | null; "permanent"?: Array<"randomIdentifier" | "tamper" | "lrp" | "lockKeys"> | null; "overwriteMessage"?: boolean | null; "requireSignature"?: boolean | null; "identifier"?: Bytes | null; "credential"?: Bytes | null; "keepCardKey"?: boolean | null; "forgetRecord"?: boolean | null; "progress"?: boolean | null }; result: { "counter"?: number | null; "credential"?: string | null; "dryRun": boolean; "identifier": string; "keyVersions": Array<number>; "profile": string; "refusedThrough"?: number | null; "remarks": Array<string>; "signature": "genuine" | "wrong" | "missing"; "steps": Array<string> } };
  /** Returns how far a tag is one of a profile, as it claims. Nothing on the tag changes. */
  "tag.queryPersonalisation": { params: { "session": string; "tag": string; "profile"?: string | null; "identifier"?: Bytes | null }; result: { "currentKeyVersions": Array<number>; "identifier": string; "identifierGiven"?: boolean | null; "interrupted"?: "setUp" | "rotate" | "reset" | "resume" | "verify" | null; "keyVersions": Array<number>; "profile": string; "remarks": Array<string>; "signature": "genuine" | "wrong" | "missing"; "state": "delivered" | "current" | "outdated" | "interrupted" | "foreign" } };
  /** Sends a command APDU. */
  "iso7816.sendCommand": { params: { "session": string; "tag": string; "apdu": Bytes; "timeout"?: number | null }; result: { "data": string; "sw1": number; "sw2": number } };
  /** Sends a command of a MIFARE tag's own command set. */
  "miFare.sendCommand": { params: { "session": string; "tag": string; "command": Bytes; "timeout"?: number | null }; result: { "data": string } };
  /** Sends a command APDU to a MIFARE tag. */
  "miFare.sendISO7816Command": { params: { "session": string; "tag": string; "apdu": Bytes; "timeout"?: number | null }; result: { "data": string; "sw1": number; "sw2": number } };
  /** Sends a FeliCa command. */
  "feliCa.sendCommand": { params: { "session": string; "tag": string; "packet": Bytes; "timeout"?: number | null }; result: { "data": string } };
  /** Sends a request of ISO/IEC 15693. */
  "iso15693.sendRequest": { params: { "session": string; "tag": string; "requestFlags": number; "commandCode": number; "data"?: Bytes | null; "timeout"?: number | null }; result: { "data": string; "responseFlag": number } };
  /** Authenticates to the sector of a block with one of its keys. */
  "miFareClassic.authenticate": { params: { "session": string; "tag": string; "block": number; "keyType": "a" | "b"; "key": Bytes }; result: Record<string, unknown> };
  /** Reads a block of the authenticated sector. */
  "miFareClassic.readBlock": { params: { "session": string; "tag": string; "block": number }; result: { "data": string } };
  /** Writes a block of the authenticated sector. */
  "miFareClassic.writeBlock": { params: { "session": string; "tag": string; "block": number; "data": Bytes; "allowTrailer"?: boolean | null }; result: Record<string, unknown> };
  /** Increases the value in a value block of the authenticated sector. */
  "miFareClassic.increment": { params: { "session": string; "tag": string; "block": number; "amount": number }; result: Record<string, unknown> };
  /** Decreases the value in a value block of the authenticated sector. */
  "miFareClassic.decrement": { params: { "session": string; "tag": string; "block": number; "amount": number }; result: Record<string, unknown> };
  /** Copies a value block of the authenticated sector to another block of the sector. */
  "miFareClassic.restore": { params: { "session": string; "tag": string; "block": number; "destination": number }; result: Record<string, unknown> };
  /** Subscribes to taps on readers that no session holds. */
  "background.subscribe": { params: { "filter"?: { "externalType"?: string | null; "identifier"?: Bytes | null; "kind"?: string | null; "mimeType"?: string | null; "reader"?: string | null; "uriHost"?: string | null; "uriPrefix"?: string | null; "uriSchemes"?: Array<string> | null } | null; "removals"?: boolean | null; "require"?: "proven" | null }; result: { "subscription": string } };
  /** Ends a subscription to taps. */
  "background.unsubscribe": { params: { "subscription": string }; result: Record<string, unknown> };
  /** Subscribes to the taps of the journal, in order. */
  "taps.subscribe": { params: { "consumer"?: string | null; "after"?: number | "new" | null; "require"?: "proven" | null }; result: { "after": number; "epoch": string; "newest": number; "subscription": string } };
  /** Ends a subscription of `taps.subscribe`. The consumer keeps its place. */
  "taps.unsubscribe": { params: { "subscription": string }; result: Record<string, unknown> };
  /** Acknowledges every tap up to a sequence number. */
  "taps.acknowledge": { params: { "subscription"?: string | null; "consumer"?: string | null; "sequence"?: number | null }; result: { "acknowledged": number; "epoch": string } };
  /** Lists taps of the journal: those after a sequence number in order, or the newest first. */
  "taps.list": { params: { "after"?: number | null; "readers"?: Array<string> | null; "limit"?: number | null; "newestFirst"?: boolean | null }; result: { "epoch": string; "hasMore": boolean; "taps": Array<{ "bootID": string; "bootTime": number; "capacity"?: number | null; "clock": "synchronised" | "unsynchronised"; "epoch": string; "error"?: { "code": number; "detail": string; "message": string; "name": string } | null; "id": string; "message"?: NDEFMessage | null; "proof"?: { "counter"?: number | null; "credential"?: string | null; "identifier"?: string | null; "key"?: string | null; "keyVersion"?: number | null; "method"?: "mutual" | "sun" | null; "previousCounter"?: number | null; "profile": string; "reason"?: string | null; "scope"?: "everywhere" | "thisMachine" | "limited" | null; "status": "proven" | "replayed" | "failed" | "unknownKey" | "tamperOpen" | "weak" | "notProven" | "delayed" | "incomplete"; "tamper"?: { "current": string; "permanent": string } | null } | null; "reader": string; "readerName": string; "readerSequence": number; "sequence": number; "session"?: string | null; "status"?: "notSupported" | "readWrite" | "readOnly" | null; "tag": { "identifier": string; "identifierForm"?: "plain" | "hashed" | "omitted" | null; "technology"?: string | null; "type": "iso7816" | "miFare" | "feliCa" | "iso15693" | "unknown" }; "text"?: string | null; "time": string; "uri"?: string | null }> } };
  /** Returns the state of the journal and its consumers. */
  "taps.status": { params: Record<string, unknown>; result: { "byteLimit": number; "bytes": number; "consumers": Array<{ "acknowledged": number; "backlog": number; "lost"?: number | null; "name": string; "oldest"?: string | null; "uid": number }>; "dropped": number; "epoch": string; "identifiers"?: "plain" | "hashed" | "omitted" | null; "movedAside": number; "newest": number; "oldest": number; "reason"?: string | null; "state": "disabled" | "ready" | "full" | "failed"; "tapLimit": number; "taps": number } };
  /** Removes a consumer that is gone permanently, so that the journal no longer keeps taps for it. */
  "taps.removeConsumer": { params: { "consumer": string }; result: Record<string, unknown> };
  /** Deletes the oldest taps of the journal. */
  "taps.prune": { params: { "through": number; "includeUndelivered"?: boolean | null }; result: { "removed": number } };
  /** Subscribes to events of readers, tags and the sessions of all clients. */
  "events.subscribe": { params: Record<string, unknown>; result: Record<string, unknown> };
  /** Lists sessions: the active ones first, then the waiting ones in their order. */
  "sessions.list": { params: { "offset"?: number | null }; result: Array<{ "alertMessage": string; "client": { "pid": number; "uid": number }; "kind": "ndef" | "tag"; "readers": Array<string>; "remaining"?: number | null; "session": string; "since": string; "state": "queued" | "active" }> };
  /** Ends a session of any client, with 200. */
  "sessions.cancel": { params: { "session": string; "errorMessage"?: string | null }; result: Record<string, unknown> };
  /** Shows at a reader which one it is, by its light and sound. */
  "readers.identify": { params: { "reader"?: string | null }; result: { "readers": Array<string> } };
  /** Returns counters and durations since the start of the daemon, in the text format of Prometheus. */
  "server.metrics": { params: Record<string, unknown>; result: { "text": string } };
  /** Shows a text to people who monitor nfcd, such as a request for a card. */
  "notices.show": { params: { "text": string }; result: { "notice": string } };
  /** Hides a notice of the client. Has no effect on one that is not shown. */
  "notices.hide": { params: { "notice": string }; result: Record<string, unknown> };
  /** Records the exchanges with tags and the events of readers, for a report or a test. */
  "recording.start": { params: { "reader"?: string | null; "withContent"?: boolean | null }; result: { "recording": string } };
  /** Ends a recording of the client. */
  "recording.stop": { params: { "recording": string }; result: Record<string, unknown> };
  /** Puts a virtual tag on a simulated reader. */
  "simulator.present": { params: { "reader"?: string | null; "model"?: string | null; "identifier"?: Bytes | null; "ndef"?: Bytes | null; "dump"?: string | null; "recording"?: string | null; "profile"?: string | null; "copy"?: boolean | null; "removedAtCommand"?: number | null }; result: { "identifier": string; "presentation": string; "reader": string } };
  /** Takes a virtual tag of the caller off its reader. */
  "simulator.remove": { params: { "presentation": string }; result: Record<string, unknown> };
  /** Lists the virtual tags on simulated readers, in the order of the readers. */
  "simulator.list": { params: Record<string, unknown>; result: Array<{ "presentation": string; "reader": string }> };
  /** Unplugs a simulated reader, or plugs it in again. */
  "simulator.plug": { params: { "reader": string; "connected": boolean }; result: Record<string, unknown> };
}
