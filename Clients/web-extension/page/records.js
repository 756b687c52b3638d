"use strict";
// From what a page gives to records and back (Web NFC, "Creating NDEF record" and "Parsing content").
//
// A content is what NDEFRecord shows: { recordType, mediaType, id, encoding, lang, data }, with data as bytes or null, and `raw`, the
// record for the tag.
{
  const { platform, bytes } = nfcdWebNFC;
  const { copy, encode, filtered, mapped, match, matches, sizeOf, slice, TypeError } = platform;
  const deepest = 32;
  const syntaxError = (message) => new platform.DOMException(message, "SyntaxError");

  /** The abbreviations of the URI Record Type Definition, §3.2.2, from code 01 on. */
  const prefixes = [
    "http://www.", "https://www.", "http://", "https://", "tel:", "mailto:", "ftp://anonymous:anonymous@", "ftp://ftp.",
    "ftps://", "sftp://", "smb://", "nfs://", "ftp://", "dav://", "news:", "telnet://", "imap:", "rtsp://", "urn:",
    "pop:", "sip:", "sips:", "tftp:", "btspp://", "btl2cap://", "btgoep://", "tcpobex://", "irdaobex://", "file://",
    "urn:epc:id:", "urn:epc:tag:", "urn:epc:pat:", "urn:epc:raw:", "urn:epc:", "urn:nfc:",
  ];
  const formats = { empty: 0, wellKnown: 1, media: 2, absoluteURI: 3, external: 4, unknown: 5 };

  /** The abbreviation with a code; empty for 0. */
  const prefix = (code) => (code === 0 ? "" : prefixes[code - 1]);

  /** The code of the first abbreviation that an address begins with; 0 without one. */
  function prefixCode(address) {
    for (let code = 1; code <= prefixes.length; code++) {
      if (slice(address, 0, prefix(code).length) === prefix(code)) return code;
    }
    return 0;
  }

  // MARK: Conversion of arguments (Web IDL)

  const usvString = (value) => platform.toWellFormed(`${value}`);

  function dictionary(value, name) {
    if (value === undefined || value === null) return { __proto__: null };
    if (typeof value !== "object" && typeof value !== "function") throw new TypeError(`${name} is not an object`);
    return value;
  }

  const optionalString = (value) => (value === undefined ? undefined : usvString(value));

  /** NDEFRecordInit; the members are read in the order of their names. */
  function recordInit(value) {
    const object = dictionary(value, "NDEFRecordInit");
    const { data } = object;
    const encoding = optionalString(object.encoding);
    const id = optionalString(object.id);
    const lang = optionalString(object.lang);
    const mediaType = optionalString(object.mediaType);
    const recordType = optionalString(object.recordType);
    if (recordType === undefined) throw new TypeError("NDEFRecordInit needs recordType");
    return { data, encoding, id, lang, mediaType, recordType };
  }

  /** NDEFMessageInit: the contents of its records. */
  function messageInit(value, depth, parent) {
    if (depth > deepest) throw new TypeError(`messages are nested more than ${deepest} deep`);
    const { records } = dictionary(value, "NDEFMessageInit");
    if (records === undefined) throw new TypeError("NDEFMessageInit needs records");
    if (records === null || typeof records !== "object" || typeof records[platform.iterator] !== "function")
      throw new TypeError("records is not a sequence");
    const inits = [];
    // A sequence is read with the iterator that the page gives it, by a browser's own NDEFReader too.
    for (const record of records) platform.append(inits, recordInit(record));
    return contents(inits, depth, parent);
  }

  /** The contents of the records of a message that are described by init objects. */
  function contents(inits, depth, parent) {
    if (inits.length === 0) throw new TypeError("a message needs at least one record");
    return mapped(inits, (init) => createContent(init, depth, parent));
  }

  /** A copy of the bytes of a BufferSource; null where the value is not one. */
  function sourceBytes(value) {
    if (!platform.isView(value)) return platform.isBuffer(value) ? platform.bufferBytes(value) : null;
    const found = platform.viewBytes(value);
    if (!found) throw new TypeError("the buffer of data is shared");
    return found;
  }

  function requiredBytes(data, recordType) {
    const found = sourceBytes(data);
    if (!found) throw new TypeError(`a record of type ${recordType} needs a BufferSource as data`);
    return found;
  }

  // MARK: Records that a page creates

  function createContent(init, depth = 1, parent = null) {
    const { recordType } = init;
    if (recordType !== "mime" && init.mediaType !== undefined) throw new TypeError("only a mime record has a mediaType");
    const create = creators[recordType] ?? (recordType[0] === ":" ? createLocal : createExternal);
    const { raw, data, ...shown } = create(init, depth, parent);
    const id = encode(init.id ?? "");
    if (sizeOf(id) > 255) throw new TypeError("id is longer than 255 bytes");
    return {
      recordType, mediaType: null, id: init.id ?? null, encoding: null, lang: null, data,
      ...shown,
      raw: { type: new platform.Uint8Array(), payload: data, ...raw, id },
    };
  }

  const creators = {
    __proto__: null,

    empty(init) {
      if (init.id !== undefined) throw new TypeError("an empty record has no id");
      return { data: null, raw: { format: formats.empty, payload: new platform.Uint8Array() } };
    },

    text(init) {
      const { encoding = "utf-8", lang = platform.documentLanguage() || "en" } = init;
      let data;
      if (typeof init.data === "string") {
        if (encoding !== "utf-8") throw new TypeError("a string is written in utf-8");
        data = encode(platform.toWellFormed(init.data));
      } else {
        data = requiredBytes(init.data, "text");
        if (!matches(/^utf-(?:8|16|16le|16be)$/, encoding))
          throw new TypeError(`${encoding} is not utf-8, utf-16, utf-16le or utf-16be`);
      }
      const language = encode(lang);
      if (sizeOf(language) > 63) throw syntaxError("lang is longer than 63 bytes");
      const status = sizeOf(language) | (encoding === "utf-8" ? 0 : 0x80);
      const payload = platform.concatenated([platform.bytesOf([status]), language, data]);
      return { data, encoding, lang, raw: { format: formats.wellKnown, type: encode("T"), payload } };
    },

    url(init) {
      const { text, address } = parsedURL(init.data, "url");
      const code = prefixCode(address);
      const rest = slice(address, prefix(code).length);
      const payload = platform.concatenated([platform.bytesOf([code]), encode(rest)]);
      return { data: encode(text), raw: { format: formats.wellKnown, type: encode("U"), payload } };
    },

    "absolute-url"(init) {
      const { text, address } = parsedURL(init.data, "absolute-url");
      const type = encode(address);
      if (sizeOf(type) > 255) throw new TypeError("an absolute-url is longer than 255 bytes");
      return { data: encode(text), raw: { format: formats.absoluteURI, type, payload: new platform.Uint8Array() } };
    },

    mime(init) {
      const data = requiredBytes(init.data, "mime");
      const mediaType = parsedMediaType(init.mediaType ?? "") ?? "application/octet-stream";
      const type = encode(mediaType);
      if (sizeOf(type) > 255) throw new TypeError("mediaType is longer than 255 bytes");
      return { data, mediaType, raw: { format: formats.media, type } };
    },

    unknown: (init) => ({ data: requiredBytes(init.data, "unknown"), raw: { format: formats.unknown } }),

    "smart-poster"(init, depth) {
      if (init.data === null || typeof init.data !== "object" || sourceBytes(init.data))
        throw new TypeError("a smart-poster needs NDEFMessageInit as data");
      const records = messageInit(init.data, depth + 1, "smart-poster");
      checkSmartPoster(records);
      const ordered = filtered(records, ({ recordType }) => recordType === "url");
      const others = filtered(records, ({ recordType }) => recordType !== "url");
      for (let i = 0; i < others.length; i++) platform.append(ordered, others[i]);
      const data = bytes.encodeMessage(mapped(ordered, ({ raw }) => raw));
      return { data, raw: { format: formats.wellKnown, type: encode("Sp") } };
    },
  };

  /** The URL as the page gave it, and as it is written to the tag. */
  function parsedURL(data, recordType) {
    if (typeof data !== "string") throw new TypeError(`a record of type ${recordType} needs a string as data`);
    try {
      return { text: platform.toWellFormed(data), address: platform.href(new platform.URL(data)) };
    } catch {
      throw syntaxError(`${data} is not an absolute URL`);
    }
  }

  const isToken = (text) => matches(/^[-!#$%&'*+.^_`|~A-Za-z0-9]+$/, text);

  /** A media type as it is serialized (MIME Sniffing, §4); null where it does not parse. */
  function parsedMediaType(text) {
    const found = match(/^\s*([^/;]+)\/([^/;]+?)\s*(?:;(.*))?$/s, text);
    if (!found || !isToken(found[1]) || !isToken(found[2])) return null;
    let serialized = platform.toLowerCase(`${found[1]}/${found[2]}`);
    const seen = { __proto__: null };
    for (let rest = found[3] ?? ""; rest !== ""; ) {
      const end = platform.indexOf(rest, ";");
      const parameter = parsedParameter(end < 0 ? rest : slice(rest, 0, end));
      rest = end < 0 ? "" : slice(rest, end + 1);
      if (!parameter || seen[parameter.name]) continue;
      seen[parameter.name] = true;
      serialized += `;${parameter.name}=${isToken(parameter.value) ? parameter.value : quoted(parameter.value)}`;
    }
    return serialized;
  }

  /** A parameter of a media type, without quotes; null where it is not one. */
  function parsedParameter(text) {
    const found = match(/^\s*([^=]*)=(.*?)\s*$/s, text);
    if (!found || !isToken(found[1])) return null;
    const value = unquoted(found[2]);
    if (!matches(/^[\t\x20-\x7e\x80-\xff]+$/, value)) return null;
    return { name: platform.toLowerCase(found[1]), value };
  }

  function unquoted(text) {
    const inside = match(/^"(.*?)"?$/s, text)?.[1] ?? text;
    let plain = "";
    for (let i = 0; i < inside.length; i++) {
      if (inside[i] === "\\" && i + 1 < inside.length) i += 1;
      plain += inside[i];
    }
    return plain;
  }

  function quoted(text) {
    let escaped = "";
    for (let i = 0; i < text.length; i++) escaped += (text[i] === '"' || text[i] === "\\" ? "\\" : "") + text[i];
    return `"${escaped}"`;
  }

  /** Exactly one URL; at most one type, size and action (Smart Poster RTD, §3.3). */
  function checkSmartPoster(records) {
    const all = (recordType) => filtered(records, (record) => record.recordType === recordType);
    if (all("url").length !== 1) throw new TypeError("a smart-poster needs exactly one url");
    if (all("absolute-url").length > 0) throw new TypeError("a smart-poster has no absolute-url");
    const checkOne = (recordType, size) => {
      const found = all(recordType);
      if (found.length > 1) throw new TypeError(`a smart-poster has at most one ${recordType}`);
      if (found.length > 0 && size !== null && sizeOf(found[0].data) !== size)
        throw new TypeError(`${recordType} of a smart-poster has ${size} bytes`);
    };
    checkOne(":s", 4);
    checkOne(":act", 1);
    checkOne(":t", null);
  }

  /** The data of an external or a local record: bytes, or a message. */
  function nestedData(init, depth, parent) {
    const { data, recordType } = init;
    if (data === null || typeof data !== "object")
      throw new TypeError(`a record of type ${recordType} needs a BufferSource or NDEFMessageInit as data`);
    return sourceBytes(data) ?? bytes.encodeMessage(mapped(messageInit(data, depth + 1, parent), ({ raw }) => raw));
  }

  function createExternal(init, depth) {
    const type = encode(externalType(init.recordType));
    return { data: nestedData(init, depth, "external"), raw: { format: formats.external, type } };
  }

  /** The type of an external record as it is on the tag: the domain in ASCII. */
  function externalType(recordType) {
    const found = match(/^([^:]+):(.+)$/s, recordType);
    if (!found || !matches(/^[A-Za-z0-9:!$'()*+,\-.;=@_]+$/, found[2]))
      throw new TypeError(`${recordType} is not a record type`);
    const type = `${asciiDomain(found[1])}:${found[2]}`;
    if (type.length > 255) throw new TypeError("an external type is longer than 255 bytes");
    return type;
  }

  function asciiDomain(domain) {
    if (matches(/^[\x21-\x7e]+$/, domain)) return domain;
    try {
      return platform.hostname(new platform.URL(`http://${domain}`));
    } catch {
      throw new TypeError(`${domain} is not a domain`);
    }
  }

  function createLocal(init, depth, parent) {
    if (!parent) throw new TypeError("a local record is part of another record");
    const name = slice(init.recordType, 1);
    if (!matches(/^[a-z0-9][\x21-\x7e]{0,254}$/, name)) throw new TypeError(`${init.recordType} is not a local type`);
    return { data: nestedData(init, depth, "local"), raw: { format: formats.wellKnown, type: encode(name) } };
  }

  // MARK: Records from a tag

  /** The content of a raw record; null where pages do not get it. */
  function parseContent(raw) {
    const shown = parsers[raw.format]?.(raw);
    if (!shown) return null;
    const id = sizeOf(raw.id) === 0 ? null : platform.decode(raw.id);
    return { mediaType: null, id, encoding: null, lang: null, data: raw.payload, raw, ...shown };
  }

  const parsers = {
    __proto__: null,
    [formats.empty]: () => ({ recordType: "empty", data: null }),
    [formats.wellKnown](raw) {
      const type = platform.decode(raw.type);
      if (type === "T") return parseText(raw.payload);
      if (type === "U") return { recordType: "url", data: parseURL(raw.payload) };
      if (type === "Sp") return { recordType: "smart-poster" };
      return matches(/^[a-z0-9]/, type) ? { recordType: `:${type}` } : null;
    },
    [formats.media]: (raw) => ({ recordType: "mime", mediaType: platform.decode(raw.type) }),
    [formats.absoluteURI]: (raw) => ({ recordType: "absolute-url", data: raw.type }),
    [formats.external]: (raw) => ({ recordType: platform.decode(raw.type) }),
    [formats.unknown]: () => ({ recordType: "unknown" }),
  };

  function parseText(payload) {
    const length = payload[0] & 0x3f;
    if (1 + length > sizeOf(payload)) return null;
    return {
      recordType: "text", encoding: payload[0] & 0x80 ? "utf-16be" : "utf-8",
      lang: platform.decode(copy(payload, 1, 1 + length)), data: copy(payload, 1 + length, sizeOf(payload)),
    };
  }

  function parseURL(payload) {
    if (sizeOf(payload) === 0 || payload[0] > prefixes.length) return payload;
    return platform.concatenated([encode(prefix(payload[0])), copy(payload, 1, sizeOf(payload))]);
  }

  nfcdWebNFC.records = {
    __proto__: null,
    recordInit,
    createContent,
    contents: (inits) => contents(inits, 1, null),
    messageInit: (value) => messageInit(value, 1, null),
    sourceBytes,
    dictionary,

    /** The contents of the records that pages get, of raw ones. */
    parse: (raw) => filtered(mapped(raw, parseContent), (content) => content !== null),
  };
}
