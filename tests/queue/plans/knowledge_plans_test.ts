import assert from "node:assert/strict";
import { searchKnowledge } from "../../../supabase/functions/_shared/db/widgets/knowledge.ts";
import { withMeasuredDatabase } from "../../setup/database/postgres_database.ts";
import { insertCompany } from "../../setup/fixtures/fixtures.ts";
import { faultsOf, plansOf, rowsReadOf } from "./read_plans.ts";

const COMPANIES = 100;
const DOCUMENTS = 20;

Deno.test("a search for documents reads those of its company alone, with and without statistics", () =>
  withMeasuredDatabase(async ({ sql, url }) => {
    const ids: string[] = [];
    for (let company = 0; company < COMPANIES; company++) ids.push((await insertCompany(sql)).id);
    await sql`
      insert into outbound.knowledge_documents (company_id, title, content, language)
      select id, 'Delivery ' || n, 'Orders arrive within three working days.', 'english'
      from unnest(${ids}::uuid[]) as id cross join generate_series(1, ${DOCUMENTS}) as n`;
    for (const statistics of [false, true]) {
      if (statistics) await sql`analyze`;
      const plans = await plansOf(url, async (one) => {
        const query = { companyId: ids[0]!, language: "english", limit: 2 };
        const hits = await searchKnowledge(one, { ...query, question: "When do my orders arrive?" });
        assert.deepEqual(hits.map(({ words, found }) => [words, found]), [[2, 2], [2, 2]]);
        assert.deepEqual([...await searchKnowledge(one, { ...query, question: "the and" })], []);
      });

      assert.deepEqual(faultsOf(plans, DOCUMENTS, ["knowledge_documents"]), []);
      assert.ok(rowsReadOf(plans).knowledge_documents! <= 2 * DOCUMENTS);
    }
  }));
