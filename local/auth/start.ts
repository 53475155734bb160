import type { JWK } from "jose";
import type postgres from "postgres";
import { connect } from "../../supabase/functions/_shared/db/driver/connect.ts";
import { createHostCheck, refuseHost } from "../allowed_hosts.ts";
import { createAuthApp } from "./app.ts";
import { createTokenSigner } from "./token_signer.ts";

export interface StartAuthServerOptions {
  /** On 127.0.0.1; 0 = any free port. */
  port: number;
  /** Accepted host names besides those of this machine. */
  hosts?: string[];
  databaseUrl: string;
  /** `iss` of the tokens. @default the server's own `/auth/v1` */
  issuerUrl?: string;
  /** Private ES256 key with a `kid`. */
  signingKey: JWK;
  publishableKey: string;
  secretKey: string;
  /** The console, where a person lets apps in. @default none: no app can ask */
  consoleUrl?: string | undefined;
  /** Called for unexpected errors. */
  onError?: (error: unknown) => void;
}

export interface AuthServer {
  /** The value for SUPABASE_URL; the routes are below `/auth/v1`. */
  url: string;
  close(): Promise<void>;
}

/**
 * Starts the stand-in for Supabase Auth: what supabase-js needs to log in, and to make users with the secret key. Makes
 * its tables, those of Supabase, in the schema `auth` of the database if they are missing.
 */
export async function startAuthServer(options: StartAuthServerOptions): Promise<AuthServer> {
  // A pooler in front of the database may lose prepared statements; log-ins are rare enough to do without.
  const sql = connect(options.databaseUrl, { max: 3, prepare: false });
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

/**
 * Makes the tables of `schema.sql` unless they exist.
 *
 * @throws Error when Supabase Auth itself keeps its tables in this database; two servers must not share them
 */
async function applyAuthSchema(sql: postgres.Sql): Promise<void> {
  const schema = await Deno.readTextFile(new URL("./schema.sql", import.meta.url));
  await sql.begin(async (transaction) => {
    await transaction`select pg_advisory_xact_lock(hashtext('outbound local auth schema'))`;
    const [row] = await transaction`select to_regclass('auth.schema_migrations') as theirs`;
    if (row?.theirs) throw new Error("This database belongs to a Supabase project: set SUPABASE_URL as well");
    await transaction.unsafe(schema).simple();
  });
}
