import assert from "node:assert/strict";
import { connect } from "../../../../supabase/functions/_shared/db/driver/connect.ts";
import { withTestDatabase } from "../../../setup/database/database.ts";

Deno.test("arrays go to the database and come back as they were", () =>
  withTestDatabase(async ({ url }) => {
    const sql = connect(url, { max: 1 });
    try {
      const texts = ["", "a", 'say "hi"', "back\\slash", "a,b", "{c}", "NULL", " two\nlines ", null];
      const ids = [crypto.randomUUID(), crypto.randomUUID()];

      const [row] = await sql`
        select ${texts}::text[] as texts, ${ids}::uuid[] as ids, ${[1, -2, 3]}::int[] as numbers,
          ${[]}::text[] as none, cardinality(${texts}::text[]) as count, (${texts}::text[])[4] as fourth`;

      assert.deepEqual({ ...row }, {
        texts,
        ids,
        numbers: [1, -2, 3],
        none: [],
        count: texts.length,
        fourth: "back\\slash",
      });
    } finally {
      await sql.end();
    }
  }));
