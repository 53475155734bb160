import type { UploadDryRun } from "../../../data/sdk.ts";
import { messageOf } from "../../../data/template_message.ts";
import { Button } from "../../../components/button.tsx";
import { confirm } from "../../../components/dialog/confirm.tsx";
import { Figure, Figures } from "../../../components/facts.tsx";
import { Notice } from "../../../components/notice.tsx";
import { Section } from "../../../components/page_head.tsx";
import { PhonePreview } from "../../../components/phone_preview.tsx";
import { count, phone } from "../../../i18n/format.ts";
import { countryName } from "../../../i18n/countries.ts";
import { type Ready, valuesOf } from "../draft.ts";
import { ProblemTable } from "./problem_table.tsx";
import { useQuota } from "../upload/upload.ts";
import { words } from "../../../i18n/words.ts";

const SAMPLES = 3;

/** The result of a check of all rows, and the button that sends. */
export function CheckResult({ dryRun, ready, onSend }: {
  dryRun: UploadDryRun;
  ready: Ready;
  onSend: () => void;
}) {
  const names = words().compose;
  const quota = useQuota();
  const { accepted, refused, held, rows } = dryRun;
  const isOver = quota !== undefined && accepted > quota.left;

  async function send(): Promise<void> {
    const { campaignName, isLater, at, zone } = ready.choices;
    const n = count(accepted);
    const isConfirmed = await confirm({
      title: names.sendTitle(accepted),
      text: names.sendText(
        campaignName.trim(),
        phone(ready.sender.number),
        isLater ? `${at.replace("T", " ")} (${zone})` : undefined,
        refused,
      ),
      action: isLater ? names.schedule(n) : names.send(n),
    });
    if (isConfirmed) onSend();
  }

  return (
    <Section title={names.result}>
      <Figures>
        <Figure name={names.ready} value={count(accepted)} note={names.readyNote(rows)} />
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
      {isOver && <Notice title={names.overQuota(count(quota.left))}>{names.overQuotaHelp}</Notice>}
      <Countries dryRun={dryRun} />
      {dryRun.warnings.filter(({ code }) => !SHOWN_ELSEWHERE.some((each) => each === code)).map((warning) => (
        <Notice
          key={`${warning.code} ${warning.message}`}
          title={titleOf(warning)}
          facts={<code>{warning.code}</code>}
        >
          <span lang="en">{warning.message}</span>
        </Notice>
      ))}
      <ProblemTable problems={dryRun.problems} counts={dryRun.by_code} />
      <Samples dryRun={dryRun} ready={ready} />
      {accepted > 0 && (
        <div class="form-end step-end">
          <Button kind="main" onPress={send}>
            {ready.choices.isLater ? names.schedule(count(accepted)) : names.send(count(accepted))}
          </Button>
        </div>
      )}
    </Section>
  );
}

/** Those about single rows are problems of the rows; the countries have a line of their own. */
const SHOWN_ELSEWHERE = [
  "new_country",
  "sending_hours",
  "rules_unreadable",
  "marketing_cooldown",
  "frequency_cap",
  "call_gap",
] as const;

type Warning = UploadDryRun["warnings"][number];
type Shown = Exclude<Warning["code"], typeof SHOWN_ELSEWHERE[number]>;

function titleOf({ code, contacts = 0 }: Warning): string {
  return words().compose.warnings[code as Shown](contacts);
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
  const shown = (each: typeof countries) =>
    each.map(({ country, count: rows }) => `${countryName(country)} ${count(rows)}`).join(", ");
  const fresh = countries.filter(({ is_new }) => is_new);
  return (
    <>
      <p>{names.countries(shown(countries))}</p>
      {fresh.length > 0 && <Notice title={names.newCountries(shown(fresh))}>{names.newCountriesHelp}</Notice>}
    </>
  );
}

function Samples(
  { dryRun: { samples }, ready: { content, file, choices } }: { dryRun: UploadDryRun; ready: Ready },
) {
  const names = words().compose;
  if (content.channel === "voice" || samples.length === 0) return null;
  return (
    <Section title={names.samples}>
      <ul class="samples" tabIndex={0}>
        {samples.slice(0, SAMPLES).map(({ row, rendered }) => (
          <li key={row}>
            <PhonePreview
              label={names.sampleRow(count(row))}
              message={{
                ...messageOf(content.template, valuesOf(choices.sources, file.rows[row - 1])),
                body: rendered.body,
                footer: rendered.footer ?? undefined,
              }}
            />
            <p class="help">{names.sampleRow(count(row))}</p>
          </li>
        ))}
      </ul>
    </Section>
  );
}
