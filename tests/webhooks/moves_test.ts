import assert from "node:assert/strict";
import { withServices } from "../setup/stack/services.ts";
import { claim, enqueue, finish, insertSendingCompany, statusesOf } from "../setup/fixtures/queue.ts";
import { ANA, postChange, receive, secondsAgo, suppressionsOf } from "./inbound.ts";

const NEW = "34600000002";

Deno.test("a person with a new number stays suppressed, and what waits on WhatsApp goes to the new one", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    await receive(t, company.sender, "STOP", { wa_id: ANA.number, user_id: ANA.user_id });
    const { ids } = await enqueue(t.sql, company, { count: 3 });
    const [sent] = await claim(t.sql, { limit: 1 });
    await finish(t.sql, [sent!], { outcome: "sent" });
    await t.sql`update outbound.notification_facts set number = ${ANA.number}`;
    const call = ids.find((id) => id !== sent!.id)!;
    await t.sql`update outbound.queue set voice = true where id = ${call}`;
    await t.sql`update outbound.notification_facts set voice = true where id = ${call}`;

    await receive(t, company.sender, {
      type: "system",
      system: { type: "user_changed_number", new_wa_id: NEW },
    });

    const rows = await t.sql`select status, voice, number from outbound.notifications order by status, voice`;
    assert.deepEqual([...rows], [
      { status: "queued", voice: false, number: NEW },
      { status: "queued", voice: true, number: ANA.number },
      { status: "sent", voice: false, number: ANA.number },
    ]);
    assert.ok((await suppressionsOf(t.sql, company.id)).includes(`${NEW} any marketing keyword`));
    const [link] = await t.sql`select user_id, number from outbound.user_ids`;
    assert.deepEqual(link, { user_id: ANA.user_id, number: NEW });
    assert.equal((await statusesOf(t.sql, ids)).length, 3);
    // The confirmation of the opt-out waits too.
    const [queued] = await t.sql`select number from outbound.contact_messages where status = 'queued'`;
    assert.equal(queued?.number, NEW);
  }));

Deno.test("a person with a new user id keeps number, suppressions, consents and cooldowns", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    await receive(t, company.sender, "Hello", { wa_id: ANA.number, user_id: ANA.user_id });
    await t.sql`
      insert into outbound.consents (company_id, address, channel, category, status, method, consented_at, source)
      values (${company.id}, ${ANA.user_id}, 'any', 'marketing', 'granted', 'website', now() - interval '1 hour', 'api')`;
    await receive(t, company.sender, "STOP", { user_id: ANA.user_id });
    await t.sql`insert into outbound.marketing_cooldowns
      values (${company.id}, ${ANA.user_id}, now() + interval '1 hour')`;

    for (let round = 0; round < 2; round++) {
      const update = {
        user_id: { previous: ANA.user_id, current: "ES.2" },
        timestamp: Number(secondsAgo(0)),
      };
      await postChange(t, company.sender, { user_id_update: [update] }, "user_id_update");
    }

    assert.deepEqual(await suppressionsOf(t.sql, company.id), [
      `${ANA.number} any marketing keyword`,
      `${ANA.user_id} any marketing keyword`,
      "ES.2 any marketing keyword",
    ]);
    const [row] = await t.sql`
      select (select number from outbound.user_ids where user_id = 'ES.2') as number,
        (select count(*)::int from outbound.consents where address = 'ES.2') as consents,
        (select count(*)::int from outbound.marketing_cooldowns where address = 'ES.2') as cooldowns`;
    assert.deepEqual(row, { number: ANA.number, consents: 1, cooldowns: 1 });
  }));

Deno.test("a move concerns the companies of its number only", () =>
  withServices(async (t) => {
    const [one, two] = [await insertSendingCompany(t.sql), await insertSendingCompany(t.sql)];
    await receive(t, two.sender, "STOP");

    await receive(t, one.sender, { type: "system", system: { type: "user_changed_number", wa_id: NEW } });

    assert.deepEqual(await suppressionsOf(t.sql, two.id), [`${ANA.number} any marketing keyword`]);
  }));

Deno.test("a number that is learned later takes over what was said under the user id", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    await receive(t, company.sender, "STOP", { user_id: ANA.user_id });
    const before = await suppressionsOf(t.sql, company.id);

    await receive(t, company.sender, "By the way, this is my number", {
      wa_id: ANA.number,
      user_id: ANA.user_id,
    });

    assert.deepEqual(before, [`${ANA.user_id} any marketing keyword`]);
    assert.deepEqual(await suppressionsOf(t.sql, company.id), [
      `${ANA.number} any marketing keyword`,
      `${ANA.user_id} any marketing keyword`,
    ]);
  }));
