import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { buildWidgets } from "../../../cli/widget_build/build_widgets.ts";
import { integrityOf, refuseHeavy } from "../../../cli/browser_build/manifest.ts";
import { withTempFolder } from "../../setup/temp_folder.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const API = "https://api.example.com/functions/v1";

Deno.test("widget build: every file under a name of its content, with its integrity, for one API", () =>
  withTempFolder(async (out) => {
    const platformUrls = ["wss://media.example.com", "http://127.0.0.1:7880"];
    const { files } = await buildWidgets({ root: ROOT, out, apiUrl: API, platformUrls });

    for (const [name, { url, integrity, bytes }] of Object.entries(files)) {
      const content = await Deno.readFile(`${out}/${url}`);
      assert.deepEqual([bytes, integrity], [content.length, await integrityOf(content)], name);
      assert.match(url, /^(loader\.js|(chat|theme|voice)\.html|assets\/[\w-]+-[0-9a-f]{12}\.(js|css))$/);
    }
    assert.ok((await Deno.readTextFile(`${out}/loader.js`)).includes(API));
    const page = await Deno.readTextFile(`${out}/chat.html`);
    for (const name of ["chat", "chat_css"]) {
      assert.ok(page.includes(`${files[name]!.url}" integrity="${files[name]!.integrity}"`), name);
    }
    assert.match(page, /connect-src https:\/\/api\.example\.com;/);
    const [, hosts] = /connect-src ([^;"]+)/.exec(await Deno.readTextFile(`${out}/voice.html`))!;
    assert.deepEqual(hosts!.split(" "), [
      ...["'self'", "https://api.example.com"],
      ...[
        "https://*.elevenlabs.io",
        "wss://*.elevenlabs.io",
        "https://*.livekit.cloud",
        "wss://*.livekit.cloud",
      ],
      ...["https://media.example.com", "wss://media.example.com"],
      ...["http://127.0.0.1:7880", "ws://127.0.0.1:7880"],
    ]);
    assert.doesNotMatch(page, /<script(?![^>]* src=)|unsafe-|__OUTBOUND|\{\{/);
    assert.deepEqual(JSON.parse(await Deno.readTextFile(`${out}/manifest.json`)).files, files);
    const headers = await Deno.readTextFile(`${out}/_headers`);
    assert.match(headers, /\/assets\/\*\n {2}Cache-Control: public, max-age=31536000, immutable/);
    const notices = await Deno.readTextFile(`${out}/THIRD_PARTY_NOTICES.txt`);
    for (const name of ["eventsource-parser", "zod"]) assert.ok(notices.includes(`\n${name} `), name);
  }));

Deno.test("widget build: refuses what weighs too much", () => {
  const limits = [{ parts: ["a", "b"], maxBytes: 100 }];
  refuseHeavy({ a: { gzip_bytes: 60 }, b: { gzip_bytes: 40 } }, limits);
  assert.throws(() => refuseHeavy({ a: { gzip_bytes: 60 }, b: { gzip_bytes: 41 } }, limits), {
    name: "CommandError",
    code: "too_heavy",
    message: "a + b weighs 101 bytes (gzip), and the limit is 100",
  });
});

Deno.test("widget:build refuses an address that is none", async () => {
  for (const url of ["ftp://x", 'https://a.example/"><script>', "nonsense"]) {
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "cli/widget_build.ts", "--api-url", url],
      cwd: ROOT,
      stdin: "null",
    }).output();

    assert.equal(code, 1);
    assert.match(new TextDecoder().decode(stderr), /^--api-url must be a URL such as /);
  }
});
