const WINDOW_MS = 24 * 60 * 60 * 1000;

/** When people last wrote to a number: for 24 hours from then on it may send them more than templates. */
export class ServiceWindows {
  readonly #openedAt = new Map<string, number>();

  /** `person` in digits, `now` in unix milliseconds. */
  open(phoneNumberId: string, person: string, now: number): void {
    this.#openedAt.set(`${phoneNumberId}:${person}`, now);
  }

  isOpen(phoneNumberId: string, person: string, now: number): boolean {
    return now - (this.#openedAt.get(`${phoneNumberId}:${person}`) ?? -Infinity) < WINDOW_MS;
  }
}
