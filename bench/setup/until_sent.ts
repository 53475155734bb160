import type postgres from "postgres";
import { pause } from "./pause.ts";

/** Every result must be recorded: a message that was only taken does not count. */
export async function untilSent(databases: postgres.Sql[], count: number): Promise<void> {
  for (;;) {
    const sent = await Promise.all(databases.map(async (sql) => {
      const [row] = await sql<{ sent: number }[]>`select sum(sent)::int as sent from outbound.campaigns`;
      return row!.sent;
    }));
    if (sent.reduce((sum, each) => sum + each, 0) === count) return;
    await pause(50);
  }
}
