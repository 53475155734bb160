import type { Services } from "../../../supabase/functions/_shared/services.ts";
import { closeServer } from "../http/close_server.ts";
import { dispatchAll } from "./dispatch_all.ts";
import {
  type CompanyFixture,
  insertCompany,
  insertKey,
  insertSender,
  insertTemplate,
  type KeyFixture,
  ORDER_COMPONENTS,
  type SenderFixture,
  type TemplateFixture,
} from "../fixtures/fixtures.ts";
import { BASE_PATH } from "../http/http.ts";
import { type TestSandbox, withSandbox } from "./sandbox.ts";
import { TEST_ENV, type TestServices, type TestServicesOptions, withServices } from "./services.ts";

/** The service with a platform to send to, and a company that may send. */
export interface TestStack extends TestServices {
  sandbox: TestSandbox;
  /** Where the service listens, for code that needs a socket; the platform's webhooks come in there. */
  url: string;
  company: CompanyFixture;
  key: KeyFixture;
  sender: SenderFixture;
  /** Known to the platform too: a body with two variables. */
  template: TemplateFixture;
  /** The services of dispatchers, which reach the webhook under OUTBOUND_PUBLIC_URL. */
  dispatcherServices: Services;
  /** Sends all that can be sent now. */
  dispatch(): Promise<void>;
}

/** Calls `fn` with the service, a sandbox that sends it webhooks, and a company with key, sender and template. */
export async function withStack(
  fn: (t: TestStack) => Promise<void>,
  options: TestServicesOptions = {},
): Promise<void> {
  await withSandbox(TEST_ENV.WHATSAPP_APP_SECRET, async (sandbox) => {
    const env = { WHATSAPP_API_URL: sandbox.url, ELEVENLABS_API_URL: sandbox.url, ...options.env };
    await withServices(async (t) => {
      const server = Deno.serve(
        { hostname: "127.0.0.1", port: 0, onListen: () => {} },
        (request, info) => t.app.fetch(request, info),
      );
      try {
        const url = `http://127.0.0.1:${server.addr.port}`;
        await sandbox.configure({ webhook_url: `${url}${BASE_PATH}/webhooks/whatsapp` });
        await sandbox.configureVoice({ webhook_url: `${url}${BASE_PATH}/webhooks/voice` });
        const dispatcherServices = {
          ...t.services,
          env: { ...t.env, OUTBOUND_PUBLIC_URL: t.env.OUTBOUND_PUBLIC_URL ?? url },
        };
        const tenant = await insertTenant(t, sandbox);
        const dispatch = () => dispatchAll(dispatcherServices);
        await fn({ ...t, ...tenant, sandbox, url, dispatcherServices, dispatch });
      } finally {
        await sandbox.configure({ webhooks: false });
        await closeServer(server);
      }
    }, { ...options, env });
  });
}

/** Adds a template of category MARKETING, with the same parts as the company's own, in the database and on the platform. */
export async function addMarketing(
  { sql, sender, sandbox, template }: Pick<TestStack, "sql" | "sender" | "sandbox" | "template">,
): Promise<TemplateFixture> {
  const marketing = await insertTemplate(sql, sender, { category: "MARKETING" });
  await sandbox.addAccount(sender, [platformCopy(template, "UTILITY"), platformCopy(marketing, "MARKETING")]);
  return marketing;
}

function platformCopy({ name, language }: TemplateFixture, category: string) {
  return { name, language, category, status: "APPROVED", components: ORDER_COMPONENTS };
}

/** A company that can send, in the database and on the platform. */
export async function insertTenant({ sql }: Pick<TestServices, "sql">, sandbox: TestSandbox) {
  const company = await insertCompany(sql);
  const key = await insertKey(sql, company.id);
  const sender = await insertSender(sql, company.id);
  const template = await insertTemplate(sql, sender);
  await sandbox.addAccount(sender, [platformCopy(template, "UTILITY")]);
  return { company, key, sender, template };
}
