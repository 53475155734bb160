import { join } from "node:path";
import { describeDatabaseError } from "../../cli/errors/describe_database_error.ts";
import { applyMigrations } from "../../cli/migrations/apply.ts";
import { LineageError } from "../../cli/migrations/history.ts";
import { adaptToPooler, checkDatabase, checkSecretsKey } from "../../cli/service/open_services.ts";
import { runService } from "../../cli/service/run_service.ts";
import { openTracing } from "../../cli/tracing/open_tracing.ts";
import { loadEnv } from "../../supabase/functions/_shared/env.ts";
import { describeError, type WriteLine } from "../../supabase/functions/_shared/log.ts";
import { createServices, type Services } from "../../supabase/functions/_shared/services.ts";
import { functionsUrl, ROOT } from "../../supabase/functions/_shared/values/urls.ts";
import { readLocalHosts } from "../allowed_hosts.ts";
import { startAuthServer } from "../auth/start.ts";
import { DEMO_SESSION_AGENT, demoAccount, demoVoiceAccount } from "../demo/demo_data.ts";
import { type Demo, makeDemo } from "../demo/make_demo.ts";
import { startConsoleHost } from "../console_host/start.ts";
import { startSandbox } from "../sandbox/start.ts";
import { startWidgetHost } from "../widget_host/start.ts";
import type { Ports } from "./choose_ports.ts";
import type { OpenDatabase } from "./open_database.ts";
import type { Plan } from "./plan.ts";
import { withProgress } from "./progress.ts";
import type { Secrets } from "./secrets.ts";
import { StackError } from "./errors.ts";

export interface StackOptions {
  /** The environment as the user set it, without empty variables. */
  variables: Record<string, string>;
  home: string;
  plan: Plan;
  ports: Ports;
  secrets: Secrets;
  database: OpenDatabase;
  print: (line: string) => void;
  /** Takes the lines of the service's log. */
  writeLog: WriteLine;
}

export interface Stack {
  baseUrl: string;
  databaseUrl: string;
  authUrl: string;
  sandboxUrl: string | undefined;
  widgetUrl: string;
  widgetPage: string | undefined;
  consoleUrl: string;
  metricsUrl: string | undefined;
  demo: Demo | undefined;
  /** Finishes the work under way and ends all parts, the database last. */
  stop(): Promise<void>;
}

const HOSTNAME = "127.0.0.1";

