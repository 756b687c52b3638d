export { Client, Journal, defaultSocket } from "./client.js";
export { CannotConnect, ConnectionLost, NFCDError, NFCError, NoAnswer, NoTag, ProtocolError, SessionEnded } from "./errors.js";
export { androidApplication, external, json, media, record, text, uri } from "./records.js";
export { ReadSession, Tag, TagSession } from "./session.js";
export { StoredTap, Tap } from "./tap.js";
