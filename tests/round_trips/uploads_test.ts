import assert from "node:assert/strict";
import { csvOf, uploadBody } from "../manage/uploads/with_uploads.ts";
import { insertMember } from "../setup/fixtures/fixtures.ts";
import { insertSendingCompany } from "../setup/fixtures/queue.ts";
import { withCountedService } from "./with_counted_service.ts";

/** One stores the batch, the other one records it. */
const TRIPS_PER_BATCH = 2;
const BATCHES = [5, 25] as const;
/** A token, a role and a template are read again from time to time. */
const TOLERANCE = 3;

Deno.test(`a batch of an upload takes ${TRIPS_PER_BATCH} round trips`, () =>
  withCountedService(async (t) => {
    const company = await insertSendingCompany(t.direct, { key: { rate_limit: 1 } });
    const user = await t.createUser();
    const headers = { authorization: `Bearer ${await t.logIn(user)}` };
    await insertMember(t.direct, company.id, user.id);
    const below = `/manage/companies/${company.id}/uploads`;
    const upload = async (batches: number) => {
      const { body } = await t.http.request("POST", below, uploadBody(company), { headers });
      const answer = await t.http.request("PUT", `${below}/${body.upload_id}/contacts`, undefined, {
        rawBody: csvOf(100 * batches),
        headers: { ...headers, "content-type": "text/csv" },
      });
      assert.deepEqual([answer.status, answer.body.accepted], [200, 100 * batches]);
    };
    await t.warmCost(() => upload(BATCHES[0]));

    const few = await t.cost(() => upload(BATCHES[0]));
    const many = await t.cost(() => upload(BATCHES[1]));

    const expected = (BATCHES[1] - BATCHES[0]) * TRIPS_PER_BATCH;
    const found = many.trips - few.trips;
    assert.ok(Math.abs(found - expected) <= TOLERANCE, `${found} round trips, not ${expected}`);
  }));
