import type { Command } from "commander";
import type { Sql } from "../supabase/functions/_shared/db/driver/connect.ts";
import { type Maintenance, writeMaintenance } from "../supabase/functions/_shared/db/queue/settings.ts";
import { cellsOf, type Run, type Session } from "./session.ts";
import { futureTime } from "./terminal/values.ts";

const EXAMPLES = `
Examples:
  deno task admin maintenance on
  deno task admin maintenance on --until 2099-01-31T18:00Z`;

/** `maintenance on | off`. */
export function addMaintenanceCommands(program: Command, run: Run): void {
  const maintenance = program.command("maintenance").description("close and open the API");
  maintenance.command("on").description("respond 503 to every request; queued notifications are still sent")
    .option("--until <time>", "when the API opens by itself, with its zone", futureTime)
    .action(({ until }: { until?: Date }) =>
      run(async (session) => {
        const { state, where } = await setEverywhere(session, { on: true, until: until ?? null });
        const text = `Maintenance is on until ${state.until ?? "further notice"}${where}`;
        return { json: { ...state }, text };
      })
    )
    .addHelpText("after", EXAMPLES);
  maintenance.command("off").description("open the API again").action(() =>
    run(async (session) => {
      const { state, where } = await setEverywhere(session, { on: false });
      return { json: { ...state }, text: `Maintenance is off${where}` };
    })
  ).addHelpText("after", "\nExample:\n  deno task admin maintenance off");
}

interface Switch {
  on: boolean;
  until?: Date | null;
}

/** Switches it in every cell, or the one that is chosen; returns the state of the first. */
async function setEverywhere({ inEachCell }: Session, change: Switch) {
  const done = await inEachCell((session) => setMaintenance(session, change));
  const [state] = done.values();
  return { state: state!, where: done.size === 1 ? "" : `, in ${cellsOf(done)}` };
}

/**
 * Switches maintenance on or off. The API responds 503 while it is on, or until `until` where that is given. Switching on
 * again changes `until` and keeps `since`.
 */
export async function setMaintenance(
  { sql }: { sql: Sql },
  { on, until = null }: Switch,
): Promise<Maintenance> {
  const since = new Date().toISOString();
  return await writeMaintenance(sql, { on, until: until?.toISOString() ?? null, since });
}
