import type { SandboxTemplate } from "../options.ts";
import { Scheduler } from "../scheduler.ts";

/** A template with its id, the account it belongs to and whether it can still be changed. */
export type StoredTemplate = SandboxTemplate & { id: string };

/** The time that the name of a deleted approved template stays blocked. */
const BLOCKED_MS = 30 * 24 * 3_600_000;

/** The templates of all accounts, in the order of creation. */
export class TemplateStore {
  readonly #byId = new Map<string, { wabaId: string; template: StoredTemplate }>();
  readonly #idByName = new Map<string, string>();
  readonly #blocked = new Map<string, number>();

  /** Adds a template, or replaces the one with the same account, name and language. */
  put(wabaId: string, template: SandboxTemplate): StoredTemplate {
    const known = this.find(wabaId, template.name, template.language);
    const id = known?.id ?? template.id ?? templateId(wabaId, template);
    const stored = { ...template, id };
    this.#byId.set(id, { wabaId, template: stored });
    this.#idByName.set(nameKey(wabaId, stored), id);
    return stored;
  }

  list(wabaId: string): StoredTemplate[] {
    return [...this.#byId.values()].filter((each) => each.wabaId === wabaId).map((each) => each.template);
  }

  get(id: string): { wabaId: string; template: StoredTemplate } | undefined {
    return this.#byId.get(id);
  }

  find(wabaId: string, name: string, language: string): StoredTemplate | undefined {
    const id = this.#idByName.get(nameKey(wabaId, { name, language }));
    return id === undefined ? undefined : this.#byId.get(id)?.template;
  }

  /** Removes a template; the name of an approved one stays blocked. Returns the end of the block, 0 = none. */
  remove(id: string, now: number): number {
    const known = this.#byId.get(id);
    const until = known?.template.status === "APPROVED" ? now + BLOCKED_MS : 0;
    this.restoreRemoval(id, until);
    return until;
  }

  /** Repeats a removal read from the journal. */
  restoreRemoval(id: string, blockedUntil: number): void {
    const known = this.#byId.get(id);
    if (known === undefined) return;
    this.#byId.delete(id);
    this.#idByName.delete(nameKey(known.wabaId, known.template));
    if (blockedUntil > 0) this.#blocked.set(`${known.wabaId}/${known.template.name}`, blockedUntil);
  }

  isBlocked(wabaId: string, name: string, now: number): boolean {
    return (this.#blocked.get(`${wabaId}/${name}`) ?? 0) > now;
  }
}

function nameKey(wabaId: string, { name, language }: Pick<SandboxTemplate, "name" | "language">): string {
  return `${wabaId}/${name}/${language}`;
}

/** Fifteen digits, below 2^53 because webhooks carry the id as a number; the same for the same template. */
function templateId(wabaId: string, { name, language }: SandboxTemplate): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(`${wabaId}/${name}/${language}`)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return String(100_000_000_000_000n + hash % 900_000_000_000_000n);
}

/** Ends reviews when they are due. */
export class ReviewRunner {
  readonly #scheduler = new Scheduler<{ id: string; at: number }>((due) => due.forEach(this.review));

  /** `review` receives the template that is due, and the time it was due. */
  constructor(private readonly review: (due: { id: string; at: number }) => void) {}

  /**
   * Starts the review of a template, or resumes it after a restart. A template without a time waits for a manual
   * review.
   */
  start({ id, status, review_at: at }: StoredTemplate): void {
    if (status === "PENDING" && at !== undefined) this.#scheduler.add(at, { id, at });
  }

  close(): void {
    this.#scheduler.close();
  }
}
