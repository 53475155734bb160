import assert from "node:assert/strict";
import { suppress } from "../../setup/fixtures/contacts.ts";
import { withApi } from "../with_api.ts";
import { marketingRequest } from "./marketing_request.ts";

const NUMBERS = Array.from({ length: 7 }, (_, index) => String(34_600_111_220 + index));
const [STAYS, ...LEAVE] = NUMBERS;

Deno.test("POST /notify sends to the others, however many opt out one after the other while it stores", () =>
  withApi(async (api) => {
    const { company, notify, services, sql } = api;
    const marketing = await marketingRequest(api);
    const { acceptances } = services;
    const leaving = LEAVE.values();
    services.acceptances = {
      ...acceptances,
      async add(campaign) {
        const { value: number } = leaving.next();
        if (number !== undefined) await suppress(sql, company.id, { number });
        return await acceptances.add(campaign);
      },
    };

    const contacts = NUMBERS.map((number) => ({ number, name: "Ana" }));
    const { status, body } = await notify({ ...marketing, contact: undefined, contacts });

    assert.equal(status, 200);
    const refused = body.errors.map(({ contact }: { contact: { number: string } }) => contact.number);
    assert.deepEqual(refused, LEAVE);
    const stored = await sql`select number from outbound.notification_facts`;
    assert.deepEqual(stored.map(({ number }) => number), [STAYS]);
  }));
