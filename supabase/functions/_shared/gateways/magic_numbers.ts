/** The fate of a message on a simulated platform: the code with which it fails, or that it stays unread. */
export interface Fate {
  error?: number;
  unread?: true;
}

/** By the last four digits of the recipient's number. docs/sandbox.md has the same table. */
const FATES: Readonly<Record<string, Fate>> = {
  "0000": { error: 131026 },
  "0001": { error: 131049 },
  "0002": { unread: true },
};

/** Returns the fate of a message to a number. Without one of the magic endings it is sent, delivered and read. */
export function fateOfNumber(number: string): Fate {
  return FATES[number.slice(-4)] ?? {};
}
