import process from "node:process";
import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import { buffer } from "node:stream/consumers";
import { Writable } from "node:stream";
import { terminalJson } from "../../supabase/functions/_shared/values/control_characters.ts";
import { showControls } from "../../supabase/functions/_shared/show_controls.js";
import { UsageError } from "./usage_error.ts";

/** Where the program reads and writes. The texts of strangers cannot steer it: their control characters are shown. */
export interface Terminal {
  /** The width of standard output, where it is a terminal. */
  columns: number | undefined;
  /** Whether a person can be asked. */
  canAsk: boolean;
  print(text: string): Promise<void>;
  printJson(value: unknown): Promise<void>;
  /** Writes bytes as they are; into a terminal, only text. */
  printBytes(bytes: Uint8Array, isText: boolean): Promise<void>;
  /** Writes one line beside the output. */
  note(line: string): void;
  /** Reads standard input to its end, as it is: it may be a picture. */
  readInput(): Promise<Uint8Array<ArrayBuffer>>;
  /** Asks for a line; a hidden one is not shown while it is typed. */
  ask(question: string, options?: { isHidden?: boolean }): Promise<string>;
}

/** Opens the terminal of this process, in Node and in Deno. */
export function openTerminal(): Terminal {
  const { stdin, stdout, stderr } = process;
  const write = async (part: string | Uint8Array) => {
    if (!stdout.write(part)) await once(stdout, "drain");
  };
  return {
    columns: (stdout.isTTY && stdout.columns) || undefined,
    canAsk: Boolean(stdin.isTTY && stderr.isTTY),
    print: (line) => write(`${showControls(line)}\n`),
    printJson: (value) => write(`${terminalJson(value)}\n`),
    async printBytes(bytes, isText) {
      if (!stdout.isTTY) return await write(bytes);
      if (!isText) throw new UsageError("This is no text: give --output FILE");
      await write(showControls(new TextDecoder().decode(bytes)));
    },
    note: (line) => void stderr.write(`${showControls(line)}\n`),
    readInput: async () => new Uint8Array(await buffer(stdin)),
    ask,
  };
}

async function ask(question: string, { isHidden = false } = {}): Promise<string> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) throw new UsageError(`${question}: standard input is no terminal to ask in`);
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: isHidden ? hidden : stderr, terminal: true });
  if (isHidden) stderr.write(`${question}: `);
  try {
    return (await lines.question(isHidden ? "" : `${question}: `)).trim();
  } finally {
    lines.close();
    if (isHidden) stderr.write("\n");
  }
}
