// Records for Tag.write(), in the form that nfcd encodes. `record` makes one of any kind in Docs/ndef.md.

/** A record of a kind, with the fields of that kind. */
export const record = (kind, fields = {}) => ({ decoded: { kind, ...fields } });

/** A URI. */
export const uri = (address) => record("uri", { uri: address });

/** A text in a language. */
export const text = (content, language = "en") => record("text", { text: content, language });

/** Data of a media type. */
export const media = (type, data) => ({ typeNameFormat: "media", type: hexadecimal(type), payload: hexadecimal(data) });

/** A value as JSON. */
export const json = (value) => media("application/json", JSON.stringify(value));

/** Data of an external type, such as `example.com:door`. */
export const external = (type, data) => ({ typeNameFormat: "nfcExternal", type: hexadecimal(type), payload: hexadecimal(data) });

/** Opens or installs an Android application. */
export const androidApplication = (packageName) => record("androidApplication", { package: packageName });

/** Bytes or text in hexadecimal. */
export function hexadecimal(data) {
  return Buffer.from(data).toString("hex").toUpperCase();
}
