"use strict";
// navigator.permissions.query({name: "nfc"}) (Permissions, §"The Permissions interface"). Everything else goes to the browser.
{
  const { platform, channel, handlerValue, setHandler } = nfcdWebNFC;
  let changeState;
  const statuses = new Set();

  const status = class PermissionStatus extends EventTarget {
    #state;

    constructor(state) {
      super();
      this.#state = state;
    }

    get name() { return "nfc"; }
    get state() { return this.#state; }
    get onchange() { return handlerValue(this, "change"); }
    set onchange(value) { setHandler(this, "change", value); }

    static {
      changeState = (target, state) => {
        if (target.#state === state) return;
        target.#state = state;
        platform.dispatchEvent(target, new platform.Event("change"));
      };
    }
  };

  channel.on("permission", ({ state }) => {
    for (const target of [...statuses]) changeState(target, state);
  });

  /** Whether a descriptor is for NFC; it is read once, as the browser would. */
  function nameOf(descriptor) {
    try {
      return descriptor !== null && typeof descriptor === "object" ? `${descriptor.name}` : null;
    } catch {
      return null;
    }
  }

  nfcdWebNFC.definePermission = () => {
    if (!globalThis.Permissions || !globalThis.PermissionStatus) return;
    Object.setPrototypeOf(status.prototype, PermissionStatus.prototype);
    const original = Permissions.prototype.query;
    const replacement = {
      query(permissionDesc) {
        if (nameOf(permissionDesc) !== "nfc") return Reflect.apply(original, this, arguments);
        return platform.then(channel.call(channel.makeID(), "query"), ({ state }) => {
          const made = new status(state);
          statuses.add(made);
          return made;
        });
      },
    };
    Permissions.prototype.query = replacement.query;
  };
}
