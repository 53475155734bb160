/** A file somebody said they would upload. */
export interface UploadSession {
  /** Whose token opened it; only the same one may go on. */
  token: string;
  type: string;
  length: number;
  /** Stands behind the id as `?sig=`. */
  signature: string;
}

/** The upload sessions that are open. They are forgotten when the sandbox stops. */
export class UploadStore {
  readonly #open = new Map<string, UploadSession>();

  /** Opens a session; answers the id as the platform writes it, `upload:…?sig=…`. */
  open(session: Omit<UploadSession, "signature">): string {
    const name = btoa(`attachment:${crypto.randomUUID()}`).replaceAll("=", "");
    const signature = `ARZ${crypto.randomUUID().replaceAll("-", "").slice(0, 16)}`;
    this.#open.set(name, { ...session, signature });
    return `upload:${name}?sig=${signature}`;
  }

  find(name: string): UploadSession | undefined {
    return this.#open.get(name);
  }

  close(name: string): void {
    this.#open.delete(name);
  }
}
