import { type Env, EnvError, loadEnv } from "../../supabase/functions/_shared/env.ts";
import { NEEDED_SETTINGS, SETTINGS } from "../../supabase/functions/_shared/settings.ts";
import { readSecretsKeys } from "../../supabase/functions/_shared/crypto/secrets_keys.ts";
import { LOOPBACK_HOSTS } from "../../supabase/functions/_shared/values/urls.ts";
import { failed, type Finding, ok, warning } from "./finding.ts";

const CHECK = "settings";

/** A random key of 32 characters has far more. */
const MIN_DISTINCT_CHARACTERS = 12;

/** The settings as the checks use them; `env` is undefined when they are not complete. */
export interface CheckedSettings {
  findings: Finding[];
  env: Env | undefined;
}

/**
 * Checks that settings are there, well-formed and not dangerous.
 *
 * @param isStack they come from `deno task start`, whose stand-ins need none and are on this machine
 */
export function checkSettings(
  variables: Record<string, string | undefined>,
  { isStack }: { isStack: boolean },
): CheckedSettings {
  const known = { ...variables, DATABASE_URL: variables.DATABASE_URL || variables.SUPABASE_DB_URL };
  const missing = isStack ? [] : NEEDED_SETTINGS.filter((name) => !known[name as keyof typeof known]);
  const findings = missing.length === 0 ? [] : [
    failed(
      CHECK,
      `missing: ${missing.join(", ")}`,
      "Set them in the environment of every process: docs/settings.md.",
    ),
  ];
  try {
    const env = loadEnv(known);
    const risks = isStack ? [] : dangerous(env);
    const count = SETTINGS.filter((name) => variables[name]).length;
    if (findings.length + risks.length === 0) {
      findings.push(ok(CHECK, `${count} set, none is missing or malformed`));
    }
    return { findings: [...findings, ...risks], env };
  } catch (error) {
    if (!(error instanceof EnvError)) throw error;
    const others = error.variables.filter((name) => !missing.includes(name));
    if (others.length > 0) {
      findings.push(
        failed(CHECK, `malformed: ${others.join(", ")}`, `${error.message.split(": ").slice(1).join(": ")}.`),
      );
    }
    return { findings, env: undefined };
  }
}

/** Returns a warning for each setting that works and should be another in production. */
function dangerous(env: Env): Finding[] {
  const keys = readSecretsKeys(env.OUTBOUND_SECRETS_KEY);
  const rules: [isDangerous: boolean, text: string, todo: string][] = [
    [
      new Set(env.OUTBOUND_SECRETS_KEY).size < MIN_DISTINCT_CHARACTERS,
      "OUTBOUND_SECRETS_KEY looks guessable",
      "Take a random one (openssl rand -base64 48) and rotate: docs/operations.md#change-outbound_secrets_key.",
    ],
    [
      keys.length > 1,
      "OUTBOUND_SECRETS_KEY holds several keys",
      "Finish the change of the key: deno task admin secrets status.",
    ],
    [
      isPlainPostgres(env.DATABASE_URL),
      "DATABASE_URL leads to another machine without encryption",
      "Add ?sslmode=verify-full: docs/operations.md#tls-to-postgres.",
    ],
    [
      isPlainHttp(env.OUTBOUND_PUBLIC_URL),
      "OUTBOUND_PUBLIC_URL is not https",
      "Put a proxy with TLS in front: docs/operations.md#reverse-proxy.",
    ],
    [
      isPlainHttp(env.WHATSAPP_API_URL) || isPlainHttp(env.ELEVENLABS_API_URL),
      "a platform is reached without TLS",
      "Take WHATSAPP_API_URL and ELEVENLABS_API_URL away, or make them https: tokens go there.",
    ],
    [
      env.OUTBOUND_ALLOW_PRIVATE_WEBHOOKS,
      "OUTBOUND_ALLOW_PRIVATE_WEBHOOKS is true: companies can make the service send requests into your network",
      "Take it away, unless every company is your own.",
    ],
    [
      env.OUTBOUND_TRUSTED_PROXIES === 0 && env.OUTBOUND_PUBLIC_URL?.startsWith("https:") === true,
      "OUTBOUND_TRUSTED_PROXIES is 0, but something in front ends TLS: all visitors count as one",
      "Set it to the number of proxies that add to X-Forwarded-For.",
    ],
    [
      env.OUTBOUND_LOG_LEVEL === "silent" || env.OUTBOUND_LOG_LEVEL === "error",
      `OUTBOUND_LOG_LEVEL is ${env.OUTBOUND_LOG_LEVEL}: outages leave no trace`,
      "Set it to info or warn.",
    ],
  ];
  return rules.flatMap(([isDangerous, text, todo]) => isDangerous ? warning(CHECK, text, todo) : []);
}

/** A name without a dot is one of a network of containers. */
function isPlainPostgres(url: string): boolean {
  const { hostname, searchParams } = new URL(url);
  const isRemote = /[.:]/.test(hostname) && !LOOPBACK_HOSTS.has(hostname);
  const mode = searchParams.get("sslmode") ?? (searchParams.has("sslrootcert") ? "verify-ca" : "");
  return isRemote && !/^(require|verify-)/.test(mode);
}

function isPlainHttp(url: string | undefined): boolean {
  const parsed = url === undefined ? null : URL.parse(url);
  return parsed?.protocol === "http:" && !LOOPBACK_HOSTS.has(parsed.hostname);
}
