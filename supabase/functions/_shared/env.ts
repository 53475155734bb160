import { z } from "zod";
import { secretsKeyProblem } from "./crypto/secrets_keys.ts";
import { tlsProblem } from "./database_tls.ts";
import { withoutEmpty } from "./values/objects.ts";
import { withoutEndSlashes } from "./values/urls.ts";

/** Timers run at once instead of later when they are set beyond 2^31 ms. */
const MAX_TIMER_S = 86_400;
const MAX_TTL_S = 366 * 86_400;
const DEFAULT_SEND_TIMEOUT_S = 20;
const MAX_RUN_MESSAGES = 1_000_000;

const seconds = (fallback: number, most = MAX_TIMER_S) =>
  z.coerce.number().int().positive().max(most).default(fallback);

const httpUrl = z.url({ protocol: /^https?$/ }).transform(withoutEndSlashes);

/** Checked here, because the errors of what reads it later quote it, password included. */
const databaseUrl = z.url({ protocol: /^postgres(ql)?$/ }).refine(isDecodable).superRefine((url, context) => {
  const message = tlsProblem(url);
  if (message !== undefined) context.addIssue({ code: "custom", message });
});

const SAMPLERS = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

const settingsSchema = z.object({
  DATABASE_URL: databaseUrl,
  SUPABASE_URL: httpUrl.optional(),
  SUPABASE_PUBLISHABLE_KEY: z.string().min(1).optional(),
  SUPABASE_SECRET_KEY: z.string().min(1).optional(),
  WHATSAPP_API_URL: httpUrl.default("https://graph.facebook.com"),
  WHATSAPP_API_VERSION: z.string().regex(/^v\d+\.\d+$/).default("v25.0"),
  WHATSAPP_APP_SECRET: z.string().min(1).optional(),
  WHATSAPP_VERIFY_TOKEN: z.string().min(1).optional(),
  ELEVENLABS_API_URL: httpUrl.default("https://api.elevenlabs.io"),
  ELEVENLABS_API_KEY: z.string().min(1).optional(),
  ELEVENLABS_WEBHOOK_SECRET: z.string().min(1).optional(),
  LIVEKIT_URL: z.url({ protocol: /^(wss?|https?)$/ }).optional(),
  LIVEKIT_API_KEY: z.string().min(1).optional(),
  LIVEKIT_API_SECRET: z.string().min(1).optional(),
  WIDGET_URL: httpUrl.optional(),
  CONSOLE_URL: httpUrl.optional(),
  PUBLIC_URL: httpUrl.optional(),
  TRUSTED_PROXIES: z.coerce.number().int().min(0).max(10).default(0),
  SECRETS_KEY: z.string().superRefine((setting, context) => {
    const message = secretsKeyProblem(setting);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  }),
  DISPATCH_SECRET: z.string().min(16).optional(),
  HOST: z.string().min(1).default("0.0.0.0"),
  PORT: z.coerce.number().int().min(0).max(65535).default(54321),
  /** Read by `deno task start` alone: other names that its stand-ins respond to. */
  LOCAL_HOSTS: z.string().default(""),
  OUTBOUND_HOME: z.string().min(1).default(".outbound"),
  METRICS_PORT: z.coerce.number().int().min(0).max(65535).optional(),
  METRICS_TOKEN: z.string().regex(/^[\w.~+/-]{16,}=*$/, "16 or more characters of a bearer token").optional(),
  OTEL_SDK_DISABLED: z.stringbool().default(false),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: z.string().optional(),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: z.string().optional(),
  OTEL_EXPORTER_OTLP_TIMEOUT: z.coerce.number().int().positive().max(MAX_TIMER_S * 1000).default(10_000),
  OTEL_SERVICE_NAME: z.string().min(1).optional(),
  OTEL_RESOURCE_ATTRIBUTES: z.string().optional(),
  OTEL_TRACES_SAMPLER: z.enum(SAMPLERS).default("parentbased_traceidratio"),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
  LOG_LEVEL: z.enum(["debug", "info", "warn", "error", "silent"]).default("info"),
  DISPATCH_RUN_MESSAGES: z.coerce.number().int().positive().max(MAX_RUN_MESSAGES).default(300),
  DISPATCH_LEASE_S: seconds(60),
  UNCONFIRMED_WINDOW_S: seconds(120),
  NOTIFICATION_TTL_S: seconds(86_400, MAX_TTL_S),
  SEND_TIMEOUT_S: z.coerce.number().int().positive().max(MAX_TIMER_S).optional(),
  CALL_CHECK_AFTER_S: seconds(120),
  CALL_FAIL_AFTER_S: seconds(14_400),
  HTTPS_PROXY: z.string().optional(),
  HTTP_PROXY: z.string().optional(),
  ALL_PROXY: z.string().optional(),
  ALLOW_PRIVATE_WEBHOOKS: z.stringbool().default(false),
});

const envSchema = settingsSchema.transform((env, context) => {
  const most = maxSendTimeoutS(env);
  const { SEND_TIMEOUT_S = Math.min(DEFAULT_SEND_TIMEOUT_S, most) } = env;
  if (SEND_TIMEOUT_S > most) {
    context.addIssue({ code: "custom", path: ["SEND_TIMEOUT_S"], message: tooLongToSend(most) });
  }
  return { ...env, SEND_TIMEOUT_S };
});

/**
 * The most seconds a send may take. It begins half a lease after its claim at the latest, and ends at most a twentieth
 * of its time late (see `startDeadline`). Where the lease cannot be renewed, it runs out, and a window later the message
 * is sent again: by then the first send must be over.
 */
function maxSendTimeoutS(env: { DISPATCH_LEASE_S: number; UNCONFIRMED_WINDOW_S: number }): number {
  return Math.ceil((env.DISPATCH_LEASE_S / 2 + env.UNCONFIRMED_WINDOW_S) / 1.05) - 1;
}

function tooLongToSend(most: number): string {
  return `at most ${most} with this DISPATCH_LEASE_S and UNCONFIRMED_WINDOW_S: 1.05 of it must be less than half the ` +
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

/** The names of all settings. */
export const SETTINGS: readonly string[] = Object.keys(settingsSchema.shape);

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
    PUBLIC_URL: source.PUBLIC_URL || publicUrlOnSupabase(source),
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

function isDecodable(url: string): boolean {
  try {
    return decodeURIComponent(url) !== "";
  } catch {
    return false;
  }
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
