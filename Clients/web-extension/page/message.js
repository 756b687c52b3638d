"use strict";
// NDEFRecord and NDEFMessage (Web NFC, "Data Representation").
{
  const { platform, bytes, records } = nfcdWebNFC;
  const { TypeError } = platform;
  /** Gives a constructor of ours a content instead of an init. */
  const fromContent = Symbol("content");
  const nests = ({ recordType }) => recordType === "smart-poster" || platform.indexOf(recordType, ":") >= 0;

  class NDEFRecord {
    #content;

    constructor(recordInit) {
      if (arguments.length === 0) throw new TypeError("NDEFRecord needs an argument");
      this.#content = arguments[1] === fromContent
        ? recordInit : records.createContent(records.recordInit(recordInit));
    }

    get recordType() { return this.#content.recordType; }
    get mediaType() { return this.#content.mediaType; }
    get id() { return this.#content.id; }
    get encoding() { return this.#content.encoding; }
    get lang() { return this.#content.lang; }

    get data() {
      const { data } = this.#content;
      return data === null ? null : platform.view(data);
    }

    toRecords() {
      if (!nests(this.#content))
        throw new platform.DOMException(`a record of type ${this.#content.recordType} holds no records`, "NotSupportedError");
      const raw = bytes.decodeMessage(this.#content.data);
      return raw && platform.mapped(records.parse(raw), (content) => new NDEFRecord(content, fromContent));
    }
  }

  class NDEFMessage {
    #records;

    constructor(messageInit) {
      if (arguments.length === 0) throw new TypeError("NDEFMessage needs an argument");
      const contents = arguments[1] === fromContent ? messageInit : records.messageInit(messageInit);
      this.#records = platform.freeze(platform.mapped(contents, (content) => new NDEFRecord(content, fromContent)));
    }

    get records() { return this.#records; }
  }

  nfcdWebNFC.NDEFRecord = NDEFRecord;
  nfcdWebNFC.NDEFMessage = NDEFMessage;
  /** A message of the records of a tag. */
  nfcdWebNFC.messageOf = (contents) => new NDEFMessage(contents, fromContent);
}
