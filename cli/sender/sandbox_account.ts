import { z } from "zod";
import { CommandError } from "../errors/command_error.ts";

/** A sender's account at the messaging platform. */
export interface SandboxAccount {
  wabaId: string;
  platformId: string;
  token: string;
}

export interface NewSandboxAccount {
  /** The sandbox's address, as in `stack.json`. */
  sandboxUrl: string;
  number: string;
  /** The number's id; random when absent. */
  platformId?: string | undefined;
  /** The account's id; random when absent. */
  wabaId?: string | undefined;
}

const TIMEOUT_MS = 5_000;

const accountsSchema = z.object({
  data: z.array(z.object({
    waba_id: z.string(),
    numbers: z.array(z.object({ phoneNumberId: z.string() })),
  })),
});

/**
 * Creates a business account with one number in the sandbox, so that a new company can send at once. Returns undefined
 * when this sandbox does not simulate messages, only calls.
 *
 * @throws {CommandError} `already_exists` for an id that the sandbox has, `bad_value` for one that it refuses, and
 * `platform_error` when it does not respond
 */
export async function makeSandboxAccount(
  { sandboxUrl, number, ...ids }: NewSandboxAccount,
): Promise<SandboxAccount | undefined> {
  const { data } = accountsSchema.parse(await request(sandboxUrl, { method: "GET" }));
  // A sandbox that simulates messages always has the demo account.
  if (data.length === 0) return undefined;
  const { wabaId = randomId(), platformId = randomId() } = ids;
  const isTaken = data.some((account) =>
    account.waba_id === wabaId || account.numbers.some(({ phoneNumberId }) => phoneNumberId === platformId)
  );
  if (isTaken) {
    throw new CommandError(
      "already_exists",
      "The sandbox has this account or number already: give its --token, or leave --platform-id and --waba-id out",
    );
  }
  const token = `sandbox-${crypto.randomUUID()}`;
  const numbers = [{ phoneNumberId: platformId, displayNumber: number, verifiedName: `Sender ${number}` }];
  await request(sandboxUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ wabaId, token, numbers }),
  });
  return { wabaId, platformId, token };
}

async function request(sandboxUrl: string, init: RequestInit): Promise<unknown> {
  const response = await fetch(`${sandboxUrl}/sandbox/accounts`, {
    ...init,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((cause) => {
    const message =
      `The sandbox at ${sandboxUrl} does not respond: start it with "deno task start", or give --token`;
    throw new CommandError("platform_error", message, { cause });
  });
  const text = await response.text();
  if (response.ok) return JSON.parse(text);
  throw new CommandError("bad_value", `The sandbox refused the account: ${text}`);
}

/** Returns fifteen random digits: an id in the platform's form. */
function randomId(): string {
  return String(100_000_000_000_000 + Math.floor(Math.random() * 900_000_000_000_000));
}
