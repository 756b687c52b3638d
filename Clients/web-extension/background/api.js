/** The interface of extensions: `browser` in Firefox, `chrome` in Chromium, both with promises. */
export const api = globalThis.browser ?? globalThis.chrome;

/** An error as a page sees it: the name of a DOMException, and a text. */
export const failure = (name, message) => ({ name, message });
