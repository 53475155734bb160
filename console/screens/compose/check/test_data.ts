import { api, ask, askWithEtag, ifMatch } from "../../../data/client.ts";
import { companyId } from "../../../data/company.ts";
import { type Query, useQuery } from "../../../data/query.ts";
import { listTestRecipients, setTestRecipients, testDraft, type TestRecipients } from "../../../data/sdk.ts";
import { examplesOf } from "../../template/template_data.ts";
import { isStored, NUMBER, planOf, type Ready } from "../draft.ts";
import type { Cells } from "../upload/contact_file.ts";
import { prepareUpload, sendFile } from "../upload/upload.ts";

export type Colleague = TestRecipients["test_recipients"][number];

/** Reads the colleagues who get tests, with the ETag of their list. */
export function useColleagues(): Query<{ colleagues: Colleague[]; etag: string }> {
  const path = { company_id: companyId() };
  return useQuery(`test recipients ${path.company_id}`, async () => {
    const { test_recipients, etag } = await askWithEtag(listTestRecipients, { path });
    return { colleagues: test_recipients, etag };
  });
}

/** Replaces the colleagues who get tests. */
export async function saveColleagues(colleagues: Colleague[], etag: string): Promise<void> {
  const path = { company_id: companyId() };
  await askWithEtag(setTestRecipients, {
    path,
    body: { test_recipients: colleagues },
    headers: ifMatch(etag),
  });
}

/** Sends what is written to the colleagues, filled from the first row. Returns the campaign's id. */
export async function testWithColleagues(draftId: string, ready: Ready): Promise<string | null> {
  const tried = withoutKept(ready);
  const { [NUMBER]: _, ...contact } = sampleOf(tried);
  const path = { company_id: companyId(), draft_id: draftId };
  const body = { contact, plan: { ...planOf(tried) } };
  return (await ask(testDraft({ client: api(), path, body }))).inquiry_set_id;
}

/** Sends what is written to one number, filled from the first row. Returns the campaign's id. */
export async function testWithNumber(given: Ready, number: string, name: string): Promise<string | null> {
  const ready = withoutKept(given);
  const { choices } = ready;
  // The test has a file of its own, with this one person.
  const { file_name: _, ...plan } = planOf({
    ...ready,
    choices: {
      ...choices,
      ...{ audience: undefined, start: "now", spreadHours: 0, campaignName: name },
      sources: { ...choices.sources, [NUMBER]: { kind: "column", column: NUMBER } },
    },
  });
  const sample = sampleOf(ready);
  const cells = Object.fromEntries(
    Object.entries(plan.columns).map(([field, column]) => [column, sample[field] ?? ""]),
  );
  const body = new Blob([JSON.stringify({ ...cells, [NUMBER]: number })]);
  const uploadId = await prepareUpload(plan);
  return (await sendFile(uploadId, { body, type: "application/x-ndjson" })).campaign_id;
}

/** A test has no report: its message needs no kept columns. */
function withoutKept(ready: Ready): Ready {
  return { ...ready, choices: { ...ready.choices, kept: [] } };
}

/** The fields of the first person: of stored people, whom the page does not know, the template's examples. */
function sampleOf(ready: Ready): Cells {
  const { content, people } = ready;
  const examples = content.channel === "whatsapp" ? examplesOf(content.template) : {};
  const columns = Object.entries(planOf(ready).columns);
  if (isStored(people)) return Object.fromEntries(columns.map(([field]) => [field, examples[field] ?? "–"]));
  const row = people.rows[0] ?? {};
  return Object.fromEntries(columns.map(([field, column]) => [field, row[column] ?? ""]));
}
