import { DEMO_CUSTOMER } from "../demo/demo_data.ts";
import type { Demo } from "../demo/make_demo.ts";

export interface BannerFacts {
  baseUrl: string;
  /** Absent when the messaging platform is a real one. */
  sandboxUrl: string | undefined;
  /** A page with the demo company's widgets; absent when they are hosted elsewhere, or without that company. */
  widgetPage: string | undefined;
  consoleUrl: string;
  demo: Demo | undefined;
  /** Each part with its stand-in, one line each. */
  standIns: string[];
  /** The file with the log of this start. */
  log: string;
}

/** Writes the text that a person needs once everything runs; its commands work as pasted into a shell. */
export function banner(
  { baseUrl, sandboxUrl, widgetPage, consoleUrl, demo, standIns, log }: BannerFacts,
): string {
  const rows: [string, string][] = [["Console", consoleUrl], ["API", baseUrl], ["Docs", `${baseUrl}/docs`]];
  if (sandboxUrl) rows.push(["Phones", `${sandboxUrl}/`], ["Calls", `${sandboxUrl}/calls`]);
  if (widgetPage) rows.push(["Widgets", widgetPage]);
  rows.push(["Log", log]);
  if (demo) rows.push(["Log in as", `${demo.email}  ${demo.password}`]);
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  const table = rows.map(([name, value]) => `  ${name.padEnd(width)}${value}`);
  const examples = demo
    ? ["", ...exampleCommands(baseUrl, demo).flatMap(([what, line]) => [`  ${what}:`, line])]
    : [];
  return [
    "",
    "outbound is running",
    "",
    ...table,
    "",
    ...standIns.map((line) => `  ${line}`),
    ...examples,
    "",
    "  Ctrl-C ends it",
  ].join("\n");
}

/** Three commands, each with its purpose. The third uses a variable that the second sets. */
function exampleCommands(baseUrl: string, demo: Demo): [string, string][] {
  const login = JSON.stringify({ email: demo.email, password: demo.password });
  const commands: [string, string][] = [
    [
      "Log in",
      `curl -sS '${baseUrl}/auth?grant_type=password' -H 'Content-Type: application/json' -d '${login}'; echo`,
    ],
  ];
  if (!demo.sender) return commands;
  const message = JSON.stringify({
    contact: DEMO_CUSTOMER,
    name_template: "order_update",
    language_template: "en_US",
    recipient_id: demo.sender,
    notification_type: "utility",
    campaign_name: "First steps",
    components_push: { body_text_0: "{{name}}", body_text_1: "A-1042" },
  });
  const key = `access_key=${demo.access_key}`;
  commands.push([
    "Send a message",
    `RESPONSE=$(curl -sS '${baseUrl}/notify?${key}' -H 'Content-Type: application/json' -d '${message}'); echo "$RESPONSE"`,
  ], [
    "See how it goes",
    `curl -sS "${baseUrl}/notify/status?${key}&campaign_id=` +
    `$(echo "$RESPONSE" | sed 's/.*"inquiry_set_id":"\\([^"]*\\)".*/\\1/')"; echo`,
  ]);
  return commands;
}
