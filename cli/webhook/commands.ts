import type { Command } from "commander";
import type { DeliveryRow } from "../../supabase/functions/_shared/db/webhooks/webhooks.ts";
import type { EventType } from "../../supabase/functions/_shared/events_out/event_types.ts";
import { CommandError } from "../errors/command_error.ts";
import { type Column, renderFields, renderTable, snakeKeys } from "../terminal/render.ts";
import type { Run } from "../session.ts";
import { eventTypes, instant, uuid, wholeNumber } from "../terminal/values.ts";
import {
  listDeliveries,
  replayEvents,
  rotateWebhookSecret,
  setWebhook,
  showWebhook,
  stopWebhook,
  testWebhook,
} from "./actions.ts";

const DELIVERIES: Column<DeliveryRow>[] = [
  ["EVENT", (row) => row.event_id],
  ["TYPE", (row) => row.type],
  ["TRY", (row) => row.attempt],
  ["STATUS", (row) => row.status],
  ["RESPONSE", (row) => row.response_status === null ? null : String(row.response_status)],
  ["MS", (row) => row.duration_ms],
  ["AT", (row) => row.at],
  ["PROBLEM", (row) => row.error],
];

/** `webhook set | rotate | show | off | test | deliveries | replay`. */
export function addWebhookCommands(program: Command, run: Run): void {
  const webhook = program.command("webhook").description(
    "manage the webhook that sends events to a company's server",
  );
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
    .requiredOption("--company <id>", "the webhook's company", uuid)
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
    "set the URL and switch the webhook on; the first time, print the secret that signs events",
    " --url https://example.com/events",
  )
    .requiredOption("--url <url>", "where events are POSTed; https only")
    .option("--events <list>", "only these event types, separated by commas", eventTypes)
    .action(({ company, url, events }: SetOptions) =>
      run(async ({ sql, sealer, allowPrivateWebhooks }) => {
        const context = { sql, sealer: sealer(), allowPrivateWebhooks };
        const set = await setWebhook(context, { companyId: company, url, eventTypes: events });
        const text = set.secret ?? `Events go to ${set.url}; the secret stays the same`;
        return { json: snakeKeys(set), text };
      })
    );
}

function addRotate(webhook: Command, run: Run): void {
  subcommand(webhook, "rotate", "create a new secret and print it; the old one also signs for 24 hours")
    .action(({ company }: { company: string }) =>
      run(async ({ sql, sealer }) => {
        const rotated = await rotateWebhookSecret({ sql, sealer: sealer() }, { companyId: company });
        return { json: rotated, text: rotated.secret };
      })
    );
}

function addShow(webhook: Command, run: Run): void {
  subcommand(webhook, "show", "show the webhook and the state of its deliveries, never the secret")
    .action(({ company }: { company: string }) =>
      run(async (session) => {
        const shown = await showWebhook(session, { companyId: company });
        const text = renderFields([
          ["url", shown.url],
          ["events", shown.event_types?.join(", ") ?? "all"],
          ["state", shown.is_active ? "on" : `off${shown.stopped_reason ? `: ${shown.stopped_reason}` : ""}`],
          ["failures in a row", shown.failures],
          ["waiting", shown.waiting],
          ["old secret until", shown.old_secret_until],
          ["created", shown.created_at],
        ]);
        return { json: { ...shown }, text };
      })
    );
}

function addOff(webhook: Command, run: Run): void {
  subcommand(webhook, "off", "send no more events; pending deliveries end").action(
    ({ company }: { company: string }) =>
      run(async (session) => {
        const stopped = await stopWebhook(session, { companyId: company });
        return { json: snakeKeys(stopped), text: `The webhook of company ${company} is off` };
      }),
  );
}

function addTest(webhook: Command, run: Run): void {
  subcommand(webhook, "test", "send a test event now and show the response; exit code 1 unless it is a 2xx")
    .action(({ company }: { company: string }) =>
      run(async ({ sql, sealer, allowPrivateWebhooks }) => {
        const context = { sql, sealer: sealer(), allowPrivateWebhooks };
        const tested = await testWebhook(context, { companyId: company });
        const text = renderFields([
          ["event", tested.event_id],
          ["response", tested.response_status === null ? null : String(tested.response_status)],
          ["milliseconds", tested.duration_ms],
          ["body", tested.response_body],
        ]);
        return { json: { ...tested }, text, problem: tested.error ?? undefined };
      })
    );
}

interface DeliveriesOptions {
  company: string;
  failed?: boolean;
  limit: number;
}

function addDeliveries(webhook: Command, run: Run): void {
  subcommand(
    webhook,
    "deliveries",
    "list the attempts to deliver events, the newest event first",
    " --failed",
  )
    .option("--failed", "only failed attempts")
    .option("--limit <n>", "show at most n", wholeNumber(1), 20)
    .action(({ company, failed = false, limit }: DeliveriesOptions) =>
      run(async (session) => {
        const rows = await listDeliveries(session, { companyId: company, failed, limit });
        const text = renderTable(DELIVERIES, rows, "No deliveries yet");
        return { json: { deliveries: rows }, text };
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
    .argument("[event-id]", "the id that `webhook deliveries` shows")
    .option("--failed", "all events that could not be delivered; those that wait for a retry go now")
    .option("--since <time>", "with --failed: only events since this time", instant)
    .action((eventId: string | undefined, { company, failed, since }: ReplayOptions) =>
      run(async (session) => {
        if ((eventId !== undefined) === (failed === true) || (since && !failed)) {
          throw new CommandError("bad_value", "Give an event's id, or --failed with or without --since");
        }
        const events = eventId === undefined ? { failed: true as const, since } : { eventId };
        const result = await replayEvents(session, { companyId: company, ...events });
        return { json: snakeKeys(result), text: `${result.replayed} events will be delivered again` };
      })
    );
}
