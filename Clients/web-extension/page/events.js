"use strict";
// NDEFReadingEvent, and event handler attributes (Web NFC, "The NDEFReadingEvent interface"; HTML, §8.1.8.1).
{
  const { platform, records, NDEFMessage } = nfcdWebNFC;
  const { TypeError } = platform;

  class NDEFReadingEvent extends platform.Event {
    #message;
    #serialNumber;

    constructor(type, readingEventInitDict) {
      if (arguments.length < 2) throw new TypeError("NDEFReadingEvent needs two arguments");
      const init = records.dictionary(readingEventInitDict, "NDEFReadingEventInit");
      super(type, init);
      const { message, serialNumber = "" } = init;
      if (message === undefined) throw new TypeError("NDEFReadingEventInit needs message");
      this.#message = new NDEFMessage(message);
      this.#serialNumber = serialNumber === null ? "" : `${serialNumber}`;
    }

    get serialNumber() { return this.#serialNumber; }
    get message() { return this.#message; }

    /** An event for what a tag holds. */
    static {
      nfcdWebNFC.readingEvent = (message, serialNumber) => {
        // The constructor refuses a message without records, which an empty tag has.
        const event = new NDEFReadingEvent("reading", { message: { records: [{ recordType: "empty" }] } });
        event.#message = message;
        event.#serialNumber = serialNumber;
        return event;
      };
    }
  }

  const handlers = new WeakMap();

  /** The value and the listener of an event handler attribute of a target. */
  function handler(target, name) {
    if (!handlers.has(target)) handlers.set(target, {});
    return (handlers.get(target)[name] ??= { value: null, isListening: false });
  }

  nfcdWebNFC.NDEFReadingEvent = NDEFReadingEvent;
  nfcdWebNFC.handlerValue = (target, name) => handler(target, name).value;

  /** Sets an event handler attribute: it takes the place in the order of listeners that its first function got. */
  nfcdWebNFC.setHandler = (target, name, value) => {
    const state = handler(target, name);
    state.value = typeof value === "function" || (typeof value === "object" && value !== null) ? value : null;
    if (state.isListening || !state.value) return;
    state.isListening = true;
    platform.addEventListener(target, name, function (event) {
      if (typeof state.value === "function" && state.value.call(target, event) === false) event.preventDefault();
    });
  };
}
