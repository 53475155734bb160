import type { Command } from "commander";
import { createPublishableKey } from "../actions/create_publishable_key.ts";
import { createKey, KEY_PERMISSIONS, type KeyPermission } from "../actions/create_key.ts";
import { listPublishableKeys, type PublishableKeyRow } from "../actions/list_publishable_keys.ts";
import { rotateKey } from "../actions/rotate_key.ts";
import { setKeyActive } from "../actions/set_key_active.ts";
import { setPublishableKeyActive } from "../actions/set_publishable_key_active.ts";
import { showKey } from "../actions/show_key.ts";
import { renderFields } from "../output/render_fields.ts";
import { type Column, renderTable } from "../output/render_table.ts";
import { snakeKeys } from "../output/snake_keys.ts";
import type { Run } from "./answer.ts";
import { keyPermissions } from "./values/key_permissions.ts";
import { uuid } from "./values/uuid.ts";
import { wholeNumber } from "./values/whole_number.ts";

const PUBLISHABLE: Column<PublishableKeyRow>[] = [
  ["KEY", (row) => row.key],
  ["COMPANY", (row) => row.companyId],
  ["STATE", (row) => row.isActive ? "active" : "revoked"],
  ["CREATED", (row) => row.createdAt],
];

/** `key create | rotate | revoke | activate | show | list`. */
export function addKeyCommands(program: Command, run: Run): void {
  const key = program.command("key")
    .description("access keys; a company has one, and publishable ones for its widgets");
  addCreate(key, run);
  addRotate(key, run);
  addSwitch(key, run, { name: "revoke", isActive: false, description: "refuse the key from now on" });
  addSwitch(key, run, { name: "activate", isActive: true, description: "take a revocation back" });
  addShow(key, run);
  addList(key, run);
}

function subcommand(key: Command, name: string, description: string): Command {
  return key.command(name).description(description)
    .requiredOption("--company <id>", "whose key", uuid)
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
  subcommand(key, "create", "make a company's first key and print it")
    .option("--permissions <list>", "separated by commas", keyPermissions, [...KEY_PERMISSIONS])
    .option("--rate-limit <n>", "requests a minute", wholeNumber(1), 600)
    .option("--daily-quota <n>", "notifications a UTC day", wholeNumber(0), 100_000)
    .option("--publishable", "one for web pages instead: it opens the company's widgets, and nothing else")
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
    "replace the key by a new one with the same limits and print it; the old one ends now",
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
    .option("--publishable <key>", "this publishable key instead of the company's own")
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
  key.command("list").description("publishable keys, revoked ones included")
    .option("--company <id>", "only of this company", uuid)
    .action(({ company }: { company?: string }) =>
      run(async (session) => {
        const rows = await listPublishableKeys(session, { companyId: company });
        return {
          json: { publishable_keys: rows.map(snakeKeys) },
          text: renderTable(PUBLISHABLE, rows, "No publishable keys yet"),
        };
      })
    )
    .addHelpText("after", '\nExample:\n  deno task admin key list --company "$COMPANY"');
}

function addShow(key: Command, run: Run): void {
  subcommand(key, "show", "the key in the clear, and its limits").action(({ company }: { company: string }) =>
    run(async ({ sql, sealer }) => {
      const shown = await showKey({ sql, sealer: sealer() }, { companyId: company });
      const text = renderFields([
        ["key", shown.key],
        ["state", shown.isActive ? "active" : "revoked"],
        ["permissions", shown.permissions.join(", ")],
        ["requests a minute", shown.rateLimit],
        ["notifications a day", shown.dailyQuota],
        ["last used", shown.lastUsedAt],
        ["made", shown.createdAt],
      ]);
      return { json: snakeKeys(shown), text };
    })
  );
}
