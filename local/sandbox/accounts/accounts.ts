import { PlatformError } from "../http/platform_error.ts";
import type { SandboxAccount, SandboxNumber } from "../options.ts";
import type { TemplateStore } from "../templates/template_store.ts";

/** The simulated business accounts, found by token, by id and by number. */
export class Accounts {
  readonly #accounts = new Map<string, SandboxAccount>();

  /** Adds an account, or replaces the one with the same id. */
  put(account: SandboxAccount): void {
    this.#accounts.set(account.wabaId, account);
  }

  list(): SandboxAccount[] {
    return [...this.#accounts.values()];
  }

  get(wabaId: string): SandboxAccount | undefined {
    return this.#accounts.get(wabaId);
  }

  /** The accounts of a token. Throws 200 without a token, 190 with an unknown one. */
  authorize(header: string | undefined): SandboxAccount[] {
    const token = header?.match(/^Bearer\s+(\S+)$/i)?.[1];
    if (token === undefined) {
      throw new PlatformError(200, null, { status: 401, message: "(#200) Provide a valid access token" });
    }
    const accounts = this.list().filter((account) => account.token === token);
    if (accounts.length === 0) throw new PlatformError(190, null, { message: "Invalid OAuth access token" });
    return accounts;
  }
}

/** The number with this id among the accounts of a token. */
export function findNumber(
  accounts: SandboxAccount[],
  phoneNumberId: string,
): { account: SandboxAccount; number: SandboxNumber } | undefined {
  for (const account of accounts) {
    const number = account.numbers.find((each) => each.phoneNumberId === phoneNumberId);
    if (number !== undefined) return { account, number };
  }
}

/** The platform's error for an object that does not exist or belongs to another account: 100/33. */
export function unknownObject(id: string): PlatformError {
  return new PlatformError(100, null, {
    subcode: 33,
    type: "GraphMethodException",
    message: `Unsupported request. Object with ID '${id}' does not exist or the token may not use it`,
  });
}

/** Adds a business account with its templates, or replaces it. */
export function addAccount(
  platform: { accounts: Accounts; templates: TemplateStore },
  account: SandboxAccount,
): void {
  platform.accounts.put(account);
  for (const template of account.templates) platform.templates.put(account.wabaId, template);
}

/** Records that the platform disabled an account or reinstated it. */
export function setBanned({ bans }: { bans: Set<string> }, wabaId: string, banned: boolean): void {
  if (banned) bans.add(wabaId);
  else bans.delete(wabaId);
}
