import type { Command } from "commander";
import type { Sql } from "../supabase/functions/_shared/db/driver/connect.ts";
import { type Maintenance, writeMaintenance } from "../supabase/functions/_shared/db/queue/settings.ts";
import type { Run } from "./session.ts";
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
        const state = await setMaintenance(session, { on: true, until: until ?? null });
        const text = state.until
          ? `Maintenance is on until ${state.until}`
          : "Maintenance is on until further notice";
        return { json: { ...state }, text };
      })
    )
    .addHelpText("after", EXAMPLES);
  maintenance.command("off").description("open the API again").action(() =>
    run(async (session) => ({
      json: { ...await setMaintenance(session, { on: false }) },
      text: "Maintenance is off",
    }))
  ).addHelpText("after", "\nExample:\n  deno task admin maintenance off");
}

/**
 * Switches maintenance on or off. The API responds 503 while it is on, or until `until` where that is given. Switching on
 * again changes `until` and keeps `since`.
 */
export async function setMaintenance(
  { sql }: { sql: Sql },
  { on, until = null }: { on: boolean; until?: Date | null },
): Promise<Maintenance> {
  const since = new Date().toISOString();
  return await writeMaintenance(sql, { on, until: until?.toISOString() ?? null, since });
}
