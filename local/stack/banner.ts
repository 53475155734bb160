import type { Demo } from "../demo/make_demo.ts";
import { DEMO_CUSTOMER } from "../demo/demo_account.ts";

export interface BannerFacts {
  baseUrl: string;
  /** Absent when the messaging platform is a real one. */
  sandboxUrl: string | undefined;
  /** A page with the demo company's widgets; absent when they are hosted elsewhere, or there is no such company. */
  widgetPage: string | undefined;
  demo: Demo | undefined;
  /** What stands in for what, one line each. */
  standIns: string[];
}

/** What a person needs to know once everything runs; the commands work as pasted into a shell. */
export function banner({ baseUrl, sandboxUrl, widgetPage, demo, standIns }: BannerFacts): string {
  const rows: [string, string][] = [["API", baseUrl], ["Docs", `${baseUrl}/docs`]];
  if (sandboxUrl) rows.push(["Phones", `${sandboxUrl}/`], ["Calls", `${sandboxUrl}/calls`]);
  if (widgetPage) rows.push(["Widgets", widgetPage]);
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

/** Three commands with what they do. The third uses what the second left in the shell. */
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
    `ANSWER=$(curl -sS '${baseUrl}/notify?${key}' -H 'Content-Type: application/json' -d '${message}'); echo "$ANSWER"`,
  ], [
    "See how it goes",
    `curl -sS "${baseUrl}/notify/status?${key}&campaign_id=` +
    `$(echo "$ANSWER" | sed 's/.*"inquiry_set_id":"\\([^"]*\\)".*/\\1/')"; echo`,
  ]);
  return commands;
}
