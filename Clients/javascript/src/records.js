// Records for Tag.write(), in the form that nfcd encodes. `record` makes one of any kind in Docs/ndef.md.

/** A record of a kind, with the fields of that kind. */
export const record = (kind, fields = {}) => ({ decoded: { kind, ...fields } });

/**
 * A URI. Throws a TypeError for a text that is probably no URI (RFC 3986, section 3), because no program would open it;
 * `record("uri", { uri: address })` takes any text.
 */
export function uri(address) {
  const text = JSON.stringify(address);
  if (/[\p{White_Space}\u0000-\u001f\u007f]/u.test(address)) {
    throw new TypeError(`${text}: a URI has no spaces or control characters; write a space as %20`);
  }
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:/.test(address)) {
    throw new TypeError(`${text}: it has no scheme, so no program would open it; write https://${address}`);
  }
  return record("uri", { uri: address });
}

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
