import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { integrityOf } from "../../../cli/browser_build/manifest.ts";
import { buildConsole } from "../../../cli/console_build/build_console.ts";
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

Deno.test("console build: without an address, the API is on the console's host", () =>
  withTempFolder(async (out) => {
    await buildConsole({ root: ROOT, out, apiUrl: undefined, platformUrls: [] });

    assert.match(await Deno.readTextFile(`${out}/index.html`), /connect-src 'self';/);
    const config = JSON.parse(await Deno.readTextFile(`${out}/config.json`));
    assert.deepEqual(config, { api_url: "/functions/v1" });
  }));
