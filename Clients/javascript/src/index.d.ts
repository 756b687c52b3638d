import type { CommandOptions, TagCommands } from "./commands.js";
import type { Bytes, Methods, NDEFRecord, WritableDecodedPayload, WritableRecord } from "./protocol.js";

export * from "./commands.js";
export * from "./protocol.js";

export interface CallOptions {
  /** Gives the call up; nfcd does not start a command that waits. */
  signal?: AbortSignal;
  /** In milliseconds; that of the client by default. */
  timeout?: number;
  /** Is called with the steps of a long command that are done. */
  onProgress?: (done: number, total: number) => void;
}

/** The base of all errors of this package. */
export class NFCDError extends Error {}
/** nfcd could not be reached. The text explains what to do. */
export class CannotConnect extends NFCDError {}
/** The connection to nfcd ended. Sessions end with it; the next call connects again. */
export class ConnectionLost extends NFCDError {}
/** The other side of the socket sent what nfcd never sends. */
export class ProtocolError extends ConnectionLost {}
/** nfcd did not answer in time. */
export class NoAnswer extends NFCDError {}
/** No tag came in the time that the caller gave. */
export class NoTag extends NFCDError {}
/** nfcd, or the tag, refused. */
export class NFCError extends NFCDError {
  /** CoreNFC's code, such as 400, or that of JSON-RPC. */
  readonly code: number;
  /** CoreNFC's short name, such as `TagNotWritable`. */
  readonly codeName: string;
  /** The cause in words; may be empty. */
  readonly detail: string;
  /** The invalid parameter, such as `params.readers[0]`. */
  readonly path?: string;
  /** The answer of the tag in hexadecimal, if it is the cause. */
  readonly response?: string;
  /** SW1 and SW2 of that answer. */
  readonly statusWord?: string;
}
/** The session ended; `code` is the reason. */
export class SessionEnded extends NFCError {}

/** The socket of nfcd: `NFCD_SOCKET`, that of this user's nfcd, that of the system. */
export function defaultSocket(
  environment?: Record<string, string | undefined>, exists?: (path: string) => boolean): string;

/** What was read from a tag that was held to a reader. */
export class Tap {
  readonly reader: string;
  readonly readerName: string;
  readonly type: string;
  /** The UID in hexadecimal; empty if the reader does not report it. */
  readonly identifier: string;
  /** The records of the message; empty without a message. */
  readonly records: NDEFRecord[];
  /** Why there is no message. */
  readonly error?: NFCError;
  /** The record that the filter of background() matched; undefined without a filter about records. */
  readonly record?: NDEFRecord;
  /**
   * The URI of the record that the filter of background() matched; without such a filter the first one, also of a Smart Poster.
   * Only URIs with http or https, or with a scheme that the filter asked for.
   */
  get uri(): string | undefined;
  /** What the tag has proven by a profile of nfcd; undefined if no profile fits it. */
  readonly proof?: TapProof;
  /** Whether the tag has proven itself: programs decide by this alone, never by the UID or the message. */
  get isProven(): boolean;
  /** The first text. */
  get text(): string | undefined;
}

/** What a tag has proven. */
export type TapProof = NonNullable<Methods["taps.list"]["result"]["taps"][number]["proof"]>;

/** A tap of the journal. */
export class StoredTap extends Tap {
  readonly sequence: number;
  /** The same whenever this tap is delivered. */
  readonly id: string;
  readonly time: Date;
}

type SessionOptions = Omit<Methods["session.begin"]["params"], "kind" | "detection" | "invalidateAfterFirstRead">;

interface Session {
  /** The name of the session in nfcd. */
  readonly id: string;
  /** Why the session ended; undefined while it lasts. */
  readonly end?: SessionEnded;
  /** Shows a text for the session. */
  show(message: string): Promise<void>;
  /** Ends the session. Has no effect if it is over. */
  close(): Promise<void>;
}

/** A session that reads each tag that is held to a reader. */
export interface ReadSession extends Session, AsyncIterable<Tap> {
  taps(options?: { signal?: AbortSignal }): AsyncGenerator<Tap, void>;
}
export const ReadSession: { prototype: ReadSession };

