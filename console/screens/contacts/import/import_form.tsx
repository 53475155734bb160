import { useEffect, useState } from "preact/hooks";
import { link } from "../../../data/company.ts";
import { useAttributes } from "../../../data/people.ts";
import { Problem } from "../../../data/problem.ts";
import type { ContactAttribute, ImportedContacts } from "../../../data/sdk.ts";
import { Button, ButtonLink } from "../../../components/button.tsx";
import { FileProblem } from "../../../components/form/file_problem.tsx";
import { CountryField } from "../../../components/form/country_field.tsx";
import { Checkbox } from "../../../components/form/fields.tsx";
import { Section } from "../../../components/page_head.tsx";
import type { ContactFile } from "../../compose/upload/contact_file.ts";
import { ColumnTable } from "./column_table.tsx";
import { addAttributes, importFile, type ImportPlan } from "./import_contacts.ts";
import { newAttributes } from "./new_attributes.ts";
import { Result } from "./result.tsx";
import { words } from "../../../i18n/words.ts";

/** The columns of a file, the check, and the import. A change makes the check old. */
export function ImportForm({ file }: { file: ContactFile }) {
  const attributes = useAttributes();
  const [plan, setPlan] = useState<ImportPlan>({ columns: {}, country: undefined, overwrites: true });
  const [types, setTypes] = useState<Record<string, ContactAttribute["type"]>>({});
  const [result, setResult] = useState<ImportedContacts>();
  const [isOld, setOld] = useState(false);
  const [busy, setBusy] = useState<"checking" | "importing">();
  const [problem, setProblem] = useState<Problem>();
  const names = words().importing;
  const isDone = result?.dry_run === false;

  async function run(isDry: boolean): Promise<void> {
    setBusy(isDry ? "checking" : "importing");
    setProblem(undefined);
    try {
      if (!isDry) await addAttributes(newAttributes(result!.columns, attributes.data ?? [], types));
      const read = await importFile(file, plan, { isDry });
      setResult(read);
      setPlan({ ...plan, columns: read.columns, country: read.country ?? undefined });
      setOld(false);
      if (!isDry) attributes.reload();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
    } finally {
      setBusy(undefined);
    }
  }

  useEffect(() => void run(true), []);
  const change = (changes: Partial<ImportPlan>) => {
    setPlan({ ...plan, ...changes });
    setOld(true);
  };
  return (
    <>
      {!isDone && (
        <Section title={names.columns}>
          <p class="help">{names.columnsHelp}</p>
          <ColumnTable
            file={file}
            columns={plan.columns}
            attributes={attributes.data ?? []}
            types={types}
            disabled={busy !== undefined}
            onChange={(columns) => change({ columns })}
            onType={(name, type) => setTypes({ ...types, [name]: type })}
          />
          <div class="form">
            <CountryField
              value={plan.country}
              disabled={busy !== undefined}
              onChange={(country) => change({ country })}
            />
            <Checkbox
              label={names.overwrites}
              help={names.overwritesHelp}
              value={plan.overwrites}
              disabled={busy !== undefined}
              onChange={(overwrites) => change({ overwrites })}
            />
          </div>
        </Section>
      )}
      <Section title={isDone ? names.done : names.check}>
        {busy && (
          <p role="status">
            <progress aria-label={names[busy](file.count)} /> {names[busy](file.count)}
          </p>
        )}
        {problem && <FileProblem problem={problem} />}
        {!busy && result && !isOld && <Result file={file} result={result} />}
        {!busy && isOld && <p class="help">{names.isOld}</p>}
      </Section>
      <div class="form-actions import-actions">
        {isDone ? <ButtonLink kind="main" href={link(["contacts"])}>{names.toContacts}</ButtonLink> : (
          <>
            <Button disabled={busy !== undefined} onPress={() => run(true)}>{names.checkAgain}</Button>
            <Button
              kind="main"
              icon="upload"
              disabled={busy !== undefined || isOld || !result?.valid}
              onPress={() => run(false)}
            >
              {words().contacts.importAction(isOld ? 0 : result?.valid ?? 0)}
            </Button>
          </>
        )}
      </div>
    </>
  );
}
