import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { neededChunks } from "../../../cli/browser_build/bundle.ts";
import { integrityOf } from "../../../cli/browser_build/manifest.ts";
import { buildConsole } from "../../../cli/console_build/build_console.ts";
import { type Screen, SCREENS } from "../../../console/app/screens.ts";
import { withTempFolder } from "../../setup/temp_folder.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

Deno.test("console build: a page without inline code whose files are checked, for one API, within the weight", () =>
  withTempFolder(async (out) => {
    const { files } = await buildConsole({
      root: ROOT,
      out,
      apiUrl: "https://api.example.com/functions/v1",
      platformUrls: ["wss://media.example.com"],
    });

    const page = await Deno.readTextFile(`${out}/index.html`);
    const loaded = [...page.matchAll(/(?:src|href)="(assets\/[^"]+)" integrity="([^"]+)"/g)];
    for (const [, path, integrity] of loaded) {
      assert.equal(await integrityOf(await Deno.readFile(`${out}/${path}`)), integrity);
    }
    const byPath = new Map(Object.values(files).map((file) => [file.url, file]));
    const languages = [...byPath.keys()].filter((path) => /\/(en|es|pt)-\w{8}\.js$/.test(path));
    const weights = ["index.html", ...loaded.map(([, path]) => path!), ...languages.slice(-1)].map((path) =>
      byPath.get(path)!.gzip_bytes
    );
    assert.equal(languages.length, 3);
    assert.ok(loaded.length >= 3);
    assert.ok(weights.reduce((sum, weight) => sum + weight, 0) <= 90_000);
    assert.doesNotMatch(page, /<script(?![^>]* src=)|<style| style=| on\w+=|unsafe|\{\{/);
    assert.match(
      page,
      /connect-src 'self' https:\/\/api\.example\.com https:\/\/media\.example\.com wss:\/\/media\.example\.com;.* require-trusted-types-for 'script'/,
    );
    const config = JSON.parse(await Deno.readTextFile(`${out}/config.json`));
    assert.deepEqual(config, { api_url: "https://api.example.com/functions/v1" });
    assert.match(await Deno.readTextFile(`${out}/_headers`), /frame-ancestors 'none'/);
    assert.match(await Deno.readTextFile(`${out}/THIRD_PARTY_NOTICES.txt`), /^preact 11/m);
  }));

/** The weight of all that a screen may load when it is opened, besides the page; by gzip, in kB. Each is today's weight with about one more. */
const MAX_SCREEN_KB: Record<Screen["path"], number> = {
  "overview": 50,
  "compose": 30,
  "campaigns": 21,
  "campaigns/:campaign_id": 56,
  "templates": 18,
  "templates/new": 15,
  "templates/:template_id": 12,
  "senders": 17,
  "senders/:sender_id": 5,
  "inbox": 29,
  "contacts": 28,
  "contacts/import": 8,
  "contacts/:address": 41,
  "lists": 17,
  "lists/new": 6,
  "lists/:list_id": 27,
  "calls": 19,
  "calls/:notification_id": 5,
  "webhooks": 27,
  "webhooks/:endpoint_id": 27,
  "keys": 52,
  "keys/:key_id": 28,
  "widgets": 17,
  "widgets/:widget_id": 18,
  "knowledge": 17,
  "members": 17,
  "settings": 8,
  "audit": 22,
  "account": 4,
};

Deno.test("console build: each screen loads no more than it did when it was last weighed", () =>
  withTempFolder(async (out) => {
    const { files } = await buildConsole({ root: ROOT, out, apiUrl: undefined, platformUrls: [] });
    const read = (url: string) => Deno.readFileSync(`${out}/${url}`);
    const parts = Object.entries(files).filter(([name]) =>
      name.endsWith(".js") && name !== "service_worker.js"
    );
    const chunks = new Map(parts.map(([name, { url }]) => [name, read(url)]));
    const page = read(files.app!.url);
    const language = [...chunks.keys()].filter((name) => name.startsWith("en-"));
    const first = neededChunks([page, ...language.map((name) => chunks.get(name)!)], chunks);

    const weights = SCREENS.map(({ path, load }) => {
      const [, source] = /([a-z_]+)\.tsx"/.exec(load.toString())!;
      const own = [...chunks.keys()].find((name) => name.startsWith(`${source}-`))!;
      const needed = [own, ...neededChunks([chunks.get(own)!], chunks)];
      const opened = new Set([...needed, ...needed.flatMap((name) => chartsIn(chunks.get(name)!))]);
      const weight = [...opened.difference(new Set(first))].reduce(
        (sum, name) => sum + files[name]!.gzip_bytes,
        0,
      );
      return [path, weight / 1000] as const;
    });

    assert.deepEqual(
      weights.filter(([path, kB]) => kB > MAX_SCREEN_KB[path]).map(([path, kB]) =>
        `${path} loads ${kB.toFixed(1)} kB, of ${MAX_SCREEN_KB[path]}: share code, or load it when it is used`
      ),
      [],
    );
  }));

/** Charts are loaded with the first one on the screen; whatever else is loaded later waits for a press. */
function chartsIn(chunk: Uint8Array): string[] {
  return [...new TextDecoder().decode(chunk).matchAll(/import\("\.\/(u[Pp]lot[^"]*)"\)/g)].map(([, name]) =>
    name!
  );
}

Deno.test("console build: without an address, the API is on the console's host", () =>
  withTempFolder(async (out) => {
    await buildConsole({ root: ROOT, out, apiUrl: undefined, platformUrls: [] });

    assert.match(await Deno.readTextFile(`${out}/index.html`), /connect-src 'self';/);
    const config = JSON.parse(await Deno.readTextFile(`${out}/config.json`));
    assert.deepEqual(config, { api_url: "/functions/v1" });
  }));
