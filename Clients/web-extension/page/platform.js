"use strict";
// The scripts of this folder run in the page's own world, in the order of the manifest, before any script of the page. They
// share this object, which define.js removes again: the page sees the four names of Web NFC and nothing else.
//
// Later, the page may replace every function of the platform, and NDEFReader works all the same, as a browser's own would. So
// these scripts use nothing but syntax, and what they took here before the page's first script:
// - no method of a value: `platform.sizeOf(bytes)`, not `bytes.length`; indices and the length of an array are its own;
// - no loop over an iterator, no spread or pattern for arrays, which call methods of arrays;
// - no promises among themselves; the page gets one, made with the constructor that is kept here;
// - objects without a prototype where a field may be missing.
Object.defineProperty(globalThis, "nfcdWebNFC", { value: { __proto__: null }, configurable: true });

{
  const { bind, call } = Function.prototype;
  /** A method as a function whose first argument is `this`. */
  const uncurry = bind.bind(call);
  const { getOwnPropertyDescriptor, getPrototypeOf } = Object;
  const getter = (prototype, name) => uncurry(getOwnPropertyDescriptor(prototype, name).get);

  const TypedArray = getPrototypeOf(Uint8Array.prototype);
  const typeName = getter(TypedArray, Symbol.toStringTag);
  const place = (prototype) => ({
    buffer: getter(prototype, "buffer"), offset: getter(prototype, "byteOffset"), size: getter(prototype, "byteLength"),
  });
  const [arrayPlace, viewPlace] = [place(TypedArray), place(DataView.prototype)];
  const copyInto = uncurry(TypedArray.set);
  const sizeOf = getter(TypedArray, "length");
  const bufferLength = getter(ArrayBuffer.prototype, "byteLength");
  const aborted = getter(AbortSignal.prototype, "aborted");
  const { apply, defineProperty } = Reflect;
  const exec = uncurry(RegExp.prototype.exec);
  const element = getter(Document.prototype, "documentElement");
  const attribute = uncurry(Element.prototype.getAttribute);
  const methods = (prototype, ...names) => names.map((name) => uncurry(prototype[name]));
  const [slice, indexOf, toLowerCase, toWellFormed] = methods(String.prototype, "slice", "indexOf", "toLowerCase", "toWellFormed");
  const [getWeak, setWeak] = methods(WeakMap.prototype, "get", "set");

  /** Whether a function accepts a value. */
  function accepts(check, value) {
    try {
      check(value);
      return true;
    } catch {
      return false;
    }
  }

  /** A copy of the bytes from one index up to another. */
  function copy(bytes, start, end) {
    const part = new platform.Uint8Array(end - start);
    copyInto(part, new platform.Uint8Array(arrayPlace.buffer(bytes), arrayPlace.offset(bytes) + start, end - start));
    return part;
  }

  function append(array, value) {
    defineProperty(array, array.length, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
  }

  const platform = {
    __proto__: null,
    DataView, DOMException, Event, EventTarget, MessagePort, Promise, TypeError, Uint8Array, URL,

    apply,
    freeze: Object.freeze,
    iterator: Symbol.iterator,
    queueMicrotask: queueMicrotask.bind(globalThis),
    setTimeout: setTimeout.bind(globalThis),
    clearTimeout: clearTimeout.bind(globalThis),
    log: console.info.bind(console),

    addEventListener: uncurry(EventTarget.prototype.addEventListener),
    removeEventListener: uncurry(EventTarget.prototype.removeEventListener),
    dispatchEvent: uncurry(EventTarget.prototype.dispatchEvent),
    preventDefault: uncurry(Event.prototype.preventDefault),
    postMessage: uncurry(MessagePort.prototype.postMessage),
    messageData: getter(MessageEvent.prototype, "data"),
    isTop: globalThis.top === globalThis,

    /** The language of the document's element; empty without one. */
    documentLanguage() {
      const root = element(document);
      return (root && attribute(root, "lang")) || "";
    },

    // MARK: Text

    encode: uncurry(TextEncoder.prototype.encode).bind(null, new TextEncoder()),
    decode: uncurry(TextDecoder.prototype.decode).bind(null, new TextDecoder("utf-8", { ignoreBOM: true })),
    slice, indexOf, toLowerCase, toWellFormed,
    /** The groups of a regular expression in a text; null where it does not match. */
    match: exec,
    matches: (expression, text) => exec(expression, text) !== null,
    hostname: getter(URL.prototype, "hostname"),
    href: getter(URL.prototype, "href"),

    // MARK: Lists

    append,

    /** The array of what a function makes of the elements of another array and their indices. */
    mapped(array, change) {
      const made = [];
      for (let i = 0; i < array.length; i++) append(made, change(array[i], i));
      return made;
    },

    /** The elements of an array that a function accepts. */
    filtered(array, isWanted) {
      const found = [];
      for (let i = 0; i < array.length; i++) if (isWanted(array[i])) append(found, array[i]);
      return found;
    },

    /** Values kept for objects, as long as the objects exist. */
    makeStore() {
      const values = new WeakMap();
      return { __proto__: null, get: (key) => getWeak(values, key), set: (key, value) => void setWeak(values, key, value) };
    },

    // MARK: Bytes

    sizeOf,
    copy,

    /** The bytes of a list of numbers. */
    bytesOf(numbers) {
      const bytes = new platform.Uint8Array(numbers.length);
      for (let i = 0; i < numbers.length; i++) bytes[i] = numbers[i];
      return bytes;
    },

    /** The bytes of several ones, in their order. */
    concatenated(parts) {
      let size = 0;
      for (let i = 0; i < parts.length; i++) size += sizeOf(parts[i]);
      const all = new platform.Uint8Array(size);
      let offset = 0;
      for (let i = 0; i < parts.length; i++) {
        copyInto(all, parts[i], offset);
        offset += sizeOf(parts[i]);
      }
      return all;
    },

    /** A view of a copy of bytes, for the page. */
    view: (bytes) => new platform.DataView(arrayPlace.buffer(copy(bytes, 0, sizeOf(bytes)))),

    isView: ArrayBuffer.isView,
    /** Whether a value is an ArrayBuffer, of any realm; a SharedArrayBuffer is not. */
    isBuffer: (value) => accepts(bufferLength, value),

    /** A copy of the bytes of a buffer. */
    bufferBytes(buffer) {
      const bytes = new platform.Uint8Array(buffer);
      return copy(bytes, 0, sizeOf(bytes));
    },

    /** A copy of the bytes of a view, whatever its prototype; null where they are shared with other threads. */
    viewBytes(view) {
      const { buffer, offset, size } = typeName(view) === undefined ? viewPlace : arrayPlace;
      if (!platform.isBuffer(buffer(view))) return null;
      const bytes = new platform.Uint8Array(buffer(view), offset(view), size(view));
      return copy(bytes, 0, sizeOf(bytes));
    },

    // MARK: Signals and errors

    /** Whether a value is an AbortSignal, of any realm. */
    isSignal: (value) => accepts(aborted, value),
    isAborted: aborted,
    errorName: getter(DOMException.prototype, "name"),
    reason: getter(AbortSignal.prototype, "reason"),
  };
  nfcdWebNFC.platform = platform;
}
