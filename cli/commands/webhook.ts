import type { Command } from "commander";
import { type DeliveryRow, listDeliveries } from "../actions/list_deliveries.ts";
import { replayEvents } from "../actions/replay_events.ts";
import { rotateWebhookSecret } from "../actions/rotate_webhook_secret.ts";
import { setWebhook } from "../actions/set_webhook.ts";
import { showWebhook } from "../actions/show_webhook.ts";
import { stopWebhook } from "../actions/stop_webhook.ts";
import { testWebhook } from "../actions/test_webhook.ts";
import { CommandError } from "../command_error.ts";
import { renderFields } from "../output/render_fields.ts";
import { type Column, renderTable } from "../output/render_table.ts";
import { snakeKeys } from "../output/snake_keys.ts";
import type { EventType } from "../../supabase/functions/_shared/events_out/event_types.ts";
import type { Run } from "./answer.ts";
import { eventTypes } from "./values/event_types.ts";
import { instant } from "./values/instant.ts";
import { uuid } from "./values/uuid.ts";
import { wholeNumber } from "./values/whole_number.ts";

const DELIVERIES: Column<DeliveryRow>[] = [
  ["EVENT", (row) => row.eventId],
  ["TYPE", (row) => row.type],
  ["TRY", (row) => row.attempt],
  ["STATUS", (row) => row.status],
  ["ANSWER", (row) => row.responseStatus === null ? null : String(row.responseStatus)],
  ["MS", (row) => row.durationMs],
  ["AT", (row) => row.at],
  ["PROBLEM", (row) => row.error],
];

/** `webhook set | rotate | show | off | test | deliveries | replay`. */
export function addWebhookCommands(program: Command, run: Run): void {
  const webhook = program.command("webhook").description("events sent to a company's own server");
  addSet(webhook, run);
  addRotate(webhook, run);
  addShow(webhook, run);
  addOff(webhook, run);
  addTest(webhook, run);
  addDeliveries(webhook, run);
  addReplay(webhook, run);
}

function subcommand(webhook: Command, name: string, description: string, example = ""): Command {
  return webhook.command(name).description(description)
    .requiredOption("--company <id>", "whose webhook", uuid)
    .addHelpText("after", `\nExample:\n  deno task admin webhook ${name} --company "$COMPANY"${example}`);
}

interface SetOptions {
  company: string;
  url: string;
  events?: EventType[];
}

function addSet(webhook: Command, run: Run): void {
  subcommand(
    webhook,
    "set",
    "say where events go, and switch it on; the first time this prints the secret that signs them",
    " --url https://example.com/events",
  )
    .requiredOption("--url <url>", "where to POST them; https only")
    .option("--events <list>", "only these, separated by commas", eventTypes)
    .action(({ company, url, events }: SetOptions) =>
      run(async ({ sql, sealer, allowPrivateWebhooks }) => {
        const context = { sql, sealer: sealer(), allowPrivateWebhooks };
        const set = await setWebhook(context, { companyId: company, url, eventTypes: events });
        const text = set.secret ?? `Events go to ${set.url}; the secret is the one it had`;
        return { json: snakeKeys(set), text };
      })
    );
}

function addRotate(webhook: Command, run: Run): void {
  subcommand(webhook, "rotate", "make a new secret and print it; the old one signs too for 24 hours")
    .action(({ company }: { company: string }) =>
      run(async ({ sql, sealer }) => {
        const rotated = await rotateWebhookSecret({ sql, sealer: sealer() }, { companyId: company });
        return { json: snakeKeys(rotated), text: rotated.secret };
      })
    );
}

function addShow(webhook: Command, run: Run): void {
  subcommand(webhook, "show", "where events go and how that is going; never the secret")
    .action(({ company }: { company: string }) =>
      run(async (session) => {
        const shown = await showWebhook(session, { companyId: company });
        const text = renderFields([
          ["url", shown.url],
          ["events", shown.eventTypes?.join(", ") ?? "all"],
          ["state", shown.isActive ? "on" : `off${shown.stoppedReason ? `: ${shown.stoppedReason}` : ""}`],
          ["failures in a row", shown.failures],
          ["waiting", shown.waiting],
          ["old secret until", shown.oldSecretUntil],
          ["made", shown.createdAt],
        ]);
        return { json: snakeKeys(shown), text };
      })
    );
}

function addOff(webhook: Command, run: Run): void {
  subcommand(webhook, "off", "send no more events; what waits is given up").action(
    ({ company }: { company: string }) =>
      run(async (session) => {
        const stopped = await stopWebhook(session, { companyId: company });
        return { json: snakeKeys(stopped), text: `The webhook of company ${company} is off` };
      }),
  );
}

function addTest(webhook: Command, run: Run): void {
  subcommand(webhook, "test", "send a test event now and show the answer; exit code 1 unless it was a 2xx")
    .action(({ company }: { company: string }) =>
      run(async ({ sql, sealer, allowPrivateWebhooks }) => {
        const context = { sql, sealer: sealer(), allowPrivateWebhooks };
        const tested = await testWebhook(context, { companyId: company });
        const text = renderFields([
          ["event", tested.eventId],
          ["answer", tested.responseStatus === null ? null : String(tested.responseStatus)],
          ["milliseconds", tested.durationMs],
          ["body", tested.responseBody],
        ]);
        return { json: snakeKeys(tested), text, problem: tested.error ?? undefined };
      })
    );
}

interface DeliveriesOptions {
  company: string;
  failed?: boolean;
  limit: number;
}

function addDeliveries(webhook: Command, run: Run): void {
  subcommand(webhook, "deliveries", "each try to deliver an event, the newest event first", " --failed")
    .option("--failed", "only those that failed")
    .option("--limit <n>", "how many at most", wholeNumber(1), 20)
    .action(({ company, failed = false, limit }: DeliveriesOptions) =>
      run(async (session) => {
        const rows = await listDeliveries(session, { companyId: company, failed, limit });
        const text = renderTable(DELIVERIES, rows, "No deliveries yet");
        return { json: { deliveries: rows.map(snakeKeys) }, text };
      })
    );
}

interface ReplayOptions {
  company: string;
  failed?: boolean;
  since?: Date;
}

function addReplay(webhook: Command, run: Run): void {
  subcommand(
    webhook,
    "replay",
    "deliver one event again, or all that failed",
    " --failed --since 2030-01-31T18:00Z",
  )
    .argument("[event-id]", "as `webhook deliveries` shows it")
    .option("--failed", "all that could not be delivered; what waits for its next try goes now")
    .option("--since <time>", "with --failed: events written since then", instant)
    .action((eventId: string | undefined, { company, failed, since }: ReplayOptions) =>
      run(async (session) => {
        if ((eventId !== undefined) === (failed === true) || (since && !failed)) {
          throw new CommandError("bad_value", "Give an event's id, or --failed with or without --since");
        }
        const events = eventId === undefined ? { failed: true as const, since } : { eventId };
        const result = await replayEvents(session, { companyId: company, ...events });
        return { json: snakeKeys(result), text: `${result.replayed} events are on their way again` };
      })
    );
}
