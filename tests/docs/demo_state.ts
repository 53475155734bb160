import postgres from "postgres";
import type { StackFile } from "./with_documented_stack.ts";

/** The tables that say how a company is set up, or what it knows about people. The others are history. */
const TABLES = [
  ...["api_keys", "publishable_keys", "memberships", "senders", "templates", "voice_agents", "webhooks"],
  ...["widgets", "knowledge_documents", "contact_rules", "suppressions", "consents", "erased_contacts"],
  ...["canned_replies", "media_files"],
];

/** Any use of the company changes these. */
const VOLATILE = /(_at|_xid|^last_used_address)$/;

const CONTROLS = ["settings", "faults", "voice/settings", "voice/faults", "voice/outcomes"]
  .concat(["voice-sessions/settings", "voice-sessions/faults"]);

/** Parts of the demo, each as text. */
export type DemoState = Record<string, string>;

/** Reads how the demo company is set up, the settings of all companies, and those of the sandbox. */
export async function readDemoState({ database_url, sandbox_url, demo }: StackFile): Promise<DemoState> {
  const sql = postgres(database_url, { max: 1, onnotice: () => {} });
  const state: DemoState = {};
  try {
    const rows = async (table: string, company?: string) =>
      (await sql`select to_jsonb(t) as row from outbound.${sql(table)} as t
        where ${company === undefined ? sql`true` : sql`t.company_id = ${company}`}`)
        // Files of people are history, as their messages are.
        .filter(({ row }) => !row.lifted_at && !row.message_id).map(({ row }) => describe(row)).sort().join(
          "\n",
        );
    for (const table of TABLES) state[table] = await rows(table, demo.company_id);
    state.rates = await rows("rates");
    const closed =
      await sql`select from outbound.settings where name = 'maintenance' and value @> '{"on": true}'`;
    state.maintenance = String(closed.length);
    const companies =
      await sql`select to_jsonb(t) as row from outbound.companies as t where t.id = ${demo.company_id}`;
    state.companies = companies.map(({ row }) => describe(row)).join("\n");
    const open = await sql`select name from outbound.campaigns
      where company_id = ${demo.company_id} and completed_at is null order by name`;
    state["open campaigns"] = open.map(({ name }) => name).join("\n");
  } finally {
    await sql.end();
  }
  for (const control of CONTROLS) {
    state[`the sandbox's ${control}`] = await (await fetch(`${sandbox_url}/sandbox/${control}`)).text();
  }
  return state;
}

/** Returns what differs, one line per part. */
export function differences(before: DemoState, after: DemoState): string[] {
  return Object.keys(before).filter((part) => before[part] !== after[part]).map((part) =>
    `${part}:\n- ${before[part]}\n+ ${after[part]}`
  );
}

function describe(row: Record<string, unknown>): string {
  return JSON.stringify(Object.entries(row).filter(([name]) => !VOLATILE.test(name)));
}
