import { HOME_CELL } from "../../supabase/functions/_shared/cells.ts";
import { numberCell } from "../../supabase/functions/_shared/db/queue/cell.ts";
import { costsOf } from "../setup/message_costs.ts";
import { pause } from "../setup/pause.ts";
import { startDispatcher } from "../setup/service.ts";
import { takeTurns } from "../setup/take_turns.ts";
import { addTenant, fillCampaign, migrate } from "../setup/tenants.ts";
import { untilSent } from "../setup/until_sent.ts";
import { startUpstream, type Upstream } from "../setup/upstream.ts";
import { comparisonRow } from "./comparison_row.ts";
import type { Bench, Row } from "./measure.ts";

/** A dispatcher for each cell, and one for all. */
const SCENES = [
  { cells: 1, dispatchers: 1 },
  { cells: 2, dispatchers: 2 },
  { cells: 4, dispatchers: 4 },
  { cells: 2, dispatchers: 1 },
  { cells: 4, dispatchers: 1 },
];
/** Companies with a sender each, shared out among the cells. */
const SENDERS = 8;
/** Sent first, without being measured: connections and plans are made once per cell, whatever it sends then. */
const WARM_UP = 16_000;
/** Several databases may cost a message a tenth more. */
const MAX_RATIO = 1.1;

/** The processor time of a message that is sent for one, two and four cells on the same server. */
export async function measureCells(bench: Bench): Promise<Row[]> {
  const upstream = await startUpstream();
  try {
    const contestants = SCENES.map((scene) => ({
      name: `${scene.cells} cells, ${scene.dispatchers === 1 ? "one dispatcher" : "a dispatcher each"}`,
      round: () => costOfMessage(bench, upstream, scene),
    }));
    const [one, ...several] = [...(await takeTurns(contestants, bench)).values()];
    return several.map(({ name, rounds }) =>
      comparisonRow({
        work: `${name}, ${SENDERS} senders: processor time per message, process and Postgres`,
        against: "one cell",
        ours: rounds,
        theirs: one!.rounds,
        show: (us) => `${Math.round(us)} µs`,
        max: MAX_RATIO,
      })
    );
  } finally {
    await upstream.stop();
  }
}

/** Microseconds. */
async function costOfMessage(
  { server, quick }: Bench,
  upstream: Upstream,
  { cells, dispatchers }: typeof SCENES[number],
): Promise<number> {
  const count = quick ? 8_000 : 40_000;
  const names = Array.from({ length: cells }, (_, cell) => `bench_cell_${cell}`);
  const urls = await Promise.all(names.map((name) => server.create(name)));
  const databases = await Promise.all(urls.map(migrate));
  const dueMs = Date.now() + 10_000 + count / 2;
  for (const [cell, sql] of databases.entries()) {
    await numberCell(sql, HOME_CELL + cell);
    for (let sender = 0; sender < SENDERS / cells; sender++) {
      const tenant = await addTenant(sql);
      await fillCampaign(sql, tenant, { count: count / SENDERS, dueInS: (dueMs - Date.now()) / 1000 });
      await fillCampaign(sql, tenant, { count: WARM_UP / SENDERS });
    }
  }
  await upstream.reset(0);
  const [home, ...others] = urls;
  const settings = { DATABASE_URLS: others.map((url, index) => `${index + 1}=${url}`).join(" ") };
  const running = await Promise.all(
    Array.from({ length: dispatchers }, (_, cell) =>
      startDispatcher(home!, upstream.url, {
        settings,
        cells: dispatchers === 1 ? undefined : String(cell),
      })),
  );
  await untilSent(databases, WARM_UP);
  if (Date.now() > dueMs) throw new Error("The machine is too slow: what is measured is due already");
  await pause(dueMs - Date.now() - 1000);
  const { process, postgres } = await costsOf(server, running.map(({ pid }) => pid), async () => {
    await upstream.untilTaken(WARM_UP + count);
    await untilSent(databases, WARM_UP + count);
    return count;
  });
  await Promise.all(running.map((dispatcher) => dispatcher.stop()));
  for (const [index, sql] of databases.entries()) {
    await sql.end();
    await server.drop(names[index]!);
  }
  return process + postgres;
}
