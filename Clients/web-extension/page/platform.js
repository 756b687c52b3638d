"use strict";
// The scripts of this folder run in the page's own world, in the order of the manifest, before any script of the page. They
// share this object, which define.js removes again: the page sees the four names of Web NFC and nothing else.
Object.defineProperty(globalThis, "nfcdWebNFC", { value: {}, configurable: true });

{
  const { bind, call } = Function.prototype;
  /** A method as a function whose first argument is `this`. The page cannot change it later. */
  const uncurry = bind.bind(call);
  const getter = (prototype, name) => uncurry(Object.getOwnPropertyDescriptor(prototype, name).get);

  const TypedArray = Object.getPrototypeOf(Uint8Array.prototype);
  const bufferLength = getter(ArrayBuffer.prototype, "byteLength");
  const aborted = getter(AbortSignal.prototype, "aborted");

  /** What these scripts use of the platform, taken before the page can change it. */
  nfcdWebNFC.platform = {
    addEventListener: uncurry(EventTarget.prototype.addEventListener),
    removeEventListener: uncurry(EventTarget.prototype.removeEventListener),
    dispatchEvent: uncurry(EventTarget.prototype.dispatchEvent),
    postMessage: uncurry(MessagePort.prototype.postMessage),
    then: uncurry(Promise.prototype.then),
    reason: getter(AbortSignal.prototype, "reason"),
    messageData: getter(MessageEvent.prototype, "data"),
    isView: ArrayBuffer.isView,
    Uint8Array, DataView, DOMException, Event, MessagePort, Promise, TypeError, URL,
    encode: uncurry(TextEncoder.prototype.encode).bind(null, new TextEncoder()),
    decode: uncurry(TextDecoder.prototype.decode).bind(null, new TextDecoder("utf-8", { ignoreBOM: true })),
    isTop: globalThis.top === globalThis,

    /** Whether a value is an ArrayBuffer, of any realm; a SharedArrayBuffer is none. */
    isBuffer(value) {
      try {
        bufferLength(value);
        return true;
      } catch {
        return false;
      }
    },

    /** Whether a value is an AbortSignal, of any realm. */
    isSignal(value) {
      try {
        aborted(value);
        return true;
      } catch {
        return false;
      }
    },

    isAborted: aborted,

    /** The bytes of a view, wherever its prototype was changed to. */
    viewBytes(view) {
      const isDataView = uncurry(Object.getOwnPropertyDescriptor(TypedArray, Symbol.toStringTag).get)(view) === undefined;
      const prototype = isDataView ? DataView.prototype : TypedArray;
      const field = (name) => getter(prototype, name)(view);
      return new Uint8Array(field("buffer"), field("byteOffset"), field("byteLength"));
    },
  };
}
