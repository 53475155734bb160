import type { JWK } from "jose";
import postgres from "postgres";
import { createHostCheck, refuseHost } from "../allowed_hosts.ts";
import { createAuthApp } from "./app.ts";
import { applyAuthSchema } from "./apply_schema.ts";
import { createTokenSigner } from "./token_signer.ts";

export interface StartAuthServerOptions {
  /** On 127.0.0.1; 0 takes a free one. */
  port: number;
  /** Names it may be called by besides those of this machine. */
  hosts?: string[];
  databaseUrl: string;
  /** `iss` of the tokens. @default the server's own `/auth/v1` */
  issuerUrl?: string;
  /** Private ES256 key with a `kid`. */
  signingKey: JWK;
  publishableKey: string;
  secretKey: string;
  /** Told about errors that are nobody's refusal. */
  onError?: (error: unknown) => void;
}

export interface AuthServer {
  /** What goes into SUPABASE_URL; the routes lie below `/auth/v1`. */
  url: string;
  close(): Promise<void>;
}

/**
 * Starts the stand-in for Supabase Auth: what supabase-js needs to log in, and to make users with the secret key.
 *
 * Its tables are those of Supabase, in the schema `auth` of the database given; they are made if they are missing.
 */
export async function startAuthServer(options: StartAuthServerOptions): Promise<AuthServer> {
  // The database may be behind a pooler that forgets prepared statements; logging in is rare enough to do without.
  const sql = postgres(options.databaseUrl, { max: 3, prepare: false, onnotice: () => {} });
  try {
    await applyAuthSchema(sql);
    const listening = Promise.withResolvers<string>();
    const signer = listening.promise.then((url) =>
      createTokenSigner(options.signingKey, options.issuerUrl ?? `${url}/auth/v1`)
    );
    const app = signer.then((signer) => createAuthApp({ ...options, sql, signer }, options));
    const isAllowedHost = createHostCheck(options.hosts);
    const server = Deno.serve({
      hostname: "127.0.0.1",
      port: options.port,
      onListen: ({ port }) => listening.resolve(`http://127.0.0.1:${port}`),
    }, async (request) => refuseHost(request, isAllowedHost) ?? await (await app).fetch(request));
    await app.catch(async (error) => {
      await server.shutdown();
      throw error;
    });
    return {
      url: await listening.promise,
      close: async () => {
        await server.shutdown();
        await sql.end({ timeout: 5 });
      },
    };
  } catch (error) {
    await sql.end({ timeout: 1 });
    throw error;
  }
}
