/** What waits to be read: values in order, then the end, which may be an error. */
export class Queue {
  #items = [];
  #waiters = [];
  #end;

  /** Adds a value. */
  push(value) {
    const waiter = this.#waiters.shift();
    if (waiter) waiter.resolve({ value });
    else if (!this.#end) this.#items.push(value);
  }

  /** Ends the queue; what was added before is still read. */
  finish(error) {
    if (this.#end) return;
    this.#end = { error };
    for (const waiter of this.#waiters.splice(0)) waiter.resolve(this.#end);
  }

  /**
   * The next value; undefined at the end.
   * Rejects with the error of the end, and with the reason of the signal.
   */
  async next(signal) {
    signal?.throwIfAborted();
    if (this.#items.length > 0) return this.#items.shift();
    const { value, error } = this.#end ?? (await this.#wait(signal));
    if (error) throw error;
    return value;
  }

  #wait(signal) {
    return new Promise((resolve, reject) => {
      const waiter = { resolve: (item) => (stop(), resolve(item)) };
      const abort = () => {
        this.#waiters = this.#waiters.filter((other) => other !== waiter);
        stop();
        reject(signal.reason);
      };
      const stop = () => signal?.removeEventListener("abort", abort);
      signal?.addEventListener("abort", abort, { once: true });
      this.#waiters.push(waiter);
    });
  }
}
