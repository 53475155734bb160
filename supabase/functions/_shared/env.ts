import { createECDH } from "node:crypto";
import { z } from "zod";
import { SETTINGS, settingsSchema } from "./settings.ts";
import { withoutEmpty } from "./values/objects.ts";

const DEFAULT_SEND_TIMEOUT_S = 20;

const envSchema = settingsSchema.transform((env, context) => {
  const most = maxSendTimeoutS(env);
  const { OUTBOUND_SEND_TIMEOUT_S = Math.min(DEFAULT_SEND_TIMEOUT_S, most) } = env;
  if (OUTBOUND_SEND_TIMEOUT_S > most) {
    context.addIssue({ code: "custom", path: ["OUTBOUND_SEND_TIMEOUT_S"], message: tooLongToSend(most) });
  }
  if (env.OUTBOUND_VAPID_PUBLIC_KEY !== publicKeyOf(env.OUTBOUND_VAPID_PRIVATE_KEY)) {
    const message = "not the key that belongs to OUTBOUND_VAPID_PUBLIC_KEY: set both, or neither";
    context.addIssue({ code: "custom", path: ["OUTBOUND_VAPID_PRIVATE_KEY"], message });
  }
  return { ...env, OUTBOUND_SEND_TIMEOUT_S };
});

/** Returns the public key of P-256 that belongs to a private one, in base64url; null where it is none. */
function publicKeyOf(privateKey: string | undefined): string | null | undefined {
  if (privateKey === undefined) return undefined;
  const curve = createECDH("prime256v1");
  try {
    curve.setPrivateKey(privateKey, "base64url");
    return curve.getPublicKey("base64url");
  } catch {
    return null;
  }
}

/**
 * The most seconds a send may take. It begins half a lease after its claim at the latest, and ends at most a twentieth
 * of its time late (see `startDeadline`). Where the lease cannot be renewed, it runs out, and a window later the message
 * is sent again: by then the first send must be over.
 */
function maxSendTimeoutS(
  env: { OUTBOUND_DISPATCH_LEASE_S: number; OUTBOUND_UNCONFIRMED_WINDOW_S: number },
): number {
  return Math.ceil((env.OUTBOUND_DISPATCH_LEASE_S / 2 + env.OUTBOUND_UNCONFIRMED_WINDOW_S) / 1.05) - 1;
}

function tooLongToSend(most: number): string {
  return `at most ${most} with this OUTBOUND_DISPATCH_LEASE_S and OUTBOUND_UNCONFIRMED_WINDOW_S: 1.05 of it must be less than half the ` +
    `lease plus the window, or a message could be sent again while it is still being sent`;
}

/** Variables under other names, which stand in where ours are not set. */
const STAND_INS = [
  "SUPABASE_DB_URL",
  "SUPABASE_PUBLISHABLE_KEYS",
  "SUPABASE_ANON_KEY",
  "SUPABASE_SECRET_KEYS",
  "SUPABASE_SERVICE_ROLE_KEY",
  "https_proxy",
  "http_proxy",
  "all_proxy",
];

/** Deno's own, which the service refuses to run with: its automatic traces carry whole URLs. */
const REFUSED = ["OTEL_DENO", "OTEL_DENO_TRACING"];

/** Every variable that the service reads. */
export const VARIABLES: readonly string[] = [...SETTINGS, ...STAND_INS, ...REFUSED];

/** Every setting of the service; docs/settings.md says what each is for. */
export type Env = z.infer<typeof envSchema>;

/** Variables that are missing or malformed, by name and with what is wrong; their values are never part of the text. */
export class EnvError extends Error {
  override readonly name = "EnvError";
  readonly variables: string[];

  /** @param problems what is wrong with each variable */
  constructor(problems: Map<string, string>) {
    const described = [...problems].map(([name, problem]) => `${name} (${problem})`);
    super(`Missing or malformed settings: ${described.join(", ")}`);
    this.variables = [...problems.keys()];
  }
}

/** Reads the variables by name: reading the whole environment at once takes the permission to read anything in it. */
export function readVariables(): Record<string, string | undefined> {
  return Object.fromEntries(VARIABLES.map((name) => [name, Deno.env.get(name)]));
}

/**
 * Checks the environment and fills in defaults. On Supabase the database and the keys of the
 * project come under Supabase's own names, which stand in where ours are not set.
 *
 * @throws {EnvError} naming every variable that is missing or malformed
 */
export function loadEnv(source: Record<string, string | undefined> = readVariables()): Env {
  const settings: Record<string, string | undefined> = {
    ...withoutEmpty(source),
    DATABASE_URL: source.DATABASE_URL || source.SUPABASE_DB_URL,
    OUTBOUND_PUBLIC_URL: source.OUTBOUND_PUBLIC_URL || publicUrlOnSupabase(source),
    HTTPS_PROXY: source.HTTPS_PROXY || source.https_proxy || undefined,
    HTTP_PROXY: source.HTTP_PROXY || source.http_proxy || undefined,
    ALL_PROXY: source.ALL_PROXY || source.all_proxy || undefined,
    SUPABASE_PUBLISHABLE_KEY: source.SUPABASE_PUBLISHABLE_KEY ||
      defaultKey(source.SUPABASE_PUBLISHABLE_KEYS) || source.SUPABASE_ANON_KEY || undefined,
    SUPABASE_SECRET_KEY: source.SUPABASE_SECRET_KEY || defaultKey(source.SUPABASE_SECRET_KEYS) ||
      source.SUPABASE_SERVICE_ROLE_KEY || undefined,
  };
  const result = envSchema.safeParse(settings);
  if (result.success) return result.data;
  throw new EnvError(
    new Map(result.error.issues.map(({ path, message }) => {
      const name = String(path[0]);
      return [name, settings[name] === undefined ? "not set" : message];
    })),
  );
}

/**
 * On Supabase a function sees requests as plain http. So it reads its public address from the project's URL only.
 * Supabase alone sets SUPABASE_DB_URL; DATABASE_URL may be set beside it, for a pooler.
 */
function publicUrlOnSupabase(source: Record<string, string | undefined>): string | undefined {
  return source.SUPABASE_DB_URL ? source.SUPABASE_URL || undefined : undefined;
}

/** Supabase gives a project's keys as a JSON object; `default` is the one made with the project. */
function defaultKey(keys: string | undefined): string | undefined {
  if (!keys) return undefined;
  try {
    return z.object({ default: z.string() }).parse(JSON.parse(keys)).default;
  } catch {
    return undefined;
  }
}
