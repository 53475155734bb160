import { type Env, loadEnv } from "../../../supabase/functions/_shared/env.ts";
import { HOME_CELL } from "../../../supabase/functions/_shared/cells.ts";
import { numberCell } from "../../../supabase/functions/_shared/db/queue/cell.ts";
import {
  createServices,
  type Services,
  servicesOfCell,
} from "../../../supabase/functions/_shared/services.ts";
import { createMainApp, type MainApp } from "../../../supabase/functions/main/app.ts";
import { withTestDatabase } from "../database/database.ts";
import { TEST_SECRETS_KEY } from "../fixtures/fixtures.ts";
import { BASE_PATH, createTestHttp, type TestHttp } from "../http/http.ts";
import { assertDocumented, type OpenApiDocument } from "../http/openapi.ts";
import { VOICE_WEBHOOK_SECRET } from "./sandbox.ts";

/** The service in this process, on a database of its own. */
export interface TestServices {
  services: Services;
  app: MainApp;
  /** The service's own pool. */
  sql: Services["sql"];
  /** The settings that the service reads: a test that changes one changes it there. */
  env: Env;
  databaseUrl: string;
  /** The settings that lead another process to the databases of all cells. */
  databases: Record<string, string>;
  /** Requests to the app without a socket; its responses must fit the OpenAPI document. */
  http: TestHttp;
}

export interface TestServicesOptions {
  /** Settings that differ from the tests' own. */
  env?: Record<string, string>;
  /** Replaces single services, such as the clock (`now`) or `random`. */
  services?: Partial<Services>;
}

/** Settings for tests: nothing is logged, and nothing outside this machine can be reached by mistake. */
export const TEST_ENV = {
  OUTBOUND_SECRETS_KEY: TEST_SECRETS_KEY,
  WHATSAPP_API_URL: "http://127.0.0.1:9",
  WHATSAPP_APP_SECRET: "test-app-secret",
  WHATSAPP_VERIFY_TOKEN: "test-verify-token",
  ELEVENLABS_API_URL: "http://127.0.0.1:9",
  ELEVENLABS_WEBHOOK_SECRET: VOICE_WEBHOOK_SECRET,
  OUTBOUND_DISPATCH_SECRET: "test-dispatch-secret",
  OUTBOUND_LOG_LEVEL: "silent",
};

/** The cell of the tests' companies: with `CELLS=2` they live in cell 1, beside an empty cell 0. */
const CELL = Deno.env.get("CELLS") === "2" ? 1 : HOME_CELL;

/**
 * Calls `fn` with the whole service on a migrated database, then checks every response that `http` saw against the OpenAPI
 * document.
 */
export async function withServices(
  fn: (t: TestServices) => Promise<void>,
  options: TestServicesOptions = {},
): Promise<void> {
  await withTestDatabase(async ({ sql, url }) => {
    if (CELL === HOME_CELL) return await withServicesOn(url, fn, options);
    await numberCell(sql, CELL);
    await withTestDatabase((home) => withCellServices({ home: home.url, url }, fn, options));
  });
}

/** The service with two cells; what `fn` gets is of the second. */
async function withCellServices(
  { home: homeUrl, url }: { home: string; url: string },
  fn: (t: TestServices) => Promise<void>,
  options: TestServicesOptions,
): Promise<void> {
  const databases = { DATABASE_URL: homeUrl, DATABASE_URLS: `${CELL}=${url}` };
  const opened = createServices(loadEnv({ ...TEST_ENV, ...options.env, ...databases }));
  const services = { ...servicesOfCell(opened, CELL), ...options.services };
  const home: Services = {
    ...opened,
    ...options.services,
    env: services.env,
    otherCells: { numbers: [CELL], open: (cell) => cell === CELL ? services : undefined },
  };
  services.otherCells = { numbers: [HOME_CELL], open: (cell) => cell === HOME_CELL ? home : undefined };
  await withApp({ home, services, databases }, fn);
}

/** As `withServices`, on a database that is already there. */
export async function withServicesOn(
  databaseUrl: string,
  fn: (t: TestServices) => Promise<void>,
  options: TestServicesOptions = {},
): Promise<void> {
  const databases = { DATABASE_URL: databaseUrl };
  const opened = createServices(loadEnv({ ...TEST_ENV, ...options.env, ...databases }));
  const services = { ...opened, ...options.services };
  await withApp({ home: services, services, databases }, fn);
}

/** Calls `fn` with the app of all cells, and the services of the one that the test is about. */
async function withApp(
  { home, services, databases }: Pick<TestServices, "services" | "databases"> & { home: Services },
  fn: (t: TestServices) => Promise<void>,
): Promise<void> {
  try {
    const app = createMainApp(home);
    const http = createTestHttp(app);
    const { sql, env } = services;
    await fn({ services, app, sql, env, databaseUrl: env.DATABASE_URL, databases, http });
    assertDocumented(await readDocument(app), http.seen);
  } finally {
    await home.close();
  }
}

/** The document the service gives of itself. */
export async function readDocument(app: MainApp): Promise<OpenApiDocument> {
  const answer = await app.fetch(new Request(`http://localhost${BASE_PATH}/openapi.json`));
  return await answer.json() as OpenApiDocument;
}
