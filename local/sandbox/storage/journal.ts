import type { SandboxAccount, SandboxTemplate } from "../options.ts";
import type { StoredMessage } from "../messages/message.ts";
import type { VoiceLine } from "../voice/voice_line.ts";
import type { ChangeUpdate } from "../webhooks/update.ts";

/** One fact, as one line of JSON. */
export type JournalLine =
  | { t: "account"; account: SandboxAccount }
  | { t: "message"; stored: StoredMessage }
  | { t: "answered"; id: string; at: string }
  /** `[message id, step]` of each status that came true. */
  | { t: "reached"; at: string; steps: [string, number][] }
  /** Keys of the webhook updates that were answered 200. */
  | { t: "told"; at: string; keys: string[] }
  | { t: "template"; waba_id: string; template: SandboxTemplate }
  | { t: "template_removed"; waba_id: string; id: string; blocked_until: number }
  | { t: "change_update"; key: string; update: ChangeUpdate }
  /** The platform disabled the account, or reinstated it. */
  | { t: "ban"; waba_id: string; banned: boolean }
  | VoiceLine;

const NEWLINE = 10;

/**
 * The append-only memory of the sandbox. A line is handed to the system before `write` returns, so what was
 * answered after it survives kill -9. Without a directory nothing is kept.
 */
export class Journal {
  #file: Deno.FsFile | null = null;
  readonly #encoder = new TextEncoder();

  private constructor(private readonly path: string | null) {}

  /** Opens the journal and reads it. A last line that was cut short by a crash is removed. */
  static open(directory: string | undefined): { journal: Journal; lines: JournalLine[] } {
    if (directory === undefined) return { journal: new Journal(null), lines: [] };
    Deno.mkdirSync(directory, { recursive: true, mode: 0o700 });
    const journal = new Journal(`${directory}/journal.jsonl`);
    return { journal, lines: journal.#read() };
  }

  write(line: JournalLine): void {
    if (this.#file === null) return;
    const bytes = this.#encoder.encode(JSON.stringify(line) + "\n");
    for (let at = 0; at < bytes.length;) at += this.#file.writeSync(bytes.subarray(at));
  }

  /** Keeps only some of the lines; a crash leaves either the old journal or the new one. */
  keep(wanted: (line: JournalLine) => boolean): void {
    if (this.#file === null) return;
    const lines = parseLines(Deno.readTextFileSync(this.path!)).filter(wanted);
    Deno.writeTextFileSync(`${this.path}.new`, lines.map((line) => JSON.stringify(line) + "\n").join(""), {
      mode: 0o600,
    });
    this.#file.close();
    Deno.renameSync(`${this.path}.new`, this.path!);
    this.#file = Deno.openSync(this.path!, { append: true });
  }

  close(): void {
    this.#file?.close();
    this.#file = null;
  }

  #read(): JournalLine[] {
    this.#file = Deno.openSync(this.path!, { read: true, append: true, create: true, mode: 0o600 });
    const bytes = Deno.readFileSync(this.path!);
    const whole = bytes.lastIndexOf(NEWLINE) + 1;
    if (whole < bytes.length) Deno.truncateSync(this.path!, whole);
    return parseLines(new TextDecoder().decode(bytes.subarray(0, whole)));
  }
}

function parseLines(text: string): JournalLine[] {
  return text.split("\n").filter((line) => line !== "").map((line): JournalLine => JSON.parse(line));
}
