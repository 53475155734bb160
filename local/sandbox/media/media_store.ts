import { Buffer } from "node:buffer";
import { createHash, createHmac } from "node:crypto";
import type { Journal } from "../journal/journal.ts";
import type { Media, StoredMedia } from "./media.ts";

/** Files kept; beyond it the oldest are evicted. */
const MAX_FILES = 1000;

/** The files of messages, by id. */
export class MediaStore {
  readonly #files = new Map<string, Media>();
  /** Signs the addresses of files, which end with the process. */
  readonly #secret = crypto.randomUUID();

  constructor(private readonly journal: Pick<Journal, "write">) {}

  /** Keeps a file that a business uploaded, until the process ends. */
  upload(file: Omit<Media, "id" | "sha256">): Media {
    return this.#keep({ ...file, id: newId() });
  }

  /** Keeps a file that a person sent. It outlives the process. */
  receive(file: Omit<Media, "id" | "sha256">): Media {
    const kept = this.#keep({ ...file, id: newId() });
    const { id, waba_id, mime_type } = kept;
    this.journal.write({
      t: "media",
      media: { id, waba_id, mime_type, base64: Buffer.from(kept.bytes).toString("base64") },
    });
    return kept;
  }

  /** Puts back a file from the journal. */
  restore({ base64, ...media }: StoredMedia): void {
    this.#keep({ ...media, bytes: new Uint8Array(Buffer.from(base64, "base64")) });
  }

  get(id: string): Media | undefined {
    return this.#files.get(id);
  }

  /** Signs the address of a file that is valid until `ext`, in unix seconds. */
  sign(id: string, ext: string): string {
    return createHmac("sha256", this.#secret).update(`${id}:${ext}`).digest("hex");
  }

  #keep(file: Omit<Media, "sha256">): Media {
    const media = { ...file, sha256: createHash("sha256").update(file.bytes).digest("hex") };
    this.#files.set(media.id, media);
    if (this.#files.size > MAX_FILES) this.#files.delete(this.#files.keys().next().value!);
    return media;
  }
}

/** Random digits: the ids of all objects share one space. */
function newId(): string {
  return String(crypto.getRandomValues(new BigUint64Array(1))[0]! % 10n ** 15n + 10n ** 15n);
}
