import type { Part } from "./choose_ports.ts";
import { StackError } from "./stack_error.ts";

/** Which parts this start brings along, and which it finds elsewhere. */
export interface Plan {
  /** Set when a Postgres was given; otherwise the embedded database is started. */
  databaseUrl: string | undefined;
  authServer: boolean;
  /** The simulated messaging platform. */
  messages: boolean;
  /** The simulated voice platform; both are in the sandbox. */
  calls: boolean;
  widgetHost: boolean;
  demo: boolean;
}

/**
 * Decides from the environment what has to be stood in for.
 *
 * @throws StackError when what was given lacks something that belongs to it
 */
export function makePlan(variables: Record<string, string>, options: { demo: boolean }): Plan {
  const databaseUrl = variables.DATABASE_URL || variables.SUPABASE_DB_URL || undefined;
  const authServer = !variables.SUPABASE_URL;
  const plan = {
    databaseUrl,
    authServer,
    messages: !variables.WHATSAPP_API_URL,
    calls: !variables.ELEVENLABS_API_URL,
    widgetHost: !variables.WIDGET_URL,
    // A user with a known password belongs on nobody's real database or auth server unless asked for.
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
    ["auth", plan.authServer],
  ];
  return parts.flatMap(([part, wanted]) => wanted ? [part] : []);
}

function refuseIncomplete(plan: Plan, variables: Record<string, string>): void {
  if (plan.databaseUrl !== undefined && !variables.SECRETS_KEY) {
    throw new StackError(
      "SECRETS_KEY is not set: with DATABASE_URL, everybody who works on that database needs the same one",
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
