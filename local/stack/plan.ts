import type { Part } from "./choose_ports.ts";
import { StackError } from "./errors.ts";

/** The parts that this start runs, and those it finds elsewhere. */
export interface Plan {
  /** Set when a Postgres is configured; otherwise the embedded database is started. */
  databaseUrl: string | undefined;
  authServer: boolean;
  /** The simulated messaging platform. */
  messages: boolean;
  /** The simulated voice platform; both are in the sandbox. */
  calls: boolean;
  widgetHost: boolean;
  consoleHost: boolean;
  /** They have no port of their own configured, so they take the one after the other parts. */
  metrics: boolean;
  demo: boolean;
}

/**
 * Decides from the environment which parts need a stand-in.
 *
 * @throws StackError when a configured part lacks a setting that it needs
 */
export function makePlan(variables: Record<string, string>, options: { demo: boolean }): Plan {
  const databaseUrl = variables.DATABASE_URL || variables.SUPABASE_DB_URL || undefined;
  const authServer = !variables.SUPABASE_URL;
  const plan = {
    databaseUrl,
    authServer,
    messages: !variables.WHATSAPP_API_URL,
    calls: !variables.ELEVENLABS_API_URL,
    widgetHost: !variables.OUTBOUND_WIDGET_URL,
    consoleHost: !variables.OUTBOUND_CONSOLE_URL,
    metrics: !variables.OUTBOUND_METRICS_PORT,
    // A real database or auth server gets no user with a known password unless requested.
    demo: options.demo || (databaseUrl === undefined && authServer),
  };
  refuseIncomplete(plan, variables);
  return plan;
}

/** The parts that will listen on this machine. */
export function partsOf(plan: Plan): Part[] {
  const parts: [Part, boolean][] = [
    ["api", true],
    ["database", plan.databaseUrl === undefined],
    ["sandbox", plan.messages || plan.calls],
    ["widget", plan.widgetHost],
    ["console", plan.consoleHost],
    ["auth", plan.authServer],
    ["metrics", plan.metrics],
  ];
  return parts.flatMap(([part, wanted]) => wanted ? [part] : []);
}

function refuseIncomplete(plan: Plan, variables: Record<string, string>): void {
  if (plan.databaseUrl !== undefined && !variables.OUTBOUND_SECRETS_KEY) {
    throw new StackError(
      "OUTBOUND_SECRETS_KEY is not set: with DATABASE_URL, every process on that database needs the same one",
    );
  }
  if (!plan.authServer && !variables.SUPABASE_PUBLISHABLE_KEY && !variables.SUPABASE_ANON_KEY) {
    throw new StackError("SUPABASE_PUBLISHABLE_KEY is not set, and SUPABASE_URL needs it");
  }
  if (!plan.authServer && plan.demo && !variables.SUPABASE_SECRET_KEY) {
    throw new StackError(
      "SUPABASE_SECRET_KEY is not set, and --demo needs it to make a user at SUPABASE_URL",
    );
  }
}

/** One line per part: its stand-in, or the setting that configures it. */
export function describePlan(plan: Plan): string[] {
  const parts: [string, boolean, string, string][] = [
    ["Database", plan.databaseUrl === undefined, "embedded", "DATABASE_URL"],
    ["Log-in", plan.authServer, "local auth server", "SUPABASE_URL"],
    ["Messages", plan.messages, "sandbox, nothing leaves this machine", "WHATSAPP_API_URL"],
    ["Calls", plan.calls, "sandbox, no phone rings", "ELEVENLABS_API_URL"],
    ["Widgets", plan.widgetHost, "built and served here", "OUTBOUND_WIDGET_URL"],
    ["Console", plan.consoleHost, "built and served here", "OUTBOUND_CONSOLE_URL"],
  ];
  const width = Math.max(...parts.map(([name]) => name.length)) + 2;
  return parts.map(([name, standIn, what, variable]) =>
    `${name.padEnd(width)}${standIn ? `${what} (set ${variable} to replace it)` : `as set in ${variable}`}`
  );
}
