import type { Plan } from "./make_plan.ts";

/** One line for each part: the stand-in, or the real thing that was configured. */
export function describePlan(plan: Plan): string[] {
  const parts: [string, boolean, string, string][] = [
    ["Database", plan.databaseUrl === undefined, "embedded", "DATABASE_URL"],
    ["Log-in", plan.authServer, "local auth server", "SUPABASE_URL"],
    ["Messages", plan.messages, "sandbox, nothing leaves this machine", "WHATSAPP_API_URL"],
    ["Calls", plan.calls, "sandbox, no phone rings", "ELEVENLABS_API_URL"],
    ["Widgets", plan.widgetHost, "built and served here", "WIDGET_URL"],
  ];
  const width = Math.max(...parts.map(([name]) => name.length)) + 2;
  return parts.map(([name, standIn, what, variable]) =>
    `${name.padEnd(width)}${standIn ? `${what} (set ${variable} to replace it)` : `as set in ${variable}`}`
  );
}
