import assert from "node:assert/strict";
import { runAdmin } from "./run_admin.ts";
import { storedMessages, withArchive } from "../archive/with_archive.ts";

Deno.test("archive run, list, verify and restore work on the files of a company", () =>
  withArchive(async (t) => {
    const { campaignId } = await t.sendOld();
    const before = await storedMessages(t.db);
    const admin = async (...args: string[]) =>
      await runAdmin([...args, "--json"], {
        env: { DATABASE_URL: t.databaseUrl, OUTBOUND_MEDIA_FOLDER: t.folder },
      });

    const { json: ran } = await admin("archive", "run", "--company", t.company.id);
    assert.deepEqual(ran, { deleted: 3, files: 1, problems: [] });
    const { json: listed } = await admin("archive", "list", "--company", t.company.id);
    const [file] = listed.files as { id: string; key: string; rows: number; sha256: string }[];
    assert.deepEqual([file!.rows, await t.objects()], [3, [file!.key]]);
    const { json: verified, code } = await admin("archive", "verify");
    assert.deepEqual([code, (verified.files as { problem: unknown }[])[0]!.problem], [0, null]);
    const { json: counters } = await admin("campaign", "verify", campaignId);
    assert.equal(counters.ok, true);

    const bytes = await Deno.readFile(`${t.folder}/${file!.key}`);
    bytes[10]! ^= 1;
    await Deno.writeFile(`${t.folder}/${file!.key}`, bytes);
    const damaged = await admin("archive", "verify", "--company", t.company.id);
    assert.deepEqual([damaged.code, /1 of 1 files/.test(damaged.stderr)], [1, true]);
    bytes[10]! ^= 1;
    await Deno.writeFile(`${t.folder}/${file!.key}`, bytes);

    const { json: restored } = await admin("archive", "restore", file!.id, "--company", t.company.id);
    assert.deepEqual([restored, await storedMessages(t.db)], [{ restored: 3 }, before]);
    const again = await admin("archive", "restore", file!.id, "--company", t.company.id);
    assert.equal((again.json.error as { code: string }).code, "not_found");
  }));
