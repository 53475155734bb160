/** Gives out one turn at a time, first come, first served. */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when it is the caller's turn; calling the answer ends the turn, and calling it again does nothing. */
  async take(): Promise<() => void> {
    const turn = Promise.withResolvers<void>();
    const before = this.#last;
    this.#last = turn.promise;
    await before;
    return turn.resolve;
  }
}
