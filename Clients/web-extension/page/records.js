"use strict";
// From what a page gives to records and back (Web NFC, "Creating NDEF record" and "Parsing content").
//
// A content is what NDEFRecord shows: { recordType, mediaType, id, encoding, lang, data }, with data as bytes or null, and `raw`, the
// record for the tag.
{
  const { platform, bytes } = nfcdWebNFC;
  const deepest = 32;
  const { TypeError } = platform;
  const syntaxError = (message) => new platform.DOMException(message, "SyntaxError");

  /** The abbreviations of the URI Record Type Definition, §3.2.2, from code 01 on. */
  const prefixes = [
    "http://www.", "https://www.", "http://", "https://", "tel:", "mailto:", "ftp://anonymous:anonymous@", "ftp://ftp.",
    "ftps://", "sftp://", "smb://", "nfs://", "ftp://", "dav://", "news:", "telnet://", "imap:", "rtsp://", "urn:",
    "pop:", "sip:", "sips:", "tftp:", "btspp://", "btl2cap://", "btgoep://", "tcpobex://", "irdaobex://", "file://",
    "urn:epc:id:", "urn:epc:tag:", "urn:epc:pat:", "urn:epc:raw:", "urn:epc:", "urn:nfc:",
  ];
  const formats = { empty: 0, wellKnown: 1, media: 2, absoluteURI: 3, external: 4, unknown: 5 };

  // MARK: Conversion of arguments (Web IDL)

  const usvString = (value) => `${value}`.toWellFormed();

  function dictionary(value, name) {
    if (value === undefined || value === null) return {};
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
    if (records === null || typeof records !== "object" || typeof records[Symbol.iterator] !== "function")
      throw new TypeError("records is not a sequence");
    const inits = [];
    for (const record of records) inits.push(recordInit(record));
    if (inits.length === 0) throw new TypeError("a message needs at least one record");
    return inits.map((init) => createContent(init, depth, parent));
  }

  /** The bytes of a BufferSource, copied; null where the value is none. */
  function sourceBytes(value) {
    if (platform.isView(value)) {
      const view = platform.viewBytes(value);
      if (!platform.isBuffer(view.buffer)) throw new TypeError("the buffer of data is shared");
      return view.slice();
    }
    return platform.isBuffer(value) ? new platform.Uint8Array(value).slice() : null;
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
    const create = Object.hasOwn(creators, recordType)
      ? creators[recordType]
      : recordType.startsWith(":") ? createLocal : createExternal;
    const { raw, data, ...shown } = create(init, depth, parent);
    const id = platform.encode(init.id ?? "");
    if (id.length > 255) throw new TypeError("id is longer than 255 bytes");
    return {
      recordType, mediaType: null, id: init.id ?? null, encoding: null, lang: null, data,
      ...shown,
      raw: { type: new platform.Uint8Array(), payload: data, ...raw, id },
    };
  }

  const creators = {
    empty(init) {
      if (init.id !== undefined) throw new TypeError("an empty record has no id");
      return { data: null, raw: { format: formats.empty, payload: new platform.Uint8Array() } };
    },

    text(init) {
      const { encoding = "utf-8", lang = document.documentElement?.lang || "en" } = init;
      let data;
      if (typeof init.data === "string") {
        if (encoding !== "utf-8") throw new TypeError("a string is written in utf-8");
        data = platform.encode(init.data.toWellFormed());
      } else {
        data = requiredBytes(init.data, "text");
        if (!["utf-8", "utf-16", "utf-16le", "utf-16be"].includes(encoding))
          throw new TypeError(`${encoding} is not utf-8, utf-16, utf-16le or utf-16be`);
      }
      const language = platform.encode(lang);
      if (language.length > 63) throw syntaxError("lang is longer than 63 bytes");
      const status = language.length | (encoding === "utf-8" ? 0 : 0x80);
      const payload = bytes.concatenated([platform.Uint8Array.of(status), language, data]);
      return { data, encoding, lang, raw: { format: formats.wellKnown, type: platform.encode("T"), payload } };
    },

    url(init) {
      const { text, address } = parsedURL(init.data, "url");
      const code = prefixes.findIndex((prefix) => address.startsWith(prefix)) + 1;
      const rest = code === 0 ? address : address.slice(prefixes[code - 1].length);
      const payload = bytes.concatenated([platform.Uint8Array.of(code), platform.encode(rest)]);
      return { data: platform.encode(text), raw: { format: formats.wellKnown, type: platform.encode("U"), payload } };
    },

    "absolute-url"(init) {
      const { text, address } = parsedURL(init.data, "absolute-url");
      const type = platform.encode(address);
      if (type.length > 255) throw new TypeError("an absolute-url is longer than 255 bytes");
      return { data: platform.encode(text), raw: { format: formats.absoluteURI, type, payload: new platform.Uint8Array() } };
    },

    mime(init) {
      const data = requiredBytes(init.data, "mime");
      const mediaType = parsedMediaType(init.mediaType ?? "") ?? "application/octet-stream";
      const type = platform.encode(mediaType);
      if (type.length > 255) throw new TypeError("mediaType is longer than 255 bytes");
      return { data, mediaType, raw: { format: formats.media, type } };
    },

    unknown: (init) => ({ data: requiredBytes(init.data, "unknown"), raw: { format: formats.unknown } }),

    "smart-poster"(init, depth) {
      if (init.data === null || typeof init.data !== "object" || sourceBytes(init.data))
        throw new TypeError("a smart-poster needs NDEFMessageInit as data");
      const records = messageInit(init.data, depth + 1, "smart-poster");
      checkSmartPoster(records);
      const address = records.filter(({ recordType }) => recordType === "url");
      const others = records.filter(({ recordType }) => recordType !== "url");
      const data = bytes.encodeMessage([...address, ...others].map(({ raw }) => raw));
      return { data, raw: { format: formats.wellKnown, type: platform.encode("Sp") } };
    },
  };

  /** The URL as the page gave it, and as it is written to the tag. */
  function parsedURL(data, recordType) {
    if (typeof data !== "string") throw new TypeError(`a record of type ${recordType} needs a string as data`);
    try {
      return { text: data.toWellFormed(), address: new platform.URL(data).href };
    } catch {
      throw syntaxError(`${data} is not an absolute URL`);
    }
  }

  /** A media type as it is serialized (MIME Sniffing, §4); null where it does not parse. */
  function parsedMediaType(text) {
    const token = /^[-!#$%&'*+.^_`|~A-Za-z0-9]+$/;
    const [essence, ...parameters] = text.trim().split(";");
    const [type, subtype, ...rest] = essence.trimEnd().split("/");
    if (rest.length || !token.test(type) || !token.test(subtype ?? "")) return null;
    const found = new Map();
    for (const parameter of parameters) {
      const [, name, value] = /^\s*([^=]*)=(.*?)\s*$/s.exec(parameter) ?? [];
      const plain = value?.replace(/^"(.*?)"?$/s, "$1").replace(/\\(.)/gs, "$1");
      if (!token.test(name ?? "") || !plain || !/^[\t\x20-\x7e\x80-\xff]+$/.test(plain)) continue;
      if (!found.has(name.toLowerCase())) found.set(name.toLowerCase(), plain);
    }
    const quoted = (value) => (token.test(value) ? value : `"${value.replace(/["\\]/g, "\\$&")}"`);
    return `${type}/${subtype}`.toLowerCase() + [...found].map(([name, value]) => `;${name}=${quoted(value)}`).join("");
  }

  /** Exactly one URL; at most one type, size and action (Smart Poster RTD, §3.3). */
  function checkSmartPoster(records) {
    const count = (recordType) => records.filter((record) => record.recordType === recordType).length;
    if (count("url") !== 1) throw new TypeError("a smart-poster needs exactly one url");
    if (count("absolute-url") > 0) throw new TypeError("a smart-poster has no absolute-url");
    for (const [recordType, length] of [[":s", 4], [":act", 1], [":t", null]]) {
      if (count(recordType) > 1) throw new TypeError(`a smart-poster has at most one ${recordType}`);
      const record = records.find((candidate) => candidate.recordType === recordType);
      if (record && length !== null && record.data.length !== length)
        throw new TypeError(`${recordType} of a smart-poster has ${length} bytes`);
    }
  }

  /** The data of an external or a local record: bytes, or a message. */
  function nestedData(init, depth, parent) {
    const { data, recordType } = init;
    if (data === null || typeof data !== "object")
      throw new TypeError(`a record of type ${recordType} needs a BufferSource or NDEFMessageInit as data`);
    return sourceBytes(data) ?? bytes.encodeMessage(messageInit(data, depth + 1, parent).map(({ raw }) => raw));
  }

  function createExternal(init, depth) {
    const type = platform.encode(externalType(init.recordType));
    return { data: nestedData(init, depth, "external"), raw: { format: formats.external, type } };
  }

  /** The type of an external record as it is on the tag: the domain in ASCII. */
  function externalType(recordType) {
    const [, domain, name] = /^([^:]+):(.+)$/s.exec(recordType) ?? [];
    if (domain === undefined || !/^[A-Za-z0-9:!$'()*+,\-.;=@_]+$/.test(name))
      throw new TypeError(`${recordType} is not a record type`);
    const type = `${asciiDomain(domain)}:${name}`;
    if (type.length > 255) throw new TypeError("an external type is longer than 255 bytes");
    return type;
  }

  function asciiDomain(domain) {
    if (/^[\x21-\x7e]+$/.test(domain)) return domain;
    try {
      return new platform.URL(`http://${domain}`).hostname;
    } catch {
      throw new TypeError(`${domain} is not a domain`);
    }
  }

  function createLocal(init, depth, parent) {
    if (!parent) throw new TypeError("a local record is part of another record");
    const name = init.recordType.slice(1);
    if (!/^[a-z0-9][\x21-\x7e]{0,254}$/.test(name)) throw new TypeError(`${init.recordType} is not a local type`);
    return { data: nestedData(init, depth, "local"), raw: { format: formats.wellKnown, type: platform.encode(name) } };
  }

  // MARK: Records from a tag

  /** The content of a raw record; null where pages do not get it. */
  function parseContent(raw) {
    const shown = parsers[raw.format]?.(raw);
    if (!shown) return null;
    const id = raw.format === formats.empty ? null : platform.decode(raw.id);
    return { mediaType: null, id, encoding: null, lang: null, data: raw.payload, raw, ...shown };
  }

  const parsers = {
    [formats.empty]: () => ({ recordType: "empty", data: null }),
    [formats.wellKnown](raw) {
      const type = platform.decode(raw.type);
      if (type === "T") return parseText(raw.payload);
      if (type === "U") return { recordType: "url", data: parseURL(raw.payload) };
      if (type === "Sp") return { recordType: "smart-poster" };
      return /^[a-z0-9]/.test(type) ? { recordType: `:${type}` } : null;
    },
    [formats.media]: (raw) => ({ recordType: "mime", mediaType: platform.decode(raw.type) }),
    [formats.absoluteURI]: (raw) => ({ recordType: "absolute-url", data: raw.type }),
    [formats.external]: (raw) => ({ recordType: platform.decode(raw.type) }),
    [formats.unknown]: () => ({ recordType: "unknown" }),
  };

  function parseText(payload) {
    if (payload.length === 0) return null;
    const length = payload[0] & 0x3f;
    if (1 + length > payload.length) return null;
    return {
      recordType: "text", encoding: payload[0] & 0x80 ? "utf-16be" : "utf-8",
      lang: platform.decode(payload.slice(1, 1 + length)), data: payload.slice(1 + length),
    };
  }

  function parseURL(payload) {
    if (payload.length === 0) return payload;
    if (payload[0] === 0) return payload.slice(1);
    const prefix = prefixes[payload[0] - 1];
    return prefix === undefined ? payload : bytes.concatenated([platform.encode(prefix), payload.slice(1)]);
  }

  nfcdWebNFC.records = {
    recordInit,
    createContent,
    messageInit: (value) => messageInit(value, 1, null),
    sourceBytes,
    dictionary,

    /** The contents of the records that pages get, of raw ones. */
    parse: (raw) => raw.map(parseContent).filter((content) => content !== null),
  };
}
