import assert from "node:assert/strict";
import { insertPublishableKey } from "../../setup/fixtures/widgets.ts";
import { notifyBody } from "../../setup/fixtures/notify_body.ts";
import { insertTenant, withStack } from "../../setup/stack/stack.ts";

Deno.test("an access key may come in the header, on every route of a key, and then is in no URL", () =>
  withStack(async (t) => {
    const { http, key, sender, template } = t;
    const headers = { authorization: `Bearer ${key.key}` };
    const sent = await http.post("/notify", notifyBody(t), { headers });
    assert.equal(sent.status, 200, JSON.stringify(sent.body));
    const campaign_id = sent.body.inquiry_set_id;
    const mine = "/manage/companies/mine";
    const campaign = `${mine}/campaigns/${campaign_id}`;

    const reads: [path: string, query: Record<string, string>][] = [
      ["/notify/status", { campaign_id }],
      [`${campaign}/recipients`, {}],
      [`${campaign}/failures`, {}],
      [`${campaign}/pricing`, {}],
      ["/notify/templates", { phone_number: sender.number }],
      ["/notify/template/components", { template: template.name }],
      [`${mine}/contacts/suppressions`, {}],
      [`${mine}/contacts/consents`, {}],
      [`${mine}/contacts/replies`, {}],
    ];
    for (const [path, query] of reads) {
      assert.equal((await http.get(path, { headers, query })).status, 200, path);
    }
    for (const verb of ["pause", "resume", "cancel", "resend"]) {
      assert.equal((await http.post(`${campaign}/${verb}`, undefined, { headers })).status, 200, verb);
    }
    assert.equal(http.seen.some(({ path }) => path.includes(key.key)), false);
  }));

Deno.test("a key in the header is refused as one in the URL: wrong, publishable, of another company, of another kind", () =>
  withStack(async (t) => {
    const { http, key, company, sql, sandbox } = t;
    const { body: { inquiry_set_id } } = await http.post("/notify", notifyBody(t), {
      query: { access_key: key.key },
    });
    const path = `/manage/companies/mine/campaigns/${inquiry_set_id}/recipients`;
    const ask = async (token: string, query: Record<string, string> = {}) =>
      (await http.get(path, {
        query,
        headers: { authorization: `Bearer ${token}` },
      })).status;
    const other = await insertTenant(t, sandbox);

    assert.equal(await ask(key.key), 200);
    assert.equal(await ask(`${key.key}x`), 401);
    assert.equal(await ask(await insertPublishableKey(sql, company.id)), 401);
    assert.equal(await ask(other.key.key), 404);
    for (const token of ["", "eyJhbGciOiJIUzI1NiJ9.e30.x", "outbound_", "outbound key"]) {
      assert.equal(await ask(token), 401, token);
    }
    // The URL wins, as it always did.
    assert.equal(await ask(other.key.key, { access_key: key.key }), 200);
  }));
