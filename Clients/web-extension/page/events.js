"use strict";
// NDEFReadingEvent, and event handler attributes (Web NFC, "The NDEFReadingEvent interface"; HTML, §8.1.8.1).
{
  const { platform, records, NDEFMessage } = nfcdWebNFC;
  const { TypeError } = platform;

  /** Marks the content of a tag, whose message may have no records, instead of an init. */
  const fromTag = Symbol("tag");

  class NDEFReadingEvent extends platform.Event {
    #message;
    #serialNumber;

    constructor(type, readingEventInitDict) {
      if (arguments.length < 2) throw new TypeError("NDEFReadingEvent needs two arguments");
      if (arguments[2] === fromTag) {
        super(type);
        this.#message = readingEventInitDict.message;
        this.#serialNumber = readingEventInitDict.serialNumber;
        return;
      }
      const init = records.dictionary(readingEventInitDict, "NDEFReadingEventInit");
      super(type, init);
      const { message, serialNumber = "" } = init;
      if (message === undefined) throw new TypeError("NDEFReadingEventInit needs message");
      this.#message = new NDEFMessage(message);
      this.#serialNumber = serialNumber === null ? "" : `${serialNumber}`;
    }

    get serialNumber() { return this.#serialNumber; }
    get message() { return this.#message; }
  }

  const handlers = platform.makeStore();

  /** The value and the listener of an event handler attribute of a target. */
  function handler(target, name) {
    if (!handlers.get(target)) handlers.set(target, { __proto__: null });
    return (handlers.get(target)[name] ??= { value: null, isListening: false });
  }

  nfcdWebNFC.NDEFReadingEvent = NDEFReadingEvent;
  /** An event for what a tag holds. */
  nfcdWebNFC.readingEvent = (message, serialNumber) => new NDEFReadingEvent("reading", { message, serialNumber }, fromTag);
  nfcdWebNFC.handlerValue = (target, name) => handler(target, name).value;

  /** Sets an event handler attribute: its place in the order of listeners is that of its first function. */
  nfcdWebNFC.setHandler = (target, name, value) => {
    const state = handler(target, name);
    state.value = typeof value === "function" || (typeof value === "object" && value !== null) ? value : null;
    if (state.isListening || !state.value) return;
    state.isListening = true;
    platform.addEventListener(target, name, (event) => {
      if (typeof state.value === "function" && platform.apply(state.value, target, [event]) === false)
        platform.preventDefault(event);
    });
  };
}
