import { median } from "./median.ts";

/** One contestant: its name, and one round of its work, which returns a figure. */
export interface Contestant {
  name: string;
  round(): Promise<number>;
}

/** A contestant's figures, a round each, and their median. */
export interface Score {
  name: string;
  rounds: number[];
  median: number;
}

/**
 * Lets every contender do a round in turn, again and again: what the machine does meanwhile hits all of them alike. The
 * order turns round every time, so that none always comes after the same other one.
 */
export async function takeTurns(
  contestants: Contestant[],
  { rounds, report }: { rounds: number; report(line: string, share?: number): void },
): Promise<Map<string, Score>> {
  const figures = new Map(contestants.map(({ name }) => [name, [] as number[]]));
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? contestants : contestants.toReversed();
    for (const [turn, { name, round: work }] of order.entries()) {
      const figure = await work();
      figures.get(name)!.push(figure);
      const share = (round + (turn + 1) / order.length) / rounds;
      report(`round ${round + 1}/${rounds}  ${name}: ${Math.round(figure).toLocaleString("en")}`, share);
    }
  }
  return new Map(
    [...figures].map(([name, values]) => [name, { name, rounds: values, median: median(values) }]),
  );
}
