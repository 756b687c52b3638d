"use strict";
// Replaces functions of the platform, one at a time or many at once, and tries whether NDEFReader works meanwhile.
{
  /** What this script itself uses while they are replaced. */
  const kept = (() => {
    const uncurry = Function.prototype.bind.bind(Function.prototype.call);
    return {
      NDEFReader, Promise, AbortController,
      apply: Reflect.apply,
      defineProperty: Object.defineProperty,
      then: uncurry(Promise.prototype.then),
      abort: uncurry(AbortController.prototype.abort),
      signal: uncurry(Object.getOwnPropertyDescriptor(AbortController.prototype, "signal").get),
      addEventListener: uncurry(EventTarget.prototype.addEventListener),
      query: navigator.permissions.query.bind(navigator.permissions),
      setTimeout: setTimeout.bind(window), clearTimeout: clearTimeout.bind(window),
    };
  })();

  /** What JavaScript itself has (ECMA-262): each function of it is replaced alone. */
  const language = new Set(["Array", "ArrayBuffer", "BigInt", "Boolean", "DataView", "Date", "Error", "Function", "Iterator", "JSON",
    "Map", "Math", "Number", "Object", "Promise", "Proxy", "Reflect", "RegExp", "Set", "String", "Symbol", "TypeError", "Uint8Array",
    "WeakMap", "WeakRef", "WeakSet", "globalThis"]);

  /** Every function and accessor that can be replaced: { label, group, holder, key, descriptor }. */
  const targets = (() => {
    const found = [];
    const visited = new Set();
    const collect = (holder, name, group) => {
      if ((typeof holder !== "object" && typeof holder !== "function") || holder === null || visited.has(holder)) return;
      visited.add(holder);
      for (const key of Reflect.ownKeys(holder)) {
        const descriptor = { __proto__: null, ...Object.getOwnPropertyDescriptor(holder, key) };
        const isFunction = typeof descriptor.value === "function" && (descriptor.writable || descriptor.configurable);
        const isAccessor = descriptor.get && descriptor.configurable;
        if (isFunction || isAccessor) found.push({ label: `${name}.${String(key)}`, group, holder, key, descriptor });
      }
    };
    const names = Object.getOwnPropertyNames(globalThis).filter((name) => !/^NDEF/.test(name));
    for (const name of names) {
      let value;
      try {
        value = globalThis[name];
      } catch {
        continue;
      }
      const isInterface = typeof value === "function" || Object.prototype.toString.call(value) === `[object ${name}]`;
      if (!isInterface || value === globalThis || !/^[A-Z]/.test(name)) continue;
      collect(value, name, name);
      collect(value.prototype, `${name}.prototype`, name);
    }
    const iterators = {
      Array: [][Symbol.iterator](), Map: new Map().entries(), Set: new Set().values(), String: ""[Symbol.iterator](),
      RegExpString: "".matchAll(/x/g), Generator: (function* () {})(),
    };
    for (const [name, iterator] of Object.entries(iterators))
      for (let holder = Object.getPrototypeOf(iterator); holder && holder !== Object.prototype; holder = Object.getPrototypeOf(holder))
        collect(holder, `${name}Iterator`, "Iterator");
    collect(Object.getPrototypeOf(Uint8Array), "TypedArray", "Uint8Array");
    collect(Object.getPrototypeOf(Uint8Array.prototype), "TypedArray.prototype", "Uint8Array");
    collect(globalThis, "globalThis", "globalThis");
    // The names of interfaces are replaced together.
    return found.map((target) => (/^globalThis\.[A-Z]/.test(target.label) && !language.has(target.key)
      ? { ...target, group: "names of interfaces" } : target));
  })();

  function replace(target) {
    const { holder, key, descriptor, label } = target;
    const replaced = function () { throw `${label} was called`; };
    const change = descriptor.get ? { get: replaced, set: descriptor.set && replaced } : { value: replaced };
    kept.defineProperty(holder, key, { __proto__: null, ...descriptor, ...change });
  }

  const restore = ({ holder, key, descriptor }) => kept.defineProperty(holder, key, descriptor);

  /** Settles a promise of NDEFReader with functions. A promise without its own constructor looks for that of its prototype. */
  function settle(promise, done, failed) {
    kept.defineProperty(promise, "constructor", { __proto__: null, value: undefined, configurable: true });
    kept.defineProperty(kept.then(promise, done, failed), "constructor", { __proto__: null, value: undefined });
  }

  /** Replaces functions, scans the tag that lies on the reader, and puts them back; calls `end` with what went wrong, or null. */
  function tryScan(replaced, end) {
    const controller = new kept.AbortController();
    let timer = 0;
    let isOver = false;
    let value = null;
    const finish = (problem) => {
      if (isOver) return;
      isOver = true;
      for (let i = 0; i < replaced.length; i++) restore(replaced[i]);
      kept.clearTimeout(timer);
      kept.abort(controller);
      end(problem ?? (value && value.byteLength === 7 && value.getUint8(0) === 0x63 ? null : "the record has other data"));
    };
    timer = kept.setTimeout(() => finish("no reading came"), 5000);
    const options = { __proto__: null, signal: kept.signal(controller) };
    for (let i = 0; i < replaced.length; i++) replace(replaced[i]);
    try {
      const reader = new kept.NDEFReader();
      reader.onreading = ({ message }) => {
        try {
          value = message.records[0].data;
          finish(message.records[0].recordType === "text" && message.records[0].lang === "en" ? null : "the record is another one");
        } catch (error) {
          finish(error);
        }
      };
      settle(reader.scan(options), () => {}, (error) => finish(error));
    } catch (error) {
      finish(error);
    }
  }

  /** The labels of the targets, each with what went wrong, one group after another. */
  function trial(groups) {
    const failures = [];
    return new kept.Promise((resolve) => {
      const next = (index) => {
        if (index === groups.length) return resolve(failures);
        tryScan(groups[index], (problem) => {
          if (problem !== null) failures.push(`${groups[index][0].label}: ${problem}`);
          next(index + 1);
        });
      };
      next(0);
    });
  }

  globalThis.targetCount = targets.length;
  /** Each function of the language alone. */
  globalThis.tryEach = () => trial(targets.filter(({ group }) => language.has(group)).map((target) => [target]));

  /** All functions of each interface of the browser together, and all of the language. */
  globalThis.tryInterfaces = () => {
    const groups = Map.groupBy(targets.filter(({ group }) => !language.has(group)), ({ group }) => group);
    return trial([...groups.values(), targets.filter(({ group }) => language.has(group))]);
  };
}