/**
 * Starts every part of the plan beside the database, in the order of their dependencies, and returns when all of them
 * work. Closes the database when it fails.
 *
 * @throws StackError when a configured part cannot be used
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const stops: (() => Promise<void>)[] = [options.database.close];
  const stop = async () => {
    for (const end of stops.splice(0).reverse()) await end();
  };
  try {
    return { ...await startParts(options, stops), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(
  options: StackOptions,
  stops: (() => Promise<void>)[],
): Promise<Omit<Stack, "stop">> {
  const { ports, plan, variables, print } = options;
  const databaseUrl = options.database.url;
  const services = await openServices(options, databaseUrl);
  stops.push(() => services.sql.end({ timeout: 1 }));
  await prepareDatabase(options, services, databaseUrl);
  const wrongKey = await checkSecretsKey(services);
  if (wrongKey) throw new StackError(wrongKey);
  if (plan.authServer) stops.push(await authServer(options, services, databaseUrl));
  const simulated = plan.messages || plan.calls;
  if (simulated) stops.push(await sandbox(options));
  const demo = plan.demo
    ? await withProgress("Making demo data", print, () => demoData(options, services))
    : undefined;
  const service = await runService(services, {
    hostname: HOSTNAME,
    port: ports.api,
    metrics: { hostname: HOSTNAME, port: services.env.OUTBOUND_METRICS_PORT ?? ports.metrics },
  });
  stops.push(service.stop);
  if (plan.widgetHost) stops.push(await widgetHost(options, services, demo));
  if (plan.consoleHost) stops.push(await consoleHost(options, services));
  return {
    baseUrl: `http://${HOSTNAME}:${ports.api}${ROOT}`,
    databaseUrl,
    authUrl: variables.SUPABASE_URL || localUrl(ports.auth),
    sandboxUrl: simulated ? localUrl(ports.sandbox) : undefined,
    widgetUrl: variables.OUTBOUND_WIDGET_URL || localUrl(ports.widget),
    widgetPage: plan.widgetHost && demo ? `${localUrl(ports.widget)}/` : undefined,
    consoleUrl: services.env.OUTBOUND_CONSOLE_URL!,
    metricsUrl: service.metricsUrl,
    demo,
  };
}

/** Opens the services with the user's settings; the stand-ins fill in the rest. */
async function openServices(
  { variables, home, plan, ports, secrets, writeLog }: StackOptions,
  databaseUrl: string,
): Promise<Services> {
  const { SUPABASE_PUBLISHABLE_KEY, SUPABASE_SECRET_KEY, WHATSAPP_APP_SECRET, WHATSAPP_VERIFY_TOKEN } =
    secrets;
  const { ELEVENLABS_WEBHOOK_SECRET } = secrets;
  const env = loadEnv({
    OUTBOUND_SECRETS_KEY: secrets.OUTBOUND_SECRETS_KEY,
    OUTBOUND_DISPATCH_SECRET: secrets.OUTBOUND_DISPATCH_SECRET,
    OUTBOUND_VAPID_PUBLIC_KEY: secrets.VAPID_KEYS.publicKey,
    OUTBOUND_VAPID_PRIVATE_KEY: secrets.VAPID_KEYS.privateKey,
    OUTBOUND_PUBLIC_URL: localUrl(ports.api),
    OUTBOUND_MEDIA_FOLDER: join(home, "media"),
    ...(plan.widgetHost && { OUTBOUND_WIDGET_URL: localUrl(ports.widget) }),
    ...(plan.consoleHost && { OUTBOUND_CONSOLE_URL: localUrl(ports.console) }),
    ...(plan.databaseUrl === undefined && { OUTBOUND_ALLOW_PRIVATE_WEBHOOKS: "true" }),
    ...variables,
    ...(plan.authServer && {
      SUPABASE_URL: localUrl(ports.auth),
      SUPABASE_PUBLISHABLE_KEY,
      SUPABASE_SECRET_KEY,
    }),
    ...(plan.messages && {
      WHATSAPP_API_URL: localUrl(ports.sandbox),
      WHATSAPP_APP_SECRET,
      WHATSAPP_VERIFY_TOKEN,
    }),
    ...(plan.calls && {
      ELEVENLABS_API_URL: localUrl(ports.sandbox),
      ELEVENLABS_API_KEY: secrets.SANDBOX_VOICE_KEY,
      ELEVENLABS_WEBHOOK_SECRET,
    }),
    DATABASE_URL: databaseUrl,
  });
  return createServices(env, {
    tracing: await openTracing(env),
    writeLog,
    // The embedded database runs one statement at a time, so that a long one, such as a migration, keeps it silent.
    ...plan.databaseUrl === undefined && { maxQueryMs: Infinity },
  });
}

/** Applies migrations on the embedded database only; on any other, they are the operator's. */
async function prepareDatabase(
  { plan, print, home }: StackOptions,
  services: Services,
  databaseUrl: string,
): Promise<void> {
  const { sql } = services;
  if (plan.databaseUrl === undefined) {
    await withProgress("Applying migrations", print, () => applyMigrations(sql)).catch((error) => {
      throw error instanceof LineageError ? new StackError(preReleaseMessage(home)) : error;
    });
    return;
  }
  const problem = await checkDatabase(sql, databaseUrl);
  if (problem) throw new StackError(problem);
  await adaptToPooler(services);
}

function preReleaseMessage(home: string): string {
  return `OUTBOUND_HOME ${home} was made by a pre-release version, whose data cannot be taken over: remove it, or set ` +
    `OUTBOUND_HOME to another folder`;
}

async function authServer(
  { ports, secrets, variables }: StackOptions,
  { log, env }: Services,
  databaseUrl: string,
): Promise<() => Promise<void>> {
  try {
    const server = await startAuthServer({
      port: ports.auth,
      hosts: readLocalHosts(variables.OUTBOUND_LOCAL_HOSTS),
      databaseUrl,
      signingKey: secrets.AUTH_SIGNING_KEY,
      publishableKey: secrets.SUPABASE_PUBLISHABLE_KEY,
      secretKey: secrets.SUPABASE_SECRET_KEY,
      consoleUrl: env.OUTBOUND_CONSOLE_URL,
      onError: (error) => log.error("auth server: unexpected error", describeError(error)),
    });
    return server.close;
  } catch (error) {
    throw new StackError(`The local auth server cannot start: ${describeDatabaseError(error, databaseUrl)}`);
  }
}

