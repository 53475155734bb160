import type { UploadDryRun } from "../../../data/sdk.ts";
import { Button } from "../../../components/button.tsx";
import { confirm } from "../../../components/dialog/confirm.tsx";
import { Figure, Figures } from "../../../components/facts.tsx";
import { Notice } from "../../../components/notice.tsx";
import { Section } from "../../../components/page_head.tsx";
import { PhonePreview } from "../../../components/phone_preview.tsx";
import { count } from "../../../i18n/format.ts";
import { isStored, type Ready } from "../draft.ts";
import { ProblemTable } from "./problem_table.tsx";
import { countryList, questionOf, sendLabel } from "./question.ts";
import { RefusedRows } from "./refused_rows.tsx";
import { renderedMessage } from "./rendered_message.ts";
import type { Checked } from "./use_check.ts";
import { useQuota } from "../upload/upload.ts";
import { Warnings } from "./warnings.tsx";
import { words } from "../../../i18n/words.ts";

/** The result of a check of everyone, and the button that sends. */
export function CheckResult({ checked, ready, onSend }: {
  checked: Checked;
  ready: Ready;
  onSend: () => unknown;
}) {
  const names = words().compose;
  const quota = useQuota();
  const { dryRun } = checked;
  const { accepted, refused, held, rows } = dryRun;
  const { content: { channel } } = ready;
  const isOver = quota !== undefined && accepted > quota.left;

  async function send(): Promise<void> {
    if (await confirm(questionOf(ready, dryRun))) await onSend();
  }

  return (
    <Section title={names.result}>
      <Figures>
        <Figure name={names.ready[channel]} value={count(accepted)} note={names.readyNote(rows)} />
        <Figure name={names.leftOut} value={count(refused)} isBad={refused > 0} />
        {held > 0 && <Figure name={names.held} value={count(held)} note={names.heldNote} />}
        <Cost dryRun={dryRun} />
        {quota && (
          <Figure
            name={names.quota}
            value={count(quota.left)}
            note={names.quotaNote(count(quota.quota))}
            isBad={isOver}
          />
        )}
      </Figures>
      {accepted > 0 && (
        <div class="form-end step-end">
          <Button kind="main" onPress={send}>{sendLabel(ready, accepted)}</Button>
          {refused > 0 && <span class="help">{names.without[channel](refused)}</span>}
        </div>
      )}
      {isOver && <Notice title={names.overQuota(count(quota.left))}>{names.overQuotaHelp}</Notice>}
      <Countries dryRun={dryRun} />
      <Warnings warnings={dryRun.warnings} />
      <Samples dryRun={dryRun} />
      <ProblemTable
        dryRun={dryRun}
        ready={ready}
        actions={refused > 0 && !isStored(checked.people) && (
          <RefusedRows uploadId={checked.uploadId} file={checked.people} refused={refused} ready={ready} />
        )}
      />
    </Section>
  );
}

function Cost({ dryRun: { estimated_cost, estimated_cost_code } }: { dryRun: UploadDryRun }) {
  const names = words().compose;
  return (
    <Figure
      name={names.cost}
      value={estimated_cost ? `${estimated_cost.amount} ${estimated_cost.currency}` : "–"}
      note={estimated_cost_code ? names.costReasons[estimated_cost_code] : ""}
    />
  );
}

/** Where the messages go, with a warning about countries to which nothing ever went. */
function Countries({ dryRun: { countries } }: { dryRun: UploadDryRun }) {
  const names = words().compose;
  if (countries.length === 0) return null;
  const fresh = countries.filter(({ is_new }) => is_new);
  return (
    <>
      <p>{names.countries(countryList(countries))}</p>
      {fresh.length > 0 && (
        <Notice title={names.newCountries(countryList(fresh))}>{names.newCountriesHelp}</Notice>
      )}
    </>
  );
}

function Samples({ dryRun: { samples } }: { dryRun: UploadDryRun }) {
  const names = words().compose;
  if (samples.length === 0) return null;
  return (
    <Section title={names.samples}>
      <ul class="samples" tabIndex={0}>
        {samples.map(({ row, rendered }) => (
          <li key={row}>
            <PhonePreview label={names.sampleRow(count(row))} message={renderedMessage(rendered)} />
            <p class="help">{names.sampleRow(count(row))}</p>
          </li>
        ))}
      </ul>
    </Section>
  );
}
