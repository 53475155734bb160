import type { Command } from "commander";
import {
  DEFAULT_PERMISSIONS,
  KEY_PERMISSIONS,
  type KeyPermission,
} from "../../supabase/functions/_shared/access/permissions.ts";
import { snakeKeys } from "../terminal/render.ts";
import type { Run } from "../session.ts";
import { keyPermissions, uuid, wholeNumber } from "../terminal/values.ts";
import { createKey } from "./actions.ts";

interface CreateOptions {
  company: string;
  permissions: KeyPermission[];
  rateLimit: number;
  dailyQuota: number;
}

/** `key create`. */
export function addKeyCommands(program: Command, run: Run): void {
  const key = program.command("key").description("make the first access key of a company");
  key.command("create").description("create a company's own key, and print it")
    .requiredOption("--company <id>", "the key's company", uuid)
    .option(
      "--permissions <list>",
      `permissions, separated by commas: ${KEY_PERMISSIONS.join(", ")}`,
      keyPermissions,
      [...DEFAULT_PERMISSIONS],
    )
    .option("--rate-limit <n>", "requests per minute", wholeNumber(1), 600)
    .option("--daily-quota <n>", "notifications per UTC day", wholeNumber(0), 100_000)
    .action(({ company: companyId, ...limits }: CreateOptions) =>
      run(async ({ sql, sealer }) => {
        const made = await createKey({ sql, sealer: sealer() }, { companyId, ...limits });
        return { json: snakeKeys(made), text: made.key };
      })
    )
    .addHelpText("after", '\nExample:\n  deno task admin key create --company "$COMPANY"');
}
