import { limitRow } from "../measures/limit_row.ts";
import type { Row } from "../measures/measure.ts";
import type { DatabaseServer } from "./database_server.ts";
import { processorTime } from "./processor_time.ts";

/** Microseconds of processor time per message. */
export interface MessageCosts {
  process: number;
  postgres: number;
}

/** Does some work and returns the processor time that processes and the database's server took for each message of it. */
export async function costsOf(
  server: DatabaseServer,
  pids: number[],
  work: () => Promise<number>,
): Promise<MessageCosts> {
  const read = async () => {
    const times = await Promise.all(pids.map(processorTime));
    return [times.reduce((sum, time) => sum + time, 0), await server.processorTime()];
  };
  const before = await read();
  const messages = await work();
  const after = await read();
  const [process, postgres] = after.map((time, index) => 1e6 * (time - before[index]!) / messages);
  return { process: process!, postgres: postgres! };
}

/** The rows of the processor time per message of some work, all of it and the database's part. */
export function costRows(work: string, costs: MessageCosts[], max: number): Row[] {
  const show = (us: number) => `${Math.round(us)} µs`;
  return [
    limitRow({
      work: `${work}: processor time per message, process and Postgres`,
      figures: costs.map(({ process, postgres }) => process + postgres),
      show,
      max,
    }),
    limitRow({ work: "of it: Postgres", figures: costs.map(({ postgres }) => postgres), show }),
  ];
}
