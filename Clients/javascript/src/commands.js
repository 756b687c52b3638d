// Made from rpc.discover by tools/generate.mjs.
import { ProtocolError } from "./errors.js";

/** The commands of the group `iso7816`. */
export class Iso7816Commands {
  #tag;

  constructor(tag) {
    this.#tag = tag;
  }

  /** Sends a command APDU. */
  async sendCommand(apdu, { timeout, ...options } = {}) {
    return this.#tag.call("iso7816.sendCommand", { apdu, timeout }, options);
  }
}

/** The commands of the group `miFare`. */
export class MiFareCommands {
  #tag;

  constructor(tag) {
    this.#tag = tag;
  }

  /** Sends a command of a MIFARE tag's own command set. */
  async sendCommand(command, { timeout, ...options } = {}) {
    return member(await this.#tag.call("miFare.sendCommand", { command, timeout }, options), "data");
  }

  /** Sends a command APDU to a MIFARE tag. */
  async sendISO7816Command(apdu, { timeout, ...options } = {}) {
    return this.#tag.call("miFare.sendISO7816Command", { apdu, timeout }, options);
  }
}

/** The commands of the group `feliCa`. */
export class FeliCaCommands {
  #tag;

  constructor(tag) {
    this.#tag = tag;
  }

  /** Sends a FeliCa command. */
  async sendCommand(packet, { timeout, ...options } = {}) {
    return member(await this.#tag.call("feliCa.sendCommand", { packet, timeout }, options), "data");
  }
}

/** The commands of the group `iso15693`. */
export class Iso15693Commands {
  #tag;

  constructor(tag) {
    this.#tag = tag;
  }

  /** Sends a request of ISO/IEC 15693. */
  async sendRequest(requestFlags, commandCode, { data, timeout, ...options } = {}) {
    return this.#tag.call("iso15693.sendRequest", { requestFlags, commandCode, data, timeout }, options);
  }
}

/** The commands of the group `miFareClassic`. */
export class MiFareClassicCommands {
  #tag;

  constructor(tag) {
    this.#tag = tag;
  }

  /** Authenticates to the sector of a block with one of its keys. */
  async authenticate(block, keyType, key, options) {
    await this.#tag.call("miFareClassic.authenticate", { block, keyType, key }, options);
  }

  /** Reads a block of the authenticated sector. */
  async readBlock(block, options) {
    return member(await this.#tag.call("miFareClassic.readBlock", { block }, options), "data");
  }

  /** Writes a block of the authenticated sector. */
  async writeBlock(block, data, { allowTrailer, ...options } = {}) {
    await this.#tag.call("miFareClassic.writeBlock", { block, data, allowTrailer }, options);
  }

  /** Increases the value in a value block of the authenticated sector. */
  async increment(block, amount, options) {
    await this.#tag.call("miFareClassic.increment", { block, amount }, options);
  }

  /** Decreases the value in a value block of the authenticated sector. */
  async decrement(block, amount, options) {
    await this.#tag.call("miFareClassic.decrement", { block, amount }, options);
  }

  /** Copies a value block of the authenticated sector to another block of the sector. */
  async restore(block, destination, options) {
    await this.#tag.call("miFareClassic.restore", { block, destination }, options);
  }
}

/** The commands of a tag; the class of tags has `call`. */
export class TagCommands {
  /** Returns whether a tag holds NDEF, and how much fits. */
  async queryNDEFStatus({ content, ...options } = {}) {
    return this.call("tag.queryNDEFStatus", { content }, options);
  }

  /** Reads the message on a tag. */
  async readNDEF({ content, ...options } = {}) {
    return this.call("tag.readNDEF", { content }, options);
  }

  /** Writes a message to a tag and replaces the one on it. */
  async writeNDEF(message, { verify, overwrite, onProgress, ...options } = {}) {
    await this.call("tag.writeNDEF", { message, verify, overwrite, progress: onProgress ? true : undefined }, { ...options, onProgress });
  }

  /** Changes bytes inside the payload of a record, which keeps its length. */
  async updateRecord(record, offset, old, new_, { stop, steps, verify, onProgress, ...options } = {}) {
    await this.call("tag.updateRecord", { record, offset, old, new: new_, stop, steps, verify, progress: onProgress ? true : undefined }, { ...options, onProgress });
  }

  /** Formats a tag without NDEF, so that it holds an empty message. */
  async format({ overwrite, ...options } = {}) {
    await this.call("tag.format", { overwrite }, options);
  }

  /** Makes a tag permanently read-only. */
  async writeLock(options) {
    await this.call("tag.writeLock", {}, options);
  }

  /** Authenticates to a tag with its password. */
  async authenticate(password, { kind, ...options } = {}) {
    return member(await this.call("tag.authenticate", { password, kind }, options), "acknowledge");
  }

  /** Cancels the commands to a tag that have not started. */
  async cancelCommands(options) {
    return member(await this.call("tag.cancelCommands", {}, options), "cancelled");
  }

  /** Returns the product, the memory and the lock state of a tag, as far as the tag reports them. */
  async describe(options) {
    return this.call("tag.describe", {}, options);
  }

  /** Reads all readable memory of a tag. */
  async dump({ onProgress, ...options } = {}) {
    return this.call("tag.dump", { progress: onProgress ? true : undefined }, { ...options, onProgress });
  }

  /** Replaces blocks of a tag's memory that hold data, and verifies them. */
  async writeMemory(blocks, { overwrite, onProgress, ...options } = {}) {
    return member(await this.call("tag.writeMemory", { blocks, overwrite, progress: onProgress ? true : undefined }, { ...options, onProgress }), "written");
  }

  /** Protects a tag with a password, or changes its password. */
  async setPassword(password, { pack, firstPage, protects, attempts, endPage, kind, ...options } = {}) {
    return this.call("tag.setPassword", { password, pack, firstPage, protects, attempts, endPage, kind }, options);
  }

  /** Removes the password of a tag. */
  async removePassword(options) {
    await this.call("tag.removePassword", {}, options);
  }

  /** Changes settings of an NTAG21x or an ICODE SLIX2. */
  async configure({ counter, mirror, mirrorPage, mirrorByte, counterValue, afi, eas, locks, privacy, ...options } = {}) {
    return this.call("tag.configure", { counter, mirror, mirrorPage, mirrorByte, counterValue, afi, eas, locks, privacy }, options);
  }

  /** Makes a tag one of a profile, with keys by which it proves itself; changes or undoes that. */
  async personalise(task, { profile, dryRun, permanent, overwriteMessage, requireSignature, identifier, credential, keepCardKey, forgetRecord, onProgress, ...options } = {}) {
    return this.call("tag.personalise", { task, profile, dryRun, permanent, overwriteMessage, requireSignature, identifier, credential, keepCardKey, forgetRecord, progress: onProgress ? true : undefined }, { ...options, onProgress });
  }

  /** Returns how far a tag is one of a profile, as it claims. Nothing on the tag changes. */
  async queryPersonalisation({ profile, identifier, ...options } = {}) {
    return this.call("tag.queryPersonalisation", { profile, identifier }, options);
  }

  get iso7816() {
    return new Iso7816Commands(this);
  }

  get miFare() {
    return new MiFareCommands(this);
  }

  get feliCa() {
    return new FeliCaCommands(this);
  }

  get iso15693() {
    return new Iso15693Commands(this);
  }

  get miFareClassic() {
    return new MiFareClassicCommands(this);
  }
}

/** The only member of a result. */
function member(result, name) {
  if (result?.[name] === undefined) throw new ProtocolError(`nfcd sent a result without ${name}`);
  return result[name];
}
