"use strict";
// navigator.permissions.query({name: "nfc"}) (Permissions, §"The Permissions interface"). Everything else goes to the browser.
{
  const { platform, channel, handlerValue, setHandler } = nfcdWebNFC;
  let changeState;
  const statuses = [];

  const status = class PermissionStatus extends platform.EventTarget {
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
    for (let i = 0, count = statuses.length; i < count; i++) changeState(statuses[i], state);
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
        if (nameOf(permissionDesc) !== "nfc") return platform.apply(original, this, arguments);
        return new platform.Promise((resolve, reject) => channel.call(channel.makeID(), "query", {}, ({ state }) => {
          const made = new status(state);
          platform.append(statuses, made);
          resolve(made);
        }, reject));
      },
    };
    Permissions.prototype.query = replacement.query;
  };
}
