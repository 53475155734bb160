import type { Command } from "commander";
import {
  DEFAULT_PERMISSIONS,
  KEY_PERMISSIONS,
  type KeyPermission,
} from "../../supabase/functions/_shared/access/permissions.ts";
import type { PublishableKeyRow } from "../../supabase/functions/_shared/db/access/publishable_keys.ts";
import { type Column, renderFields, renderTable, snakeKeys } from "../terminal/render.ts";
import type { Run } from "../session.ts";
import { keyPermissions, uuid, wholeNumber } from "../terminal/values.ts";
import {
  createKey,
  createPublishableKey,
  listPublishableKeys,
  rotateKey,
  setKeyActive,
  setPublishableKeyActive,
  showKey,
} from "./actions.ts";

const PUBLISHABLE: Column<PublishableKeyRow>[] = [
  ["KEY", (row) => row.key],
  ["COMPANY", (row) => row.company_id],
  ["STATE", (row) => row.is_active ? "active" : "revoked"],
  ["CREATED", (row) => row.created_at],
];

/** `key create | rotate | revoke | activate | show | list`. */
export function addKeyCommands(program: Command, run: Run): void {
  const key = program.command("key")
    .description("manage access keys: one per company, and publishable keys for its widgets");
  addCreate(key, run);
  addRotate(key, run);
  addSwitch(key, run, { name: "revoke", isActive: false, description: "refuse a key from now on" });
  addSwitch(key, run, { name: "activate", isActive: true, description: "accept a revoked key again" });
  addShow(key, run);
  addList(key, run);
}

function subcommand(key: Command, name: string, description: string): Command {
  return key.command(name).description(description)
    .requiredOption("--company <id>", "the key's company", uuid)
    .addHelpText("after", `\nExample:\n  deno task admin key ${name} --company "$COMPANY"`);
}

interface CreateOptions {
  company: string;
  permissions: KeyPermission[];
  rateLimit: number;
  dailyQuota: number;
  publishable?: boolean;
}

function addCreate(key: Command, run: Run): void {
  subcommand(key, "create", "create a company's first key and print it")
    .option(
      "--permissions <list>",
      `permissions, separated by commas: ${KEY_PERMISSIONS.join(", ")}`,
      keyPermissions,
      [...DEFAULT_PERMISSIONS],
    )
    .option("--rate-limit <n>", "requests per minute", wholeNumber(1), 600)
    .option("--daily-quota <n>", "notifications per UTC day", wholeNumber(0), 100_000)
    .option(
      "--publishable",
      "create a key for web pages instead: it opens the company's widgets and nothing else",
    )
    .action(({ company, publishable, ...limits }: CreateOptions) =>
      run(async ({ sql, sealer }) => {
        const made = publishable
          ? await createPublishableKey({ sql }, { companyId: company })
          : await createKey({ sql, sealer: sealer() }, { companyId: company, ...limits });
        return { json: snakeKeys(made), text: made.key };
      })
    );
}

function addRotate(key: Command, run: Run): void {
  subcommand(
    key,
    "rotate",
    "replace the key by a new one with the same limits and print it; the old key ends now",
  )
    .action(({ company }: { company: string }) =>
      run(async ({ sql, sealer }) => {
        const made = await rotateKey({ sql, sealer: sealer() }, { companyId: company });
        return { json: snakeKeys(made), text: made.key };
      })
    );
}

function addSwitch(
  key: Command,
  run: Run,
  { name, isActive, description }: { name: string; isActive: boolean; description: string },
): void {
  subcommand(key, name, description)
    .option("--publishable <key>", "this publishable key instead of the company's access key")
    .action(({ company, publishable }: { company: string; publishable?: string }) =>
      run(async (session) => {
        const switched = publishable === undefined
          ? await setKeyActive(session, { companyId: company, isActive })
          : await setPublishableKeyActive(session, { companyId: company, key: publishable, isActive });
        const which = publishable ?? "The key";
        return {
          json: snakeKeys(switched),
          text: `${which} of company ${company} is ${isActive ? "active" : "revoked"}`,
        };
      })
    );
}

function addList(key: Command, run: Run): void {
  key.command("list").description("list publishable keys, revoked ones included")
    .option("--company <id>", "only this company's", uuid)
    .action(({ company }: { company?: string }) =>
      run(async (session) => {
        const rows = await listPublishableKeys(session, { companyId: company });
        return {
          json: { publishable_keys: rows },
          text: renderTable(PUBLISHABLE, rows, "No publishable keys yet"),
        };
      })
    )
    .addHelpText("after", '\nExample:\n  deno task admin key list --company "$COMPANY"');
}

function addShow(key: Command, run: Run): void {
  subcommand(key, "show", "show the key in the clear, and its limits").action((
    { company }: { company: string },
  ) =>
    run(async ({ sql, sealer }) => {
      const shown = await showKey({ sql, sealer: sealer() }, { companyId: company });
      const text = renderFields([
        ["key", shown.key],
        ["state", shown.is_active ? "active" : "revoked"],
        ["permissions", shown.permissions.join(", ")],
        ["requests per minute", shown.rate_limit],
        ["notifications per day", shown.daily_quota],
        ["last used", shown.last_used_at],
        ["created", shown.created_at],
      ]);
      return { json: shown, text };
    })
  );
}
