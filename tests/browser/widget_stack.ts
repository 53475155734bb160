import { CLI } from "../../supabase/functions/_shared/db/access/audit.ts";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { connect } from "../../supabase/functions/_shared/db/driver/connect.ts";
import { insertWidget, updateWidgetSettings } from "../../supabase/functions/_shared/db/widgets/widgets.ts";
import { closeConversation } from "../../supabase/functions/_shared/db/widgets/conversations.ts";
import { eventually } from "../setup/eventually.ts";
import { insertCompany, insertInvitation } from "../setup/fixtures/fixtures.ts";
import { type RunningStart, withStart } from "../start/run_start.ts";
import { findChromium } from "./find_chromium.ts";
import { freePorts } from "./free_ports.ts";

/** `deno task start` and a browser, for all tests of a file. */
export interface WidgetStack {
  browser: Browser;
  apiUrl: string;
  widgetUrl: string;
  consoleUrl: string;
  sandboxUrl: string;
  databaseUrl: string;
  demo: NonNullable<RunningStart["stack"]["demo"]>;
  /** Makes a chat widget of the demo company and returns its id. */
  makeWidget(config: Record<string, unknown>, allowedOrigins?: string[]): Promise<string>;
  /** Sets how many conversations per day visitors may open with a widget. */
  capConversations(widgetId: string, conversations: number): Promise<void>;
  /** Writes as the company, into the visitor's only conversation that holds `text`: a text, with other fields of a message. */
  reply(
    text: string,
    message: string | Record<string, unknown>,
    extras?: Record<string, unknown>,
  ): Promise<void>;
  /** `POST` below that conversation, with the company's key. */
  act(text: string, what: string, body: Record<string, unknown>): Promise<void>;
  /** Stores replies in that conversation until it has `count` messages: `message 2`, `message 3` … */
  fill(text: string, count: number): Promise<void>;
  /** Moves the messages of that conversation to a time. */
  age(text: string, to: string): Promise<void>;
  /** Uploads a file as the company, and returns its id. */
  upload(bytes: Uint8Array<ArrayBuffer>, type: string, name: string): Promise<string>;
  /** The texts of that conversation, with who wrote them, as the API has them. */
  conversation(text: string): Promise<string[]>;
  /** The page on which that conversation was opened, as the operator commands show it. */
  pageOf(text: string): Promise<{ url: string | null; title: string | null }>;
  /** Ends that conversation, as the company. */
  end(text: string): Promise<void>;
  /** Returns the link that the login service would e-mail; it has no mail server here. */
  emailedLink(email: string, type: "invite" | "recovery"): Promise<string>;
  /** Invites the demo user to a new company, as an operator. */
  inviteDemoUser(company: string): Promise<void>;
  /** Ends the service; the browser stays. */
  halt(): Promise<void>;
  /** Starts it again where it was. */
  resume(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a browser; undefined when this machine has none of its kind. */
export type Launch = () => Promise<Browser | undefined>;

async function launchChromium(): Promise<Browser | undefined> {
  const executablePath = findChromium();
  if (executablePath === undefined) return undefined;
  return await chromium.launch({ executablePath, args: FLAGS });
}

/** Starts them; undefined when this machine has no such browser. */
export async function startWidgetStack(launch: Launch = launchChromium): Promise<WidgetStack | undefined> {
  const browser = await launch();
  if (browser === undefined) return undefined;
  const folder = await Deno.makeTempDir({ prefix: "outbound-test-" });
  const env = { OUTBOUND_HOME: join(folder, "home"), PORT: String(freePorts()) };
  let running = await run(env);
  const { base_url: apiUrl, widget_url: widgetUrl, console_url: consoleUrl, demo } = running.start.stack;
  const key = demo!.access_key;

  /** The id is nowhere on the page, so it is looked up by what was written. */
  async function find(text: string): Promise<string> {
    const sql = connect(running.start.stack.database_url, { max: 1 });
    try {
      return await eventually(async () => {
        const rows =
          await sql`select conversation_id from outbound.conversation_messages where text = ${text}`;
        if (rows.length === 0) throw new Error(`No conversation holds ${text}`);
        return rows[0]!.conversation_id;
      });
    } finally {
      await sql.end();
    }
  }

  const urlOf = async (text: string, what = "messages") =>
    `${apiUrl}/widget/conversations/${await find(text)}/${what}?access_key=${key}`;

  async function act(text: string, what: string, body: Record<string, unknown>): Promise<void> {
    const response = await fetch(await urlOf(text, what), {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(await response.text());
    await response.body?.cancel();
  }

  return {
    browser,
    apiUrl,
    widgetUrl,
    consoleUrl,
    sandboxUrl: running.start.stack.sandbox_url!,
    databaseUrl: running.start.stack.database_url,
    demo: demo!,
    async capConversations(widgetId, conversations) {
      const sql = connect(running.start.stack.database_url, { max: 1 });
      try {
        await updateWidgetSettings(sql, { companyId: demo!.company_id, widgetId }, {
          caps: { conversations },
        }, CLI);
      } finally {
        await sql.end();
      }
    },
    async makeWidget(config, allowedOrigins = []) {
      const sql = connect(running.start.stack.database_url, { max: 1 });
      try {
        const widget = {
          companyId: demo!.company_id,
          kind: "chat" as const,
          name: "Test",
          config,
          allowed_origins: allowedOrigins,
        };
        return (await insertWidget(sql, widget, CLI)).widget_id;
      } finally {
        await sql.end();
      }
    },
    reply: (text, message, extras = {}) =>
      act(text, "messages", {
        client_message_id: crypto.randomUUID(),
        ...(typeof message === "string" ? { text: message } : message),
        ...extras,
      }),
    act,
    async fill(text, count) {
      const conversationId = await find(text);
      const sql = connect(running.start.stack.database_url, { max: 1 });
      try {
        await sql`
          with added as (
            insert into outbound.conversation_messages (company_id, conversation_id, sequence, author, text, created_at)
            select c.company_id, c.id, n, 'operator', 'message ' || n, now()
            from outbound.conversations as c, generate_series(c.last_sequence + 1, ${count}) as n
            where c.id = ${conversationId}
            returning sequence
          )
          update outbound.conversations as c
          set last_sequence = ${count}, last_author = 'operator', last_message_at = now()
          from (select count(*) from added) as done where c.id = ${conversationId}`;
      } finally {
        await sql.end();
      }
    },
    async age(text, to) {
      const conversationId = await find(text);
      const sql = connect(running.start.stack.database_url, { max: 1 });
      await sql`update outbound.conversation_messages set created_at = ${to} where conversation_id = ${conversationId}`;
      await sql.end();
    },
    async upload(bytes, type, name) {
      const response = await fetch(
        `${apiUrl}/manage/companies/mine/media?file_name=${name}&access_key=${key}`,
        {
          method: "POST",
          headers: { "Content-Type": type },
          body: bytes,
        },
      );
      if (!response.ok) throw new Error(await response.text());
      return (await response.json()).media_id;
    },
    async conversation(text) {
      const { messages } = await (await fetch(await urlOf(text))).json();
      return messages.map((message: { author: string; text: string }) =>
        `${message.author}: ${message.text}`
      );
    },
    async pageOf(text) {
      const conversationId = await find(text);
      const sql = connect(running.start.stack.database_url, { max: 1 });
      try {
        const [page] = await sql<{ url: string | null; title: string | null }[]>`
          select page_url as url, page_title as title from outbound.conversations where id = ${conversationId}`;
        return page!;
      } finally {
        await sql.end();
      }
    },
    async end(text) {
      const conversationId = await find(text);
      const sql = connect(running.start.stack.database_url, { max: 1 });
      await closeConversation(sql, { companyId: demo!.company_id, conversationId }, CLI);
      await sql.end();
    },
    async emailedLink(email, type) {
      const column = type === "invite" ? "confirmation_token" : "recovery_token";
      const sql = connect(running.start.stack.database_url, { max: 1 });
      try {
        return await eventually(async () => {
          const [user] = await sql`select ${sql(column)} as token from auth.users where email = ${email}`;
          if (!user?.token) throw new Error(`No link was made for ${email}`);
          const query = new URLSearchParams({ token: user.token, type, redirect_to: `${consoleUrl}/` });
          return `${running.start.stack.auth_url}/auth/v1/verify?${query}`;
        });
      } finally {
        await sql.end();
      }
    },
    async inviteDemoUser(company) {
      const sql = connect(running.start.stack.database_url, { max: 1 });
      const [user] = await sql`select id from auth.users where email = ${demo!.email}`;
      await insertInvitation(sql, (await insertCompany(sql, { name: company })).id, user!.id, "operator");
      await sql.end();
    },
    halt: () => running.end(),
    async resume() {
      running = await run(env);
    },
    async close() {
      await browser.close();
      await running.end();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

const FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"];

/** Splits `withStart` into its beginning and its end. */
async function run(env: { OUTBOUND_HOME: string; PORT: string }) {
  const started = Promise.withResolvers<RunningStart>();
  const ended = Promise.withResolvers<void>();
  const whole = withStart(env, (start) => {
    started.resolve(start);
    return ended.promise;
  });
  whole.catch(started.reject);
  return {
    start: await started.promise,
    async end() {
      ended.resolve();
      await whole;
    },
  };
}

/** For tests of a shared stack, which runs before, during and after each test. */
export const SHARED = { sanitizeOps: false, sanitizeResources: false };

/** Starts one stack for all tests of the file. Returns a getter: undefined when this machine has no such browser. */
export function shareWidgetStack(launch?: Launch): () => WidgetStack | undefined {
  let stack: WidgetStack | undefined;
  Deno.test.beforeAll(async () => {
    stack = await startWidgetStack(launch);
  });
  Deno.test.afterAll(async () => {
    await stack?.close();
  });
  return () => stack;
}
