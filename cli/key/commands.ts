import type { Command } from "commander";
import {
  DEFAULT_PERMISSIONS,
  KEY_PERMISSIONS,
  type KeyPermission,
} from "../../supabase/functions/_shared/access/permissions.ts";
import type { FurtherKeyRow } from "../../supabase/functions/_shared/db/access/further_keys.ts";
import type { PublishableKeyRow } from "../../supabase/functions/_shared/db/access/publishable_keys.ts";
import { CommandError } from "../errors/command_error.ts";
import { type Column, renderFields, renderTable, snakeKeys } from "../terminal/render.ts";
import type { Run } from "../session.ts";
import {
  futureTime,
  keyName,
  keyPermissions,
  overlapHours,
  uuid,
  uuids,
  wholeNumber,
} from "../terminal/values.ts";
import {
  addFurtherKey,
  createKey,
  createPublishableKey,
  listFurtherKeys,
  listPublishableKeys,
  revokeFurtherKey,
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

const FURTHER: Column<FurtherKeyRow>[] = [
  ["ID", (row) => row.key_id],
  ["NAME", (row) => row.name],
  ["STATE", (row) => row.is_active ? "active" : "revoked"],
  ["PERMISSIONS", (row) => row.permissions.join(",")],
  ["SENDERS", (row) => row.sender_ids?.join(",") ?? "all"],
  ["EXPIRES", (row) => row.expires_at],
  ["LAST USED", (row) => row.last_used_at],
  ["FROM", (row) => row.last_used_address],
];

/** `key create | rotate | revoke | activate | show | list`. */
export function addKeyCommands(program: Command, run: Run): void {
  const key = program.command("key")
    .description(
      "manage access keys: a company's own, further ones, and publishable keys for its widgets",
    );
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
  name?: string;
  senders?: string[];
  expires?: Date;
}

function addCreate(key: Command, run: Run): void {
  subcommand(key, "create", "create a company's own key, or with --name a further one, and print it")
    .option(
      "--permissions <list>",
      `permissions, separated by commas: ${KEY_PERMISSIONS.join(", ")}`,
      keyPermissions,
      [...DEFAULT_PERMISSIONS],
    )
    .option("--rate-limit <n>", "requests per minute", wholeNumber(1), 600)
    .option("--daily-quota <n>", "notifications per UTC day", wholeNumber(0), 100_000)
    .option(
      "--name <name>",
      "create a further key: it is printed once, and not stored",
      keyName,
    )
    .option("--senders <ids>", "with --name: the senders that it may use, separated by commas", uuids)
    .option("--expires <time>", "with --name: when it ends", futureTime)
    .option(
      "--publishable",
      "create a key for web pages instead: it opens the company's widgets and nothing else",
    )
    .action(({ company, publishable, name, senders, expires, ...limits }: CreateOptions) =>
      run(async ({ sql, sealer }) => {
        const request = { companyId: company, ...limits };
        const made = publishable
          ? await createPublishableKey({ sql }, { companyId: company })
          : name !== undefined
          ? await addFurtherKey({ sql }, {
            ...request,
            name,
            ...(senders && { senderIds: senders }),
            ...(expires && { expiresAt: expires }),
          })
          : await createKey({ sql, sealer: sealer() }, request);
        return { json: snakeKeys(made), text: made.key };
      })
    );
}

function addRotate(key: Command, run: Run): void {
  subcommand(
    key,
    "rotate",
    "replace the key by a new one with the same limits and print it",
  )
    .option("--key <id>", "this further key instead of the company's own", uuid)
    .option("--overlap-hours <n>", "how long the old key still passes, up to 168", overlapHours, 0)
    .action((
      { company, key: keyId, overlapHours }: { company: string; key?: string; overlapHours: number },
    ) =>
      run(async ({ sql, sealer }) => {
        const made = await rotateKey({ sql, sealer: sealer() }, { companyId: company, keyId, overlapHours });
        return { json: snakeKeys(made), text: made.key };
      })
    );
}

function addSwitch(
  key: Command,
  run: Run,
  { name, isActive, description }: { name: string; isActive: boolean; description: string },
): void {
  const command = subcommand(key, name, description)
    .option("--publishable <key>", "this publishable key instead of the company's access key");
  if (!isActive) {
    command.option("--key <id>", "this further key instead of the company's own, for good", uuid);
  }
  command
    .action(({ company, publishable, key: keyId }: { company: string; publishable?: string; key?: string }) =>
      run(async (session) => {
        const switched = publishable !== undefined
          ? await setPublishableKeyActive(session, { companyId: company, key: publishable, isActive })
          : keyId !== undefined
          ? await revokeFurtherKey(session, { companyId: company, keyId })
          : await setKeyActive(session, { companyId: company, isActive });
        const which = publishable ?? keyId ?? "The key";
        return {
          json: snakeKeys(switched),
          text: `${which} of company ${company} is ${isActive ? "active" : "revoked"}`,
        };
      })
    );
}

function addList(key: Command, run: Run): void {
  key.command("list").description("list publishable keys, or with --further the further ones of a company")
    .option("--company <id>", "only this company's", uuid)
    .option("--further", "the further keys of --company, revoked ones included")
    .action(({ company, further }: { company?: string; further?: boolean }) =>
      run(async (session) => {
        if (further) {
          if (company === undefined) {
            throw new CommandError("usage", "Name the company of the keys: --company");
          }
          const keys = await listFurtherKeys(session, { companyId: company });
          return { json: { keys }, text: renderTable(FURTHER, keys, "No further keys yet") };
        }
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