/** A session whose tags take commands. */
export interface TagSession extends Session {
  /** Waits for a tag and connects to it; `timeout` in milliseconds. */
  next(options?: { timeout?: number; signal?: AbortSignal }): Promise<Tag>;
  /** Forgets the tags that were found; those in the field are found again. */
  restartPolling(): Promise<void>;
}
export const TagSession: { prototype: TagSession };

/**
 * A tag that a session has found. Its commands are carried out one after another: those of TagCommands, and these. Raw commands
 * need a session of kind tag.
 */
export interface Tag extends TagCommands {
  readonly id: string;
  readonly type: string;
  readonly reader: string;
  /** The UID in hexadecimal. */
  readonly identifier: string;
  /** Resolves when the tag has left the reader, or the session is over. */
  removed(): Promise<void>;
  connect(): Promise<void>;
  /** Whether the tag holds NDEF, and how much. */
  status: TagCommands["queryNDEFStatus"];
  /** The records on the tag, with the first URI and text. Empty if the tag is formatted and holds no message. */
  read(options?: CommandOptions): Promise<{ records: NDEFRecord[]; uri: string | undefined; text: string | undefined }>;
  /** Replaces the message. No records erase the tag. */
  write(records: WritableRecord | WritableRecord[], options?: Parameters<TagCommands["writeNDEF"]>[1]): Promise<void>;
  /** Sends an ISO/IEC 7816-4 APDU. Returns data and statusWord in hexadecimal. */
  sendAPDU(
    apdu: Bytes, options?: Parameters<TagCommands["iso7816"]["sendCommand"]>[1]): Promise<{ data: string; statusWord: string }>;
  /** Calls a method with this tag. */
  call<M extends keyof Methods>(
    method: M, params?: Partial<Methods[M]["params"]>, options?: CallOptions): Promise<Methods[M]["result"]>;
}
export const Tag: { prototype: Tag };

/** The taps of the journal for a consumer, in order; each comes until it is acknowledged. */
export interface Journal extends AsyncIterable<StoredTap> {
  taps(options?: { signal?: AbortSignal }): AsyncGenerator<StoredTap, void>;
  /** The tap and all before it need not come again. */
  acknowledge(tap: StoredTap): Promise<void>;
}
export const Journal: { prototype: Journal };

/** A client of nfcd. It connects with the first call, and again after the connection was lost. */
export class Client {
  constructor(options?: { socket?: string; wait?: boolean; timeout?: number });
  call<M extends keyof Methods>(
    method: M, params?: Methods[M]["params"], options?: CallOptions): Promise<Methods[M]["result"]>;
  info(): Promise<Methods["server.info"]["result"]>;
  readers(): Promise<Methods["readers.list"]["result"]>;
  readSession(options?: SessionOptions & { once?: boolean }): Promise<ReadSession>;
  tagSession(options?: SessionOptions & { kind?: "ndef" | "tag" }): Promise<TagSession>;
  background(options?: {
    filter?: Methods["background.subscribe"]["params"]["filter"]; require?: "proven"; signal?: AbortSignal;
  }): AsyncGenerator<Tap, void>;
  journal(consumer: string, options?: { after?: number; require?: "proven" }): Journal;
  /** Puts a virtual tag on a simulated reader; the function takes it away. */
  virtualTag(
    model: string, options?: { uri?: string; reader?: string; identifier?: string; ndef?: string }): Promise<() => Promise<unknown>>;
  close(): void;
}

/** A record of a kind of Docs/ndef.md, with the fields of that kind. */
export function record<Kind extends string>(kind: Kind, fields?: RecordFields<Kind>): WritableRecord;
type RecordFields<Kind extends string> = Kind extends WritableDecodedPayload["kind"]
  ? Omit<Extract<WritableDecodedPayload, { kind: Kind }>, "kind"> : Record<string, unknown>;
export function uri(address: string): WritableRecord;
export function text(content: string, language?: string): WritableRecord;
export function media(type: string, data: string | Uint8Array): WritableRecord;
export function json(value: unknown): WritableRecord;
export function external(type: string, data: string | Uint8Array): WritableRecord;
export function androidApplication(packageName: string): WritableRecord;
