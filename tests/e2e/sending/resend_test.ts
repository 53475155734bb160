import assert from "node:assert/strict";
import { eventually } from "../../setup/eventually.ts";
import { withApi } from "../with_api.ts";

Deno.test("who could not be reached is explained by the platform's code, and reached by a resend later", () =>
  withApi(async (api) => {
    const withheld = { number: "34600110001", name: "Ana" };
    const query = { access_key: api.key.key };
    const { body: sent } = await api.notify({
      contact: undefined,
      contacts: [withheld, { number: "34600111222", name: "Ben" }],
      metadata: { order: "A-1" },
    }, { query: { details: "true" } });
    await api.dispatch();
    const campaign = `/manage/companies/mine/campaigns/${sent.inquiry_set_id}`;
    await eventually(async () => {
      const { body } = await api.http.get(`${campaign}/failures`, { query });
      assert.deepEqual([body.failed, body.failures[0]?.code, body.failures[0]?.can_pass], [
        1,
        "131049",
        true,
      ]);
      assert.deepEqual(body.failures[0].examples, [sent.notification_ids[0]]);
    });

    const { status, body } = await api.http.post(`${campaign}/resend`, {}, { query });
    assert.deepEqual([status, body.processed], [200, 1]);
    await api.dispatch();

    const texts = (await api.sandbox.messages()).filter(({ to }) => to === `+${withheld.number}`)
      .map(({ rendered }) => rendered.body);
    assert.equal(texts.length, 2);
    assert.equal(texts[0], texts[1]);
    const { body: person } = await api.http.get("/manage/companies/mine/contacts/notifications", {
      query: { ...query, number: withheld.number },
    });
    const [again, first] = person.notifications;
    assert.deepEqual([again.campaign_id, again.metadata], [body.inquiry_set_id, { order: "A-1" }]);
    assert.deepEqual([first.campaign_id, first.resent_as], [sent.inquiry_set_id, again.notification_id]);
  }));
