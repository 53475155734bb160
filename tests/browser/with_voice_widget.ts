import { join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Frame, type Page } from "playwright-core";
import { buildWidgets } from "../../cli/widget_build/build_widgets.ts";
import { headersFor } from "../../cli/widget_build/headers.ts";
import { integrityOf } from "../../cli/browser_build/manifest.ts";
import { startSandbox } from "../../local/sandbox/start.ts";
import { closeServer } from "../setup/http/close_server.ts";
import { insertCompany } from "../setup/fixtures/fixtures.ts";
import { insertPublishableKey, insertWidget } from "../setup/fixtures/widgets.ts";
import { BASE_PATH, type JsonObject } from "../setup/http/http.ts";
import { type TestServices, withServices } from "../setup/stack/services.ts";
import { LIVEKIT } from "./livekit_server.ts";
import { findChromium, STEP_TIMEOUT_MS } from "./find_chromium.ts";

const ROOT = new URL("../..", import.meta.url).pathname;
const ARTIFACTS = join(ROOT, "artifacts");
const FLAGS = [
  ...["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
  "--autoplay-policy=no-user-gesture-required",
];

/** The browser's microphone. `refused`: there is one, without permission to use it. */
export type Microphone = "works" | "refused" | "missing";

const MICROPHONE: Record<Microphone, string[]> = {
  works: ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"],
  refused: ["--use-fake-device-for-media-stream", "--deny-permission-prompts"],
  missing: ["--use-fake-ui-for-media-stream"],
};

const ANY_API = { apiUrl: undefined, platformUrls: [] };
const AGENT = { agentId: "agent_test", name: "Test agent", firstMessage: "Hello, how can I help you?" };
const VOICE_KEY = "xi-test-key";

export interface VoiceOptions {
  microphone?: Microphone;
  /** Merged into the widget's configuration. */
  config?: JsonObject;
  /** Attributes of the script on the page. */
  attributes?: Record<string, string>;
  context?: BrowserContextOptions;
  /** The stand-in for LiveKit's client, as the text of a script. */
  livekitClient?: string;
}

/** A third-party page with a voice widget. */
export interface VoiceWidgetPage {
  page: Page;
  sql: TestServices["sql"];
  widgetId: string;
  /** Presses the widget's button and returns the frame of the voice interface. */
  open(): Promise<Frame>;
  /** Calls `/sandbox/voice-sessions/…`. */
  sandbox(method: string, path: string, body?: unknown): Promise<JsonObject>;
  /** The requests of page and widget, as `METHOD URL`. */
  requests: string[];
  /** The errors in the consoles of page and widget. */
  complaints: string[];
  screenshot(name: string): Promise<void>;
}

/** The service, the sandbox, the widget host and browsers, for all tests of a file. */
export interface VoiceStack {
  sql: TestServices["sql"];
  apiUrl: string;
  widgetUrl: string;
  sandboxUrl: string;
  /** One for each kind of microphone, started when it is first needed. */
  browser(microphone: Microphone): Promise<Browser>;
  /** The stand-in for LiveKit's client from now on. */
  livekitClient: string | undefined;
  close(): Promise<void>;
}

/** Starts a browser with such a microphone. */
type LaunchWith = (microphone: Microphone) => Promise<Browser>;

function chromiumLauncher(): LaunchWith | undefined {
  const executablePath = findChromium();
  return executablePath === undefined
    ? undefined
    : (microphone) => chromium.launch({ executablePath, args: [...FLAGS, ...MICROPHONE[microphone]] });
}

/** Starts them; undefined when this machine has no such browser. `livekitUrl`: a server in place of the sandbox. */
export async function startVoiceStack(
  { launch = chromiumLauncher(), livekitUrl }: { launch?: LaunchWith; livekitUrl?: string } = {},
): Promise<VoiceStack | undefined> {
  if (launch === undefined) return undefined;
  const folder = await Deno.makeTempDir({ prefix: "outbound-widgets-" });
  await buildWidgets({ root: ROOT, out: folder, ...ANY_API });
  const sandbox = await startSandbox({
    port: 0,
    webhookUrl: null,
    appSecret: "secret",
    accounts: [],
    voiceSessions: { accounts: [{ apiKey: VOICE_KEY, agents: [AGENT] }], livekit: LIVEKIT },
  });
  const browsers = new Map<Microphone, Promise<Browser>>();
  const host = Deno.serve(
    LOCAL,
    (request) => serveFile(folder, new URL(request.url).pathname, stack.livekitClient),
  );
  const widgetUrl = `http://127.0.0.1:${host.addr.port}`;
  const service = await startService({
    ...{ OUTBOUND_WIDGET_URL: widgetUrl, ELEVENLABS_API_URL: sandbox.url, ELEVENLABS_API_KEY: VOICE_KEY },
    ...{
      LIVEKIT_URL: livekitUrl ?? sandbox.url,
      LIVEKIT_API_KEY: LIVEKIT.apiKey,
      LIVEKIT_API_SECRET: LIVEKIT.apiSecret,
    },
  });
  const stack: VoiceStack = {
    sql: service.sql,
    apiUrl: service.apiUrl,
    widgetUrl,
    sandboxUrl: sandbox.url,
    livekitClient: undefined,
    browser(microphone) {
      const browser = browsers.get(microphone) ?? launch(microphone);
      browsers.set(microphone, browser);
      return browser;
    },
    async close() {
      for (const browser of browsers.values()) await (await browser).close();
      await service.close();
      await closeServer(host);
      await sandbox.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
  return stack;
}

/** The service on a database of its own, until it is closed. */
async function startService(env: Record<string, string>) {
  const started = Promise.withResolvers<{ sql: TestServices["sql"]; apiUrl: string }>();
  const closing = Promise.withResolvers<void>();
  const running = withServices(async ({ app, sql }) => {
    const api = Deno.serve(LOCAL, (request, info) => app.fetch(request, info));
    started.resolve({ sql, apiUrl: `http://127.0.0.1:${api.addr.port}${BASE_PATH}` });
    await closing.promise;
    await closeServer(api);
  }, { env });
  running.catch(started.reject);
  const close = () => {
    closing.resolve();
    return running;
  };
  return { ...await started.promise, close };
}

/** Calls `fn` with a third-party page that has a voice widget of a new company on it. */
export async function withVoiceWidget(
  stack: VoiceStack,
  fn: (widget: VoiceWidgetPage) => Promise<void>,
  options: VoiceOptions = {},
): Promise<void> {
  const { sql } = stack;
  const company = await insertCompany(sql);
  const key = await insertPublishableKey(sql, company.id);
  const { id: widgetId } = await insertWidget(sql, company.id, {
    kind: "voice",
    config: options.config ?? {},
  });
  stack.livekitClient = options.livekitClient;
  await withHostPage(stack, { key, widgetId }, options, fn);
}

const LOCAL = { hostname: "127.0.0.1", port: 0, onListen: () => {} };

/** Serves the files as a static host does. */
async function serveFile(folder: string, path: string, livekitClient: string | undefined): Promise<Response> {
  const kind = path.split(".").at(-1) ?? "";
  const type = { css: "text/css", html: "text/html", js: "text/javascript", json: "application/json" }[kind];
  if (type === undefined || path.includes("..")) return new Response(null, { status: 404 });
  const headers = {
    ...headersFor(path, ANY_API),
    "Content-Type": `${type}; charset=utf-8`,
  };
  if (livekitClient !== undefined && path === STAND_IN) return new Response(livekitClient, { headers });
  try {
    const bytes = await Deno.readFile(join(folder, path));
    const changed = livekitClient !== undefined && path === "/manifest.json";
    return new Response(changed ? await withStandIn(bytes, livekitClient) : bytes, { headers });
  } catch {
    return new Response(null, { status: 404 });
  }
}

const STAND_IN = "/assets/stand-in.js";

async function withStandIn(bytes: Uint8Array<ArrayBuffer>, script: string): Promise<string> {
  const manifest = JSON.parse(new TextDecoder().decode(bytes));
  const integrity = await integrityOf(new TextEncoder().encode(script));
  manifest.files.livekit_client = { url: STAND_IN.slice(1), integrity };
  return JSON.stringify(manifest);
}

async function withHostPage(
  { sql, widgetUrl, apiUrl, sandboxUrl, browser }: VoiceStack,
  { key, widgetId }: { key: string; widgetId: string },
  { attributes = {}, context, microphone = "works" }: VoiceOptions,
  fn: (widget: VoiceWidgetPage) => Promise<void>,
): Promise<void> {
  const data = { mode: "voice", customer: key, widget: widgetId, api: apiUrl, ...attributes };
  const attributeText = Object.entries(data).map(([name, value]) => `data-${name}="${value}"`).join(" ");
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A shop</title>
    <meta name="viewport" content="width=device-width"><script async src="${widgetUrl}/loader.js" ${attributeText}>
    </script></head><body><main><h1>A shop</h1><button type="button">Buy</button></main></body></html>`;
  const policy = ["default-src 'none'", `script-src ${widgetUrl}`, `frame-src ${widgetUrl}`]
    .concat("base-uri 'none'", "form-action 'none'").join("; ");
  const site = Deno.serve(LOCAL, () =>
    new Response(html, {
      headers: { "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy },
    }));
  const browserContext = await (await browser(microphone)).newContext(context);
  try {
    const page = await browserContext.newPage();
    page.setDefaultTimeout(STEP_TIMEOUT_MS);
    const requests: string[] = [];
    const complaints: string[] = [];
    page.on("request", (request) => requests.push(`${request.method()} ${request.url()}`));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error" && !/favicon/.test(message.location().url)) {
        complaints.push(message.text());
      }
    });
    // Another site than the widget host's, as in production.
    await page.goto(`http://localhost:${site.addr.port}/`);
    await fn({
      page,
      sql,
      widgetId,
      requests,
      complaints,
      async open() {
        await page.locator("[data-outbound-widget] button").first().click();
        const iframe = await page.waitForSelector("[data-outbound-widget] iframe");
        const frame = await iframe.contentFrame();
        await frame!.waitForSelector("main");
        return frame!;
      },
      async sandbox(method, path, body) {
        const response = await fetch(`${sandboxUrl}/sandbox/voice-sessions${path}`, {
          method,
          headers: { "Content-Type": "application/json" },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
        return await response.json();
      },
      async screenshot(name) {
        await page.screenshot({ path: join(ARTIFACTS, `voice-${name}.png`) });
      },
    });
  } finally {
    await browserContext.close();
    await closeServer(site);
  }
}
