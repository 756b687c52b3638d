import { NFCError } from "./errors.js";
import { recordsOf, textOf, uriOf } from "./message.js";

/** What was read from a tag that was held to a reader. */
export class Tap {
  #uri;

  constructor({ reader, readerName, type, identifier, messages, error, subscription, uri, record, proof }) {
    this.reader = reader;
    this.readerName = readerName;
    this.type = type;
    /** The UID in hexadecimal; empty if the reader does not report it. */
    this.identifier = identifier;
    /** The records of the message; empty without a message. */
    this.records = (messages ?? []).flatMap(recordsOf);
    /** The record that the filter of background() matched; undefined without a filter about records. */
    this.record = Number.isInteger(record) ? this.records[record] : undefined;
    // nfcd has chosen the URI of a tap with a subscription.
    this.#uri = subscription === undefined ? uri ?? firstWebURI(this.records) : uri;
    /** What the tag has proven by a profile of nfcd; undefined if no profile fits it. See isProven. */
    this.proof = proof ?? undefined;
    /** Why there is no message; undefined if there is one. */
    this.error = error && NFCError.ofAnswer({ code: error.code, message: error.message, data: error });
  }

  /**
   * The URI of the record that the filter of background() matched; without such a filter the first one, also of a Smart Poster.
   * Only URIs with http or https, or with a scheme that the filter asked for; undefined without one.
   */
  get uri() {
    return this.#uri ?? undefined;
  }

  /** Whether the tag has proven itself: programs decide by this alone, never by the UID or the message. */
  get isProven() {
    return this.proof?.status === "proven";
  }

  /** The first text; undefined without one. */
  get text() {
    return firstText(this.records);
  }
}

/** A tap of the journal. */
export class StoredTap extends Tap {
  constructor(tap) {
    super({ ...tap, ...tap.tag, proof: tap.proof, messages: tap.message ? [tap.message] : [] });
    /** The number to acknowledge. */
    this.sequence = tap.sequence;
    /** The same whenever this tap is delivered. */
    this.id = tap.id;
    this.time = new Date(tap.time);
  }
}

/** The first URI of records; undefined without one. */
export function firstURI(records) {
  return records.map(uriOf).find((uri) => uri !== undefined);
}

/** The first URI of records whose scheme is http or https; undefined without one. */
export function firstWebURI(records) {
  return records.map(uriOf).find((uri) => /^https?:/i.test(uri ?? ""));
}

/** The first text of records; undefined without one. */
export function firstText(records) {
  return records.map(textOf).find((text) => text !== undefined);
}
