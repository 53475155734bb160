import type { Command } from "commander";
import { setMaintenance } from "../actions/set_maintenance.ts";
import type { Run } from "./answer.ts";
import { futureTime } from "./values/future_time.ts";

const EXAMPLES = `
Examples:
  deno task admin maintenance on
  deno task admin maintenance on --until 2099-01-31T18:00Z`;

/** `maintenance on | off`. */
export function addMaintenanceCommands(program: Command, run: Run): void {
  const maintenance = program.command("maintenance").description("close the API for a while");
  maintenance.command("on").description("answer 503; what is queued goes on being sent")
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
