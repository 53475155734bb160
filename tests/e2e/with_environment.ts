import { runDispatcher } from "../../supabase/functions/_shared/dispatching/dispatcher.ts";
import { createLog } from "../../supabase/functions/_shared/log.ts";
import { closeServer } from "../setup/http/close_server.ts";
import { BASE_PATH, createTestHttp } from "../setup/http/http.ts";
import { type TestLogin, withLogin } from "../setup/stack/login.ts";
import { assertDocumented } from "../setup/http/openapi.ts";
import { type TestSandbox, withSandbox } from "../setup/stack/sandbox.ts";
import { readDocument, TEST_ENV, type TestServicesOptions } from "../setup/stack/services.ts";
import { assertHouseRules } from "./house_rules.ts";

/** The service over a socket, the auth server and the platform: all that a client uses. */
export interface Environment extends TestLogin {
  sandbox: TestSandbox;
  url: string;
  /** The lines that were logged so far. */
  logs: string[];
  /** Adds to what must never be in the log. */
  keepSecret(...secrets: string[]): void;
  /** Runs a dispatcher while `fn` runs. */
  whileDispatching(fn: () => Promise<void>): Promise<void>;
}

/** Calls `fn` with such an environment, then checks all responses and the log by the same rules as `withApi`. */
export async function withEnvironment(
  fn: (environment: Environment) => Promise<void>,
  options: TestServicesOptions = {},
): Promise<void> {
  const logs: string[] = [];
  const secrets: string[] = [];
  const log = createLog("debug", (line) => logs.push(line));
  await withSandbox(TEST_ENV.WHATSAPP_APP_SECRET, async (sandbox) => {
    const env = { WHATSAPP_API_URL: sandbox.url, ...options.env };
    await withLogin(async (login) => {
      const serve = (request: Request, info: Deno.ServeHandlerInfo) => login.app.fetch(request, info);
      const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, serve);
      const url = `http://127.0.0.1:${server.addr.port}`;
      const http = createTestHttp(url);
      try {
        await sandbox.configure({ webhook_url: `${url}${BASE_PATH}/webhooks/whatsapp` });
        const keepSecret = (...more: string[]) => void secrets.push(...more);
        const whileDispatching = (work: () => Promise<void>) => dispatchWhile(login, work);
        const logIn = async (user: Parameters<TestLogin["logIn"]>[0]) => {
          const { body } = await http.post("/auth", user, { query: { grant_type: "password" } });
          return body.access_token as string;
        };
        await fn({ ...login, http, logIn, sandbox, url, logs, keepSecret, whileDispatching });
        assertDocumented(await readDocument(login.app), http.seen);
        assertHouseRules(http.seen, logs, [
          ...secrets,
          ...Object.values(TEST_ENV).filter((text) => text.length > 8),
        ]);
      } finally {
        await sandbox.configure({ webhooks: false });
        await closeServer(server);
      }
    }, { ...options, env, services: { log, ...options.services } });
  });
}

async function dispatchWhile({ services }: TestLogin, work: () => Promise<void>): Promise<void> {
  const controller = new AbortController();
  const dispatcher = runDispatcher(services, { signal: controller.signal });
  try {
    await work();
  } finally {
    controller.abort();
    await dispatcher;
  }
}
