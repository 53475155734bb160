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
    const { json: refused, code: refusedCode } = await admin("campaign", "resend", campaignId);
    assert.deepEqual([refusedCode, (refused.error as { code: string }).code], [1, "refused"]);

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

Deno.test("company rules --archive-after needs a media store, and 30 days", () =>
  withArchive(async ({ company, databaseUrl, folder }) => {
    const rules = async (days: string, env: Record<string, string> = { OUTBOUND_MEDIA_FOLDER: folder }) =>
      (await runAdmin(["company", "rules", company.id, "--archive-after", days, "--json"], {
        env: { DATABASE_URL: databaseUrl, ...env },
      })).json;

    assert.equal((await rules("90")).archive_after_days, 90);
    assert.equal(((await rules("29")).error as { code: string }).code, "usage");
    assert.equal(((await rules("90", {})).error as { code: string }).code, "not_configured");
    assert.equal((await rules("never", {})).archive_after_days, null);
  }));
