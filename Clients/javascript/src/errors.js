/** The base of all errors of this package. */
export class NFCDError extends Error {
  constructor(message, options) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** nfcd could not be reached. The text explains what to do. */
export class CannotConnect extends NFCDError {}

/** The connection to nfcd ended. Sessions end with it; the next call connects again. */
export class ConnectionLost extends NFCDError {}

/** The other side of the socket sent what nfcd never sends. The connection is closed. */
export class ProtocolError extends ConnectionLost {}

/** nfcd did not answer in time. */
export class NoAnswer extends NFCDError {}

/** No tag came in the time that the caller gave. */
export class NoTag extends NFCDError {}

/** nfcd, or the tag, refused. */
export class NFCError extends NFCDError {
  constructor({ code, name, message, detail, path, response, statusWord }) {
    const text = [message || name, detail].filter(Boolean).join(": ");
    super(text ? `${text} (${code})` : `error ${code}`);
    this.code = code;
    /** CoreNFC's short name, such as `TagNotWritable`. */
    this.codeName = name;
    this.detail = detail;
    this.path = path;
    this.response = response;
    this.statusWord = statusWord;
  }

  /** The error of an answer: `{code, message, data}`. */
  static ofAnswer({ code, message, data }) {
    const { name, detail, path, response, statusWord } = isObject(data) ? data : {};
    return new this({
      code: Number.isInteger(code) ? code : 0,
      name: text(name),
      message: text(message),
      detail: text(detail),
      path: text(path) || undefined,
      response: text(response) || undefined,
      statusWord: text(statusWord) || undefined,
    });
  }
}

/** The session ended; `code` is the reason, such as 201 for its time limit and 203 for a reader that is in use. */
export class SessionEnded extends NFCError {}

export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function text(value) {
  return typeof value === "string" ? value : "";
}
