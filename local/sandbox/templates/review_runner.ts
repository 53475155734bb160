import { Scheduler } from "../scheduler.ts";
import type { StoredTemplate } from "./template_store.ts";

/** Ends reviews when their time has come. */
export class ReviewRunner {
  readonly #scheduler = new Scheduler<{ id: string; at: number }>((due) => due.forEach(this.review));

  /** `review` is told which template's time has come, and which time that was. */
  constructor(private readonly review: (due: { id: string; at: number }) => void) {}

  /** Starts the review of a template, or takes it up again after a restart. One without a time waits for somebody. */
  start({ id, status, review_at: at }: StoredTemplate): void {
    if (status === "PENDING" && at !== undefined) this.#scheduler.add(at, { id, at });
  }

  close(): void {
    this.#scheduler.close();
  }
}
