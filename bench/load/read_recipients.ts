/** How long parts of a long answer took. */
export interface RecipientTimes {
  /** How many recipients were listed in all. */
  total: number;
  /** Milliseconds until the first `part` of them were there. */
  first: number;
  /** Milliseconds that the last `part` of them took. */
  last: number;
}

const NEWLINE = 10;

/** Reads all recipients of a campaign as CSV, a line each, and times the first and the last `part` of them. */
export async function readRecipients(url: string, part: number): Promise<RecipientTimes> {
  const begin = performance.now();
  const response = await fetch(url);
  if (!response.ok) {
    throw new Error(`the recipients were answered ${response.status}: ${await response.text()}`);
  }
  /** When how many lines had come. */
  const arrived: [lines: number, at: number][] = [];
  let lines = -1; // the header
  for await (const chunk of response.body!) {
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) lines++;
    arrived.push([lines, performance.now()]);
  }
  const until = (count: number) => arrived.find(([have]) => have >= count)![1];
  return { total: lines, first: until(part) - begin, last: until(lines) - until(lines - part) };
}
