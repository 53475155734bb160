import assert from "node:assert/strict";
import { startWidgetHost } from "../../../local/widget_host/start.ts";
import { withTempFolder } from "../../setup/temp_folder.ts";

const DEMO = {
  publishableKey: 'pk_test"><script>',
  chatWidgetId: "chat-id",
  voiceWidgetId: "voice-id",
  console: { companyUrl: "http://127.0.0.1:8/#/company-id", email: "demo@example.com" },
};

function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  listener.close();
  return (listener.addr as Deno.NetAddr).port;
}

async function withHost(fn: (url: string, directory: string) => Promise<void>): Promise<void> {
  await withTempFolder(async (folder) => {
    const port = freePort();
    const errors: string[] = [];
    const directory = `${folder}/widget`;
    const host = await startWidgetHost({
      ...{ port, directory, demo: DEMO },
      target: { apiUrl: "http://127.0.0.1:9/functions/v1", platformUrls: [] },
      onError: (reason) => errors.push(reason),
    });
    try {
      await fn(`http://127.0.0.1:${port}`, directory);
    } finally {
      await host.close();
    }
    assert.deepEqual(errors, []);
  });
}

Deno.test("widget host serves what it built, for as long as it may be kept, and nothing else", () =>
  withHost(async (url, directory) => {
    const loader = await fetch(`${url}/loader.js`);
    assert.equal(loader.headers.get("Cache-Control"), "public, max-age=300");
    assert.match(await loader.text(), /http:\/\/127\.0\.0\.1:9\/functions\/v1/);
    const { files } = await (await fetch(`${url}/manifest.json`)).json();
    const asset = await fetch(`${url}/${files.chat.url}`);
    assert.match(asset.headers.get("Cache-Control")!, /immutable/);
    assert.equal(asset.headers.get("Content-Type"), "text/javascript; charset=utf-8");
    assert.equal((await asset.bytes()).length, files.chat.bytes);
    const page = await fetch(`${url}/chat.html`);
    assert.match(page.headers.get("Content-Security-Policy")!, /^default-src 'none'; /);
    await page.body?.cancel();
    for (
      const path of ["/_headers", "/assets/..%2Fmanifest.json", "/assets/none.js", "/../secrets.json", "/x"]
    ) {
      const { status, body } = await fetch(`${url}${path}`);
      await body?.cancel();
      assert.equal(status, 404, path);
    }
    const post = await fetch(`${url}/loader.js`, { method: "POST" });
    await post.body?.cancel();
    assert.deepEqual([post.status, post.headers.get("Allow")], [405, "GET, HEAD"]);
    assert.equal([...Deno.readDirSync(directory)].length, 1);
  }));

Deno.test("widget host shows a page with both widgets, nothing of which is taken for markup", () =>
  withHost(async (url) => {
    const page = await fetch(`${url}/?lang=es`);

    const html = await page.text();
    assert.match(
      html,
      /data-mode="chat" data-customer="pk_test&quot;&gt;&lt;script&gt;" data-widget="chat-id"/,
    );
    // The snippet to copy holds the very address of the loader.
    assert.ok(html.includes(`&lt;script async src=&quot;${url}/loader.js&quot;`), html);
    assert.match(html, /data-mode="voice"[^>]* data-widget="voice-id"\s+data-lang="es"/);
    assert.doesNotMatch(page.headers.get("Content-Security-Policy")!, /unsafe/);
  }));
