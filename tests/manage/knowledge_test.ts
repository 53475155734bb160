import assert from "node:assert/strict";
import { insertCompany } from "../setup/fixtures/fixtures.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { auditOf } from "./read_audit.ts";
import { withManage } from "./with_manage.ts";

Deno.test("documents are added, listed page by page, shown and removed, each change with an audit row", () =>
  withManage(async (t) => {
    const content = "Send it back within 30 days.";
    const first = (await t.act("/knowledge", { title: "Returns", content, language: "en" })).body;
    const second =
      (await t.act("/knowledge", { title: "Hours", content: "x", url: "https://shop.example" })).body;
    const list = async (query: Record<string, string>) => (await t.read("/knowledge", query)).body;

    const page = await list({ limit: "1" });

    assert.deepEqual(page.documents, [second]);
    assert.deepEqual((await list({ limit: "1", after: page.next })).documents, [first]);
    assert.deepEqual([first.language, first.characters], ["english", content.length]);
    const shown = (await t.read(`/knowledge/${first.document_id}`)).body;
    assert.deepEqual([shown.content, page.documents[0]!.content], [content, undefined]);
    const remove = () =>
      t.members.operator.ask("DELETE", `/companies/${t.company.id}/knowledge/${first.document_id}`);
    assert.deepEqual([(await remove()).status, (await remove()).status], [200, 404]);
    assert.deepEqual((await list({})).documents, [second]);
    assert.deepEqual((await auditOf(t)).map(({ action, before, after }) => [action, before, after]), [
      ["knowledge.removed", { title: "Returns" }, null],
      ["knowledge.added", null, { title: "Hours" }],
      ["knowledge.added", null, { title: "Returns" }],
    ]);
  }));

Deno.test("knowledge refuses what cannot be searched or linked, and documents of others", () =>
  withManage(async (t) => {
    const document = { title: "Returns", content: "Send it back." };
    const refusals: [JsonObject, string][] = [
      [{ title: "" }, "title"],
      [{ title: "a\nb" }, "title"],
      [{ content: "" }, "content"],
      [{ content: "x".repeat(100_001) }, "content"],
      [{ url: "javascript:alert(1)" }, "url"],
      [{ language: "english; drop" }, "language"],
    ];
    for (const [changes, field] of refusals) {
      const { status, body } = await t.act("/knowledge", { ...document, ...changes });
      assert.deepEqual([status, body.details.field], [400, field]);
    }
    assert.equal((await t.act("/knowledge", { ...document, content: "ñ".repeat(100_000) })).status, 200);
    const other = await insertCompany(t.sql);
    const [foreign] = await t.sql`
      insert into outbound.knowledge_documents (company_id, title, content) values (${other.id}, 'x', 'y') returning id`;
    assert.equal((await t.read(`/knowledge/${foreign!.id}`)).status, 404);
    const path = `/companies/${t.company.id}/knowledge/${foreign!.id}`;
    assert.equal((await t.members.operator.ask("DELETE", path)).status, 404);
    const [row] = await t.sql`select count(*)::int as count from outbound.knowledge_documents`;
    assert.equal(row!.count, 2);
  }));