async function sandbox(
  { home, plan, ports, secrets, variables }: StackOptions,
): Promise<() => Promise<void>> {
  const webhooks = `${localUrl(ports.api)}${ROOT}/webhooks`;
  const server = await startSandbox({
    port: ports.sandbox,
    hosts: readLocalHosts(variables.OUTBOUND_LOCAL_HOSTS),
    directory: join(home, "sandbox"),
    webhookUrl: `${webhooks}/whatsapp`,
    appSecret: secrets.WHATSAPP_APP_SECRET,
    // Long enough to see it pending.
    reviewMs: 4000,
    accounts: plan.messages ? [demoAccount(secrets.SANDBOX_TOKEN)] : [],
    voice: {
      webhookUrl: `${webhooks}/voice`,
      webhookSecret: secrets.ELEVENLABS_WEBHOOK_SECRET,
      accounts: plan.calls ? [demoVoiceAccount(secrets.SANDBOX_VOICE_KEY)] : [],
    },
    voiceSessions: {
      accounts: plan.calls ? [{ apiKey: secrets.SANDBOX_VOICE_KEY, agents: [DEMO_SESSION_AGENT] }] : [],
    },
  });
  return () => server.close();
}

/** Starts the widget host, last, so that its build does not slow down the start of the others. */
async function widgetHost(
  { home, ports, variables }: StackOptions,
  { env, log }: Services,
  demo: Demo | undefined,
): Promise<() => Promise<void>> {
  const host = await startWidgetHost({
    port: ports.widget,
    hosts: readLocalHosts(variables.OUTBOUND_LOCAL_HOSTS),
    directory: join(home, "widget"),
    target: {
      apiUrl: functionsUrl(env.OUTBOUND_PUBLIC_URL!),
      platformUrls: [env.ELEVENLABS_API_URL, ...(env.LIVEKIT_URL ? [env.LIVEKIT_URL] : [])],
    },
    demo: demo && {
      publishableKey: demo.publishable_key,
      chatWidgetId: demo.chat_widget_id,
      voiceWidgetId: demo.voice_widget_id,
      console: { companyUrl: `${env.OUTBOUND_CONSOLE_URL}/#/${demo.company_id}`, email: demo.email },
    },
    onError: (reason) => log.error("the widgets cannot be built", { reason }),
  });
  return () => host.close();
}

async function consoleHost(
  { home, ports, variables, plan }: StackOptions,
  { env, log }: Services,
): Promise<() => Promise<void>> {
  const host = await startConsoleHost({
    port: ports.console,
    hosts: readLocalHosts(variables.OUTBOUND_LOCAL_HOSTS),
    directory: join(home, "console"),
    apiUrl: functionsUrl(env.OUTBOUND_PUBLIC_URL!),
    platformUrls: env.LIVEKIT_URL ? [env.LIVEKIT_URL] : [],
    isSandbox: plan.messages,
    onError: (reason) => log.error("the console cannot be built", { reason }),
  });
  return () => host.close();
}

async function demoData({ plan, secrets }: StackOptions, services: Services): Promise<Demo> {
  const { env, sql, sealer } = services;
  return await makeDemo({
    sql,
    sealer,
    supabaseUrl: env.SUPABASE_URL!,
    supabaseSecretKey: env.SUPABASE_SECRET_KEY!,
    whatsapp: { apiUrl: env.WHATSAPP_API_URL, apiVersion: env.WHATSAPP_API_VERSION },
  }, {
    password: secrets.DEMO_PASSWORD,
    sandboxToken: plan.messages ? secrets.SANDBOX_TOKEN : undefined,
    sandboxVoiceKey: plan.calls ? secrets.SANDBOX_VOICE_KEY : undefined,
  });
}

/** Builds the URL of a part of this machine. */
function localUrl(port: number): string {
  return `http://${HOSTNAME}:${port}`;
}
