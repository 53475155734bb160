import type { SandboxAccount } from "./options.ts";
import type { Platform } from "./platform.ts";

/** Adds a business account with its templates, or replaces it. */
export function addAccount(
  platform: Pick<Platform, "accounts" | "templates">,
  account: SandboxAccount,
): void {
  platform.accounts.put(account);
  for (const template of account.templates) platform.templates.put(account.wabaId, template);
}
