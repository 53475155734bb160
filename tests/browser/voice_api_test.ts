import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { buildWidgets } from "../../cli/widget_build/build_widgets.ts";
import { VOICE_TEXTS } from "../../supabase/functions/_shared/widgets/voice_texts.ts";
import { closeServer } from "../setup/http/close_server.ts";
import { BASE_PATH } from "../setup/http/http.ts";
import { skipped } from "../setup/skipped.ts";
import { withTempFolder } from "../setup/temp_folder.ts";
import { findChromium } from "./find_chromium.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const TYPES: Record<string, string> = { html: "text/html", js: "text/javascript", css: "text/css" };

/** Starts an API that returns a voice widget with this title for every request, and records the paths. */
function startApi(title: string) {
  const requested: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    requested.push(new URL(request.url).pathname);
    return Response.json({
      ...{ language: "en", texts: { ...VOICE_TEXTS.en, title }, colors: {} },
      animation: { type: "none", speed: 1, intensity: 1 },
      features: { transcript: true, feedback: true, handoff: true, text_input: true },
    }, { headers: { "Access-Control-Allow-Origin": "*" } });
  });
  return {
    requested,
    url: `http://127.0.0.1:${server.addr.port}${BASE_PATH}`,
    close: () => closeServer(server),
  };
}

Deno.test("voice widget: a page built for one API talks to that one, whatever the link to it says", () =>
  withTempFolder(async (folder) => {
    const executablePath = findChromium();
    if (executablePath === undefined) return skipped("a link with another API", "no Chromium found");
    const [own, other] = [startApi("Ours"), startApi("Another company's")];
    await buildWidgets({ root: ROOT, out: folder, apiUrl: own.url, platformUrls: [] });
    const host = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
      const { pathname } = new URL(request.url);
      const bytes = await Deno.readFile(`${folder}${pathname}`).catch(() => undefined);
      const type = TYPES[pathname.split(".").at(-1)!] ?? "application/json";
      return new Response(bytes ?? null, { status: bytes ? 200 : 404, headers: { "Content-Type": type } });
    });
    const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
    try {
      const page = await browser.newPage();
      const query = new URLSearchParams({ api: other.url, key: "pk_x", widget: crypto.randomUUID() });

      await page.goto(`http://127.0.0.1:${host.addr.port}/voice.html#${query}`);

      await page.getByRole("heading", { name: "Ours" }).waitFor();
      const reached = await page.evaluate(
        `fetch(${JSON.stringify(other.url)}).then(() => true, () => false)`,
      );
      assert.deepEqual([own.requested, other.requested, reached], [[`${BASE_PATH}/voice-widget`], [], false]);
    } finally {
      await browser.close();
      await Promise.all([closeServer(host), own.close(), other.close()]);
    }
  }));
