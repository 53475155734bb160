/** An AudioContext, whose state may also be `interrupted`. */
interface Sound extends EventTarget {
  readonly state: string;
  resume(): Promise<void>;
}

/** The part of `window` that is needed here. */
interface Page extends EventTarget {
  AudioContext: new (options?: never) => Sound;
  document: EventTarget & { readonly hidden: boolean };
}

/**
 * Resumes sound that the system has interrupted. Safari on iOS does so for a phone call or another app, and may leave it
 * silent afterwards: with the visitor's next touch or key, or when the page is visible again, it plays on. Counts for the
 * contexts that are made from now on, which are those of the platforms' clients.
 */
export function resumeInterruptedSound(page: Page): void {
  const interrupted = new Set<Sound>();
  const Original = page.AudioContext;

  page.AudioContext = class extends Original {
    constructor(options?: never) {
      super(options);
      this.addEventListener("statechange", () => {
        if (this.state === "interrupted") interrupted.add(this);
        else if (this.state !== "suspended") interrupted.delete(this);
      });
    }
  };

  function resume(): void {
    if (page.document.hidden) return;
    for (const context of interrupted) context.resume().catch(() => {});
  }

  for (const name of ["pointerdown", "keydown"]) page.addEventListener(name, resume);
  page.document.addEventListener("visibilitychange", resume);
}
