import assert from "node:assert/strict";
import { createDocsPage } from "../../cli/docs/docs_page.ts";

const docs = createDocsPage();

function get(path: string, method = "GET"): Promise<Response | undefined> {
  return Promise.resolve(docs(new Request(`http://localhost${path}`, { method })));
}

Deno.test("docs page: everything the page loads comes from this server", async () => {
  const html = await (await get("/functions/v1/docs"))!.text();
  const loaded = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!);

  const paths = loaded.filter((url) => url !== "data:,");

  assert.deepEqual(paths.length, 3);
  for (const path of paths) {
    const response = await get(path);
    assert.equal(response?.status, 200, path);
    assert.ok((await response!.text()).length > 100, path);
  }
});

Deno.test("docs page: a strict policy, without inline scripts or styles", async () => {
  const response = await get("/functions/v1/docs");
  const policy = response!.headers.get("content-security-policy")!;

  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /unsafe|https?:|\*/);
  assert.doesNotMatch(await response!.text(), /<script>|<style|style="|onload=/);
});

Deno.test("docs page: llms.txt is there, and each of its links leads to a page", async () => {
  for (const path of ["/llms.txt", "/functions/v1/llms.txt"]) {
    assert.equal((await get(path))?.headers.get("location"), "/functions/v1/docs/llms.txt");
  }
  const response = await get("/functions/v1/docs/llms.txt");
  assert.equal(response?.headers.get("content-type"), "text/plain; charset=utf-8");
  const links = [...(await response!.text()).matchAll(/^- \[[^\]]+\]\(([^)]+)\): \S/gm)].map((match) =>
    match[1]!
  );

  assert.ok(links.length > 15);
  for (const link of links) {
    const page = await get(`/functions/v1/docs/${link}`);
    assert.equal(page?.headers.get("content-type"), "text/markdown; charset=utf-8", link);
    assert.match(await page!.text(), /^# /, link);
  }
});

Deno.test("docs page: / and /docs lead to it, anything else is not its business", async () => {
  for (const path of ["/", "/docs"]) {
    assert.equal((await get(path))?.headers.get("location"), "/functions/v1/docs");
  }
  assert.equal(await get("/functions/v1/docs", "POST"), undefined);
  assert.equal(await get("/functions/v1/docs/package.json"), undefined);
  assert.equal(await get("/functions/v1/docs/__proto__"), undefined);
  assert.equal(await get("/functions/v1/docs/%2e%2e/deno.json"), undefined);
  assert.equal(await get("/functions/v1/docs/nothing.md"), undefined);
  assert.equal(await get("/functions/v1/notify"), undefined);
});
