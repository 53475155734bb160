import { parseArgs } from "node:util";

/** The text of `deno task test:fuzz --help`. */
export const USAGE = `Usage: deno task test:fuzz [options]

Starts the service with its stand-ins, and sends it requests that Schemathesis makes from the API document: valid
ones, and ones that are wrong in one field. Every response must fit the document, none may be a server error, and
what the document forbids must be refused. Needs Python 3.10 or later; installs Schemathesis below .outbound once.

  --seconds N          how long to send requests, 10 to 3600 (default 120)
  --operation NAME     only this operation (its operationId); may be repeated
  --max-examples N     at most so many requests per operation and phase (default 50)
  --seed N             repeats the requests of an earlier run
  --help               print this text

  deno task test:fuzz
  deno task test:fuzz --seconds 600 --max-examples 200
  deno task test:fuzz --operation sendNotification --operation placeCall`;

/** The options of a run. */
export interface FuzzOptions {
  seconds: number;
  operations: string[];
  maxExamples: number;
  /** Digits: Schemathesis takes seeds of any length. */
  seed: string | undefined;
}

/** Reads the arguments of `deno task test:fuzz`. Throws TypeError, whose message is for the caller. */
export function readOptions(args: string[]): FuzzOptions | "help" {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: "string", default: "120" },
      operation: { type: "string", multiple: true, default: [] },
      "max-examples": { type: "string", default: "50" },
      seed: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) return "help";
  return {
    seconds: numberIn("--seconds", values.seconds, 10, 3600),
    operations: values.operation,
    maxExamples: numberIn("--max-examples", values["max-examples"], 1, 10_000),
    seed: seedOf(values.seed),
  };
}

function seedOf(text: string | undefined): string | undefined {
  if (text === undefined || /^\d+$/.test(text)) return text;
  throw new TypeError(`--seed: expected digits, got "${text}"`);
}

function numberIn(option: string, text: string, min: number, max: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (value >= min && value <= max) return value;
  throw new TypeError(`${option}: expected a whole number from ${min} to ${max}, got "${text}"`);
}
