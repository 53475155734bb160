import { link } from "../../data/company.ts";
import type { Campaign } from "../../data/sdk.ts";
import { ErrorNotice } from "../../components/error_notice.tsx";
import { Section } from "../../components/page_head.tsx";
import { PlainTable } from "../../components/table/plain_table.tsx";
import { explained } from "../../i18n/codes.ts";
import { count } from "../../i18n/format.ts";
import { useFailureReasons } from "./failure_reasons.ts";
import { words } from "../../i18n/words.ts";

/** Why messages of the latest campaigns failed, with what to do. */
export function Failures({ campaigns }: { campaigns: Campaign[] }) {
  const { data: reasons, problem, reload } = useFailureReasons(campaigns);
  const { failures, failuresNote, noFailures, reason, todo, count: counted } = words().overview;
  return (
    <Section title={failures} actions={<span class="facts">{failuresNote}</span>}>
      {problem && <ErrorNotice problem={problem} onRetry={reload} />}
      {reasons?.length === 0 && <p class="facts">{noFailures}</p>}
      {reasons && reasons.length > 0 && (
        <PlainTable
          rows={reasons.map(explained)}
          keyOf={({ code }) => code}
          columns={[
            {
              title: reason,
              cell: ({ code, meaning }) => (
                <>
                  {meaning} <code>{code}</code>
                </>
              ),
            },
            {
              title: counted,
              align: "end",
              cell: ({ code, count: number, campaignId }) => (
                <a href={link(["campaigns", campaignId], { tab: "recipients", code })}>{count(number)}</a>
              ),
            },
            { title: todo, cell: ({ what_to_do }) => what_to_do },
          ]}
        />
      )}
    </Section>
  );
}
