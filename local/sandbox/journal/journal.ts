import type { StoredMessage } from "../messages/message.ts";
import type { StoredMedia } from "../media/media.ts";
import type { InboundMessage } from "../people/inbound_message.ts";
import type { Person } from "../people/person.ts";
import type { SandboxAccount, SandboxTemplate } from "../options.ts";
import type { VoiceEntry } from "../voice/calls/call.ts";
import type { ChangeUpdate } from "../webhooks/update.ts";

/** One fact, written as one line of JSON. */
export type JournalEntry =
  | { t: "account"; account: SandboxAccount }
  | { t: "message"; stored: StoredMessage }
  | { t: "responded"; id: string; at: string }
  /** `[message id, step]` of each status that was reached. */
  | { t: "reached"; at: string; steps: [string, number][] }
  /** Keys of the webhook updates that got a 200 response. */
  | { t: "webhooks_delivered"; at: string; keys: string[] }
  | { t: "template"; waba_id: string; template: SandboxTemplate }
  | { t: "template_removed"; waba_id: string; id: string; blocked_until: number }
  | { t: "change_update"; key: string; update: ChangeUpdate }
  /** The platform disabled the account, or reinstated it. */
  | { t: "ban"; waba_id: string; banned: boolean }
  /** A person who changed something, as the person is now. */
  | { t: "person"; person: Person }
  | { t: "inbound"; inbound: InboundMessage }
  /** A file that a person sent. */
  | { t: "media"; media: StoredMedia }
  | VoiceEntry;

const NEWLINE = 10;

/**
 * The append-only storage of the sandbox. `write` returns once the system has the entry, so a response sent after it
 * survives kill -9. Without a directory nothing is kept.
 */
export class Journal {
  #file: Deno.FsFile | null = null;
  readonly #encoder = new TextEncoder();

  private constructor(private readonly path: string | null) {}

  /** Opens the journal and reads it. Removes a last line that a crash cut short. */
  static open(directory: string | undefined): { journal: Journal; entries: JournalEntry[] } {
    if (directory === undefined) return { journal: new Journal(null), entries: [] };
    Deno.mkdirSync(directory, { recursive: true, mode: 0o700 });
    const journal = new Journal(`${directory}/journal.jsonl`);
    return { journal, entries: journal.#read() };
  }

  write(entry: JournalEntry): void {
    if (this.#file === null) return;
    const bytes = this.#encoder.encode(JSON.stringify(entry) + "\n");
    for (let at = 0; at < bytes.length;) at += this.#file.writeSync(bytes.subarray(at));
  }

  /** Keeps only the wanted entries; a crash leaves either the old journal or the new one. */
  keep(wanted: (entry: JournalEntry) => boolean): void {
    if (this.#file === null) return;
    const entries = parseEntries(Deno.readTextFileSync(this.path!)).filter(wanted);
    Deno.writeTextFileSync(
      `${this.path}.new`,
      entries.map((entry) => JSON.stringify(entry) + "\n").join(""),
      {
        mode: 0o600,
      },
    );
    this.#file.close();
    Deno.renameSync(`${this.path}.new`, this.path!);
    this.#file = Deno.openSync(this.path!, { append: true });
  }

  close(): void {
    this.#file?.close();
    this.#file = null;
  }

  #read(): JournalEntry[] {
    this.#file = Deno.openSync(this.path!, { read: true, append: true, create: true, mode: 0o600 });
    const bytes = Deno.readFileSync(this.path!);
    const whole = bytes.lastIndexOf(NEWLINE) + 1;
    if (whole < bytes.length) Deno.truncateSync(this.path!, whole);
    return parseEntries(new TextDecoder().decode(bytes.subarray(0, whole)));
  }
}

function parseEntries(text: string): JournalEntry[] {
  return text.split("\n").filter((line) => line !== "").map((line): JournalEntry => JSON.parse(line));
}
