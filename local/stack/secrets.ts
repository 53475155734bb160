import { join } from "node:path";
import { makeVapidKeys } from "../../supabase/functions/_shared/crypto/vapid.ts";
import { newSigningKey } from "../auth/token_signer.ts";
import { z } from "zod";
import { StackError } from "./errors.ts";
import { writePrivateFile } from "./home.ts";

const text = z.string().min(1);

const secretsSchema = z.object({
  OUTBOUND_SECRETS_KEY: z.string().min(32),
  SUPABASE_PUBLISHABLE_KEY: text,
  SUPABASE_SECRET_KEY: text,
  WHATSAPP_APP_SECRET: text,
  WHATSAPP_VERIFY_TOKEN: text,
  /** Signs the simulated voice platform's events. */
  ELEVENLABS_WEBHOOK_SECRET: text,
  OUTBOUND_DISPATCH_SECRET: z.string().min(16),
  DATABASE_PASSWORD: text,
  /** The access token of the sandbox's account. */
  SANDBOX_TOKEN: text,
  /** The API key of its voice account. */
  SANDBOX_VOICE_KEY: text,
  DEMO_PASSWORD: text,
  /** Private ES256 key; signs the local auth server's tokens. */
  AUTH_SIGNING_KEY: z.looseObject({ kid: text, d: text }),
  /** By which push services know this stack. */
  VAPID_KEYS: z.object({ publicKey: text, privateKey: text }),
});

/** The secrets of the stand-ins. */
export type Secrets = z.infer<typeof secretsSchema>;

/**
 * Reads the secrets of a home and makes the missing ones. They stay the same from start to start.
 *
 * @throws StackError when the file is there and is damaged
 */
export async function loadSecrets(home: string): Promise<Secrets> {
  const file = join(home, "secrets.json");
  const stored = await readStored(file);
  const complete = Object.keys(secretsSchema.shape).every((name) => name in stored);
  const secrets = secretsSchema.safeParse(complete ? stored : { ...await makeSecrets(), ...stored });
  if (!secrets.success) throw damaged(file);
  if (!complete) await writePrivateFile(file, `${JSON.stringify(secrets.data, null, 2)}\n`);
  return secrets.data;
}

async function readStored(file: string): Promise<Record<string, unknown>> {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(await Deno.readTextFile(file)));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return {};
    throw damaged(file);
  }
}

async function makeSecrets(): Promise<Secrets> {
  return {
    OUTBOUND_SECRETS_KEY: random(32),
    SUPABASE_PUBLISHABLE_KEY: `sb_publishable_${random(16)}`,
    SUPABASE_SECRET_KEY: `sb_secret_${random(24)}`,
    WHATSAPP_APP_SECRET: random(24),
    WHATSAPP_VERIFY_TOKEN: random(24),
    ELEVENLABS_WEBHOOK_SECRET: `wsec_${random(32)}`,
    OUTBOUND_DISPATCH_SECRET: random(24),
    DATABASE_PASSWORD: random(24),
    SANDBOX_TOKEN: `EAA${random(32)}`,
    SANDBOX_VOICE_KEY: `sk_${random(24)}`,
    DEMO_PASSWORD: random(9),
    AUTH_SIGNING_KEY: await newSigningKey(),
    VAPID_KEYS: await makeVapidKeys(),
  };
}

/** Letters and digits only, so that it needs no quotes in a URL or a shell command. */
function random(bytes: number): string {
  return crypto.getRandomValues(new Uint8Array(bytes)).toHex();
}

function damaged(file: string): StackError {
  return new StackError(`${file} cannot be read: repair it, or remove it and the data that was made with it`);
}
